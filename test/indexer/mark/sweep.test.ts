/** Sweeps over file systems whose directories tell by their times what changed, and do not. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { DirectoryTimes } from '../../../src/catalogue/updates/change.ts'
import { findChanged } from '../../../src/indexer/mark/sweep.ts'
import type { TreeReader } from '../../../src/indexer/read/tree-reader.ts'
import { mostByName } from '../../../src/indexer/state/hot-window.ts'
import { dayDirectory, pathIn } from '../../acceptance/tree.ts'
import { stamp } from '../../catalogue/catalogue.ts'
import { change } from '../../catalogue/change.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { openParts, startOn } from '../parts.ts'

const [hot, other] = [dayDirectory(1), dayDirectory(2)]
const old = 'obs/2020/001'

/** A tree whose directories always have these times. */
function withTimes(tree: TreeReader, timesOf: () => Partial<DirectoryTimes>): TreeReader {
  const still = <Seen extends DirectoryTimes>(seen: Seen | undefined) =>
    seen && { ...seen, ...timesOf() }
  return {
    ...tree,
    times: async (paths) => (await tree.times(paths)).map(still),
    stamps: async (paths) => (await tree.stamps(paths)).map(still),
    snapshot: async (request) => {
      const snapshot = await tree.snapshot(request)
      return { ...snapshot, stamp: still(snapshot.stamp) }
    },
    step: async () => {
      const step = await tree.step()
      return step && { ...step, snapshot: { ...step.snapshot, stamp: still(step.snapshot.stamp) } }
    },
  }
}

/** An indexer that sweeps when asked, without file events, after its first scan. */
async function startSweeping(t: Test, timesOf: () => Partial<DirectoryTimes>) {
  const parts = await openParts(t)
  mkdirSync(join(parts.archive, 'nrt'))
  for (const directory of [hot, other, old]) parts.put(pathIn(directory, 0))
  const started = await startOn(t, parts, { tree: withTimes(parts.tree, timesOf) })
  const { indexer, reader, writer } = started
  const listed = async () => {
    const { records } = await reader.page({ limit: 100, offset: 0 })
    return records.map(({ directory, name }) => `${directory}/${name}`).sort()
  }
  await indexer.catchUp({ scan: true, patient: false })
  await until('all stamps are sure', async () => {
    // Their second reads wait in the queue of dirty directories.
    return (await writer.directories()).every((each) => each.stamp !== undefined)
  })
  const sweep = () => indexer.catchUp({ scan: false, patient: false })
  const problems = () => indexer.status().problems.map(({ text }) => text)
  return { ...started, listed, sweep, problems }
}

t.test('directories whose times stand still are found by their names', async (t) => {
  const long = { mtimeUs: 1, ctimeUs: 1 }
  const { archive, put, listed, sweep, problems } = await startSweeping(t, () => long)
  const first = [hot, other, old].map((directory) => pathIn(directory, 0)).sort()
  t.same(await listed(), first)

  const late = pathIn(old, 1)
  put(late)
  const arrived = pathIn(hot, 1)
  put(arrived)
  const created = pathIn(dayDirectory(0), 0)
  put(created)
  await sweep()
  t.same(await listed(), [...first, arrived, created].sort(), 'in hot and in new directories')
  rmSync(join(archive, pathIn(other, 0)))
  await until('the file system is known as silent', () => problems().length > 0)
  t.match(problems(), exact([/^directories keep their times .* file system of obs\//]))

  put(pathIn('obs/2020/002', 0))
  await sweep()
  const all = [pathIn(hot, 0), pathIn(old, 0), arrived, created, late, pathIn('obs/2020/002', 0)]
  t.same(await listed(), all.sort(), 'in old directories too')
})

t.test('times that come later than the names are no silent file system', async (t) => {
  let times: Partial<DirectoryTimes> = { mtimeUs: 1, ctimeUs: 1 }
  const { put, sweep, problems, writer } = await startSweeping(t, () => times)
  put(pathIn(hot, 1))
  await sweep()
  await until('they seem to stand still', () => problems().length > 0)
  times = { mtimeUs: 2, ctimeUs: 2 }
  await sweep()
  t.same(problems(), [])
  await until('all stamps are sure', async () =>
    (await writer.directories()).every((each) => each.stamp?.mtimeUs === 2),
  )
})

t.test('a sweep reads the newest hot directories by name', async (t) => {
  const { writer, known, ...parts } = await openParts(t)
  const read = { names: [] as string[], times: [] as string[] }
  const answer = (list: string[]) => async (paths: readonly string[]) => {
    list.push(...paths)
    return paths.map(() => ({ ...stamp, device: 1 }))
  }
  const tree = { ...parts.tree, times: answer(read.times), stamps: answer(read.names) }
  const year = dayDirectory(0).slice(0, 8)
  const nested = Array.from({ length: mostByName }, (_, n) => `${other}/part${n}`)
  const paths = ['obs', 'nrt', year, dayDirectory(0), hot, other, old, ...nested]
  for (const path of paths) known.add(path)
  await writer.apply(paths.map((path) => change(path, { stamp })))
  const context = { ...parts, writer, known, tree }
  t.same(await findChanged(context), [])
  t.equal(read.names.length, mostByName)
  for (const path of ['obs', 'nrt', year, dayDirectory(0), hot])
    t.ok(read.names.includes(path), path)
  t.ok(read.times.includes(old))
  t.same([...read.names, ...read.times].sort(), paths.sort(), 'all others by their times')
})

t.test('a directory that will be read again is left to that read, unless it changes', async (t) => {
  const { writer, stamps, tree, put, ...parts } = await openParts(t)
  put(pathIn(old, 0))
  const [seen] = await tree.stamps([old])
  await writer.apply([change(old, {})])
  const context = { ...parts, writer, stamps, tree }
  const isFound = async () => (await findChanged(context)).includes(old)
  t.ok(await isFound(), 'without a stamp')
  const read = { stored: undefined, requestedMs: 0, nowMs: 0, isOld: false }
  stamps.judge(old, { ...read, stamp: seen })
  t.notOk(await isFound())
  put(pathIn(old, 1))
  t.ok(await isFound(), 'it has changed again')
})
