/** Sweeps over file systems whose directories tell by their times what changed, and do not. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { DirectoryTimes } from '../../../src/catalogue/updates/change.ts'
import { Sweeper } from '../../../src/indexer/mark/sweep.ts'
import type { TreeReader } from '../../../src/indexer/read/tree-reader.ts'
import { createContext } from '../../../src/indexer/state/context.ts'
import { hotDirectories, mostByName } from '../../../src/indexer/state/hot-window.ts'
import { dayDirectory, pathIn } from '../../acceptance/tree.ts'
import { stamp } from '../../catalogue/catalogue.ts'
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
    looks: async (paths, mostMs) => {
      const { times, cpuMs } = await tree.looks(paths, mostMs)
      const { mtimeUs, ctimeUs } = timesOf()
      const packed = times.map((value, index) => [mtimeUs, ctimeUs][index % 4] ?? value)
      return { times: packed, cpuMs }
    },
    stamps: async (paths) => (await tree.stamps(paths)).map(still),
    snapshot: async (request) => {
      const snapshot = await tree.snapshot(request)
      return { ...snapshot, stamp: still(snapshot.stamp) }
    },
    steps: async () => {
      const steps = await tree.steps()
      return steps.map((step) => {
        const { snapshot } = step
        return { ...step, snapshot: { ...snapshot, stamp: still(snapshot.stamp) } }
      })
    },
  }
}

/** What the tree worker says of directories with these times. */
function packed(all: readonly DirectoryTimes[]): Float64Array {
  return Float64Array.from(
    all.flatMap(({ mtimeUs, ctimeUs, inode }) => [mtimeUs, ctimeUs, inode, 1]),
  )
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
  const { known, ...parts } = await openParts(t)
  const read = { names: [] as string[], times: [] as string[] }
  const tree = {
    ...parts.tree,
    looks: async (paths: readonly string[]) => {
      read.times.push(...paths)
      return { times: packed(paths.map(() => stamp)), cpuMs: 0 }
    },
    stamps: async (paths: readonly string[]) => {
      read.names.push(...paths)
      return paths.map(() => ({ ...stamp, device: 1 }))
    },
  }
  const year = dayDirectory(0).slice(0, 8)
  const nested = Array.from({ length: mostByName }, (_, n) => `${other}/part${n}`)
  const paths = ['obs', 'nrt', year, dayDirectory(0), hot, other, old, ...nested]
  for (const path of paths) {
    known.add(path)
    known.setStamp(path, stamp)
  }
  t.match(await new Sweeper({ ...parts, known, tree }).sweep({ all: true }), { found: exact([]) })
  t.equal(read.names.length, mostByName)
  for (const path of ['obs', 'nrt', year, dayDirectory(0), hot])
    t.ok(read.names.includes(path), path)
  t.ok(read.times.includes(old))
  t.same([...read.names, ...read.times].sort(), paths.sort(), 'all others by their times')
})

t.test('a directory that will be read again is left to that read, unless it changes', async (t) => {
  const { stamps, known, tree, put, ...parts } = await openParts(t)
  put(pathIn(old, 0))
  const [seen] = await tree.stamps([old])
  known.add(old)
  const sweeper = new Sweeper({ ...parts, stamps, known, tree })
  const isFound = async () => (await sweeper.sweep({ all: true })).found.includes(old)
  t.ok(await isFound(), 'without a stamp')
  const read = { stored: undefined, requestedMs: 0, nowMs: 0, isOld: false }
  stamps.judge(old, { ...read, stamp: seen })
  t.notOk(await isFound())
  put(pathIn(old, 1))
  t.ok(await isFound(), 'it has changed again')
})

t.test('a sweep that may not look at everything goes on where the last one ended', async (t) => {
  const parts = await openParts(t)
  const month = [20, 21].map(dayDirectory)
  const year = Array.from({ length: 8 }, (_, n) => dayDirectory(100 + n))
  const before = Array.from({ length: 8 }, (_, n) => `obs/2020/00${n + 1}`)
  const paths = [...before, ...year, ...month]
  for (const path of paths) {
    parts.known.add(path)
    parts.known.setStamp(path, stamp)
  }
  let seen: string[] = []
  const tree = {
    ...parts.tree,
    // A tenth of a core is enough for six of these.
    looks: async (all: readonly string[]) => {
      seen.push(...all.slice(0, 1))
      return { times: packed([stamp]), cpuMs: 1000 }
    },
  }
  const sweeper = new Sweeper({ ...parts, tree })
  const begun = [parts.asOf.now()]
  parts.looks.scanned(begun[0] ?? parts.asOf.now())
  const last = new Map(paths.map((path) => [path, 0]))
  const oldest = () => begun[Math.min(...last.values())]
  for (let count = 1; count <= 12; count++) {
    seen = []
    const sweep = await sweeper.sweep({ all: false })
    begun.push(sweep.begun)
    for (const path of seen) last.set(path, count)
    t.same(seen.slice(0, 2), month, 'those of the last month first, newest first')
    t.same(parts.looks.ended(sweep.number, sweep.begun), oldest(), 'what is as of the oldest look')
  }
  t.ok(Math.min(...last.values()) > 0, 'all of them have been looked at')
  t.ok(Math.min(...year.map((path) => last.get(path) ?? 0)) > 6)

  seen = []
  const whole = await sweeper.sweep({ all: true })
  t.same(seen.toSorted(), paths.toSorted())
  t.same(parts.looks.ended(whole.number, whole.begun), whole.begun)
  const failed = await sweeper.sweep({ all: true })
  t.equal(parts.looks.ended(failed.number, undefined), undefined, 'nothing of it was written')
  const after = await sweeper.sweep({ all: true })
  t.same(parts.looks.ended(after.number, after.begun), after.begun)
})

t.test('what has no stamp or differed is looked at in each sweep', async (t) => {
  const parts = await openParts(t)
  const paths = ['obs/2020/001', 'obs/2020/002', 'obs/2020/003', 'obs/2020/004']
  for (const path of paths) parts.known.add(path)
  for (const path of paths.slice(1)) parts.known.setStamp(path, stamp)
  parts.known.unread.add('obs/2020/005')
  let times = { ...stamp, mtimeUs: stamp.mtimeUs + 1 }
  const tree = {
    ...parts.tree,
    looks: async (all: readonly string[]) => ({
      times: packed(all.map(() => times)),
      cpuMs: 1e6,
    }),
  }
  const sweeper = new Sweeper({ ...parts, tree })
  const foundNow = async (all: boolean) =>
    (await sweeper.sweep({ all })).found.filter((path) => path.length > 3).sort()
  t.same(await foundNow(true), [...paths, 'obs/2020/005'])
  t.same(await foundNow(false), [...paths, 'obs/2020/005'])
  times = stamp
  t.same(await foundNow(false), ['obs/2020/001', 'obs/2020/005'])
})

t.test('the newest file of a directory is known again after a restart', async (t) => {
  const parts = await openParts(t)
  mkdirSync(join(parts.archive, 'nrt'))
  const [file = ''] = pathIn(dayDirectory(1), 0).split('/').slice(-1)
  for (const path of [`obs/GRAZ/${file}`, 'obs/ZIMM/zimm0010.20d.gz']) parts.put(path)
  const { indexer, close } = await startOn(t, parts)
  await indexer.catchUp({ scan: true, patient: false })
  await close()
  const again = await createContext({ ...parts, writer: parts.writer })
  const hot = hotDirectories(again, again.nowUs() / 1000)
  t.same(hot.sort(), ['nrt', 'obs', 'obs/GRAZ'])
  again.metrics.close()
})
