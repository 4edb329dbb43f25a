import { execFileSync } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { exact } from '../../tap.ts'
import type { Test } from 'tap'
import { startTreeReader } from '../../../src/indexer/tree/tree-reader.ts'
import { until } from '../../until.ts'
import { testFolder } from '../../folder.ts'

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
  const [snapshot, stamps, inflated] = await Promise.all([
    tree.snapshot({ path: 'obs/2020/001', depth: 'names' }),
    tree.stamps(['obs', 'missing']),
    tree.inflate([`obs/2020/001/${graz}`, 'obs/2020/001/zimm0010.20d.gz', 'obs/nothing.gz']),
    tree.startWalk(['obs'], 'names').then(note('walk')),
    tree.step().then(note('first step')),
    tree.step().then(note('second step')),
  ])
  t.match(snapshot, { outcome: 'read', names: exact([graz, 'zimm0010.20d.gz']) })
  t.equal(stamps[1], undefined)
  t.match(inflated, exact([{ complete: false }, { complete: true }, undefined]))
  t.same(order, ['walk', 'first step', 'second step'])
  t.match(await tree.step(), { snapshot: { path: 'obs/2020/001' } })
  t.equal(await tree.step(), undefined, 'the end of the walk')
  t.equal(await tree.step(), undefined)
})

t.test('a stamp is undefined when the directory is too young', async (t) => {
  const { archive, tree } = startOn(t)
  const old = new Date('2020-03-01T00:00:00Z')
  mkdirSync(join(archive, 'obs/2021'))
  let settled: unknown
  await until('it is old enough', async () => {
    settled = (await tree.stamps(['obs/2021']))[0]
    return settled !== undefined
  })
  mkdirSync(join(archive, 'obs/2022'))
  let [same, young]: unknown[] = []
  await until('one is asked about while it is young', async () => {
    // ctime cannot be set back, so the directory is young for two seconds whatever its mtime is.
    utimesSync(join(archive, 'obs/2022'), old, old)
    ;[same, young] = await tree.stamps(['obs/2021', 'obs/2022'])
    return young === undefined
  })
  t.same(same, settled)
})

t.test('waitingMs reports the time without progress', async (t) => {
  const { tree } = startOn(t)
  await tree.snapshot({ path: 'obs', depth: 'names' })
  t.equal(tree.waitingMs(), 0)
  let nowMs = 1000
  t.intercept(performance, 'now', { value: () => nowMs })
  // A long request during which the disk keeps answering.
  const many = Array.from({ length: 100_000 }, () => 'obs')
  let pending = 0
  await until('the time since the disk last answered, during a request', () => {
    if (pending === 0) {
      pending++
      void tree.stamps(many).then(() => pending--)
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
  for (let count = 0; count < 1000; count++)
    tree.snapshot({ path: 'obs', depth: 'names' }).catch(note)
  await tree.close()
  t.notOk(answered, 'so that it is not handled as a failure')
})
