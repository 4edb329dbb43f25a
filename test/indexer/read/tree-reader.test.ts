import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { sumOfName } from '../../../src/indexer/read/entries.ts'
import { startTreeReader } from '../../../src/indexer/read/tree-reader.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'

const graz = 'graz0010.20d.gz'

function startOn(t: Test) {
  const archive = testFolder(t, { obs: { '2020': { '001': { [graz]: 'x' } } }, nrt: {} })
  const tree = startTreeReader({ archive, linkedDirectories: [] })
  t.teardown(() => tree.close())
  return { archive, tree }
}

t.test('the worker answers in the order of the requests', async (t) => {
  const { archive, tree } = startOn(t)
  writeFileSync(join(archive, 'obs/2020/001/zimm0010.20d.gz'), gzipSync('x'))
  const order: string[] = []
  const note = (what: string) => () => order.push(what)
  const [snapshot, looks, stamps, inflated, , steps] = await Promise.all([
    tree.snapshot('obs/2020/001'),
    tree.looks(['obs', 'missing'], Infinity),
    tree.stamps(['obs', 'missing']),
    tree.inflate([`obs/2020/001/${graz}`, 'obs/2020/001/zimm0010.20d.gz', 'obs/nothing.gz']),
    tree.startWalk(['obs']).then(note('walk')),
    tree.steps().then((steps) => {
      order.push('steps')
      return steps
    }),
    tree.steps().then(note('end')),
  ])
  t.match(snapshot, { outcome: 'read', names: exact([graz, 'zimm0010.20d.gz']) })
  const [mtimeUs, ctimeUs, inode, device, ...missing] = looks.times
  const times = { mtimeUs, ctimeUs, inode, device }
  t.match(stamps, exact([{ ...times, namesSum: sumOfName('2020') }, undefined]))
  t.same(missing, [NaN, NaN, NaN, NaN])
  t.match(inflated, exact([{ complete: false }, { complete: true }, undefined]))
  t.same(order, ['walk', 'steps', 'end'])
  t.same(
    steps.map((step) => step.snapshot.path),
    ['obs', 'obs/2020', 'obs/2020/001'],
    'small directories come together',
  )
  t.same(await tree.steps(), [], 'the end of the walk')
})

t.test('waitingMs reports the time without progress', async (t) => {
  const { tree } = startOn(t)
  await tree.snapshot('obs')
  t.equal(tree.waitingMs(), 0)
  let nowMs = 1000
  t.intercept(performance, 'now', { value: () => nowMs })
  // A long request during which the disk keeps answering.
  const many = Array.from({ length: 100_000 }, () => 'obs')
  let pending = 0
  await until('the time since the disk last answered, during a request', () => {
    if (pending === 0) {
      pending++
      void tree.looks(many, Infinity).then(() => pending--)
      nowMs += 300
      return false
    }
    nowMs += 1
    return tree.waitingMs() === 0
  })
  await until('it ends', () => pending === 0)
  nowMs += 300
  t.equal(tree.waitingMs(), 0)
})

t.test('requests that are open when the reader closes are not answered', async (t) => {
  const { archive, tree } = startOn(t)
  execFileSync('touch', [join(archive, 'obs/x')])
  let answered = false
  const note = () => (answered = true)
  for (let count = 0; count < 1000; count++) tree.snapshot('obs').catch(note)
  await tree.close()
  t.notOk(answered, 'so that it is not handled as a failure')
})
