import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { WatchController } from '../../../src/indexer/mark/watch-controller.ts'
import { identityOf } from '../../../src/indexer/read/directory-snapshot.ts'
import { DirtyDirectories } from '../../../src/indexer/state/dirty-directories.ts'
import { Health } from '../../../src/indexer/state/health.ts'
import { hotDirectories, isHot } from '../../../src/indexer/state/hot-window.ts'
import { KnownDirectories } from '../../../src/indexer/state/known-directories.ts'
import { SureStamps } from '../../../src/indexer/state/sure-stamps.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { testFolder } from '../../folder.ts'
import t, { exact } from '../../tap.ts'
import { until } from '../../until.ts'
import { memoryLogger } from '../parts.ts'

const dayMs = 86_400_000
const window = { days: 14, hoursDays: 3 }

/** The date of the whole run, even when it passes midnight. */
const startMs = Date.now()

/** Path of the day `ago` days before a time, by default the start of the run. */
function day(area: string, ago: number, nowMs = startMs): string {
  const date = new Date(nowMs - ago * dayMs)
  const first = Date.UTC(date.getUTCFullYear(), 0, 1)
  const dayOfYear = Math.floor((date.getTime() - first) / dayMs) + 1
  return `${area}/${date.getUTCFullYear()}/${String(dayOfYear).padStart(3, '0')}`
}

function openWatchControllerOn(t: Test, directories: readonly string[], most?: number) {
  const archive = join(testFolder(t, {}), 'archive')
  for (const path of directories) mkdirSync(join(archive, path), { recursive: true })
  let marks = 0
  class Counted extends DirtyDirectories {
    override add(...directory: Parameters<DirtyDirectories['add']>) {
      marks++
      super.add(...directory)
    }
  }
  const dirty = new Counted()
  const known = new KnownDirectories(
    directories.flatMap((path) =>
      path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/')),
    ),
  )
  const { logger, lines } = memoryLogger('warn')
  const deps = { nowUs: () => Date.now() * 1000, version: 'test', lastScan: undefined, logger }
  const health = new Health(deps)
  const context = {
    archive,
    layout: defaultLayout,
    window,
    nowUs: deps.nowUs,
    dirty,
    known,
    stamps: new SureStamps(),
    health,
    logger,
  }
  const watchController = new WatchController(context, most)
  t.teardown(() => watchController.close())
  /** Directories that are dirty now or within the next seconds. */
  const drain = () => {
    const all = []
    for (let next; (next = dirty.take(performance.now() + 10_000)) !== undefined;) all.push(next)
    return all
  }
  const watching = async (count: number) => {
    await until(`watching ${count}`, () => watchController.status().directories === count)
    // Each is read when its watch begins, and again a second later.
    await until('nothing happens any more', () => marks >= 2 * count)
    drain()
  }
  return { archive, dirty, known, watchController, drain, watching, lines }
}

t.test('the roots, two years, the last days and the last hours are watched', async (t) => {
  const nowMs = Date.UTC(2026, 5, 15, 12)
  const cases: [path: string, hot: boolean][] = [
    ['obs', true],
    ['nrt', true],
    ['obs/2026', true],
    ['obs/2025', true],
    ['obs/2024', false],
    [day('obs', 0, nowMs), true],
    [day('obs', 14, nowMs), true],
    [day('obs', 15, nowMs), false],
    [day('obs', -1, nowMs), true],
    [day('obs', -4, nowMs), false],
    [day('nrt', 14, nowMs), true],
    [day('nrt', 15, nowMs), false],
    [`${day('nrt', 3, nowMs)}/23`, true],
    [`${day('nrt', 0, nowMs)}/05`, true],
    [`${day('nrt', 4, nowMs)}/05`, false],
    [`${day('nrt', 0, nowMs)}/05/deeper`, true],
    [`${day('obs', 0, nowMs)}/special`, true],
    [`${day('obs', 20, nowMs)}/special`, false],
    ['obs/misc', false],
    ['obs/misc/2026', true],
    ['obs/misc/2026/GRAZ', true],
    ['obs/misc/2025', true],
    ['obs/misc/2025/GRAZ', false],
    [`obs/GRAZ/${day('obs', 13, nowMs).slice(4)}`, true],
    ['obs/GRAZ/2026/May', false],
    ['obs/GRAZ/2026/06', true],
    ['obs/166', true],
    ['obs/140', false],
    ['nrt/166/11', true],
    ['nrt/162/11', false],
    ['elsewhere/2026', false],
  ]
  const known = new KnownDirectories(cases.map(([path]) => path))
  const tree = { layout: defaultLayout, window, known, stamps: new SureStamps() }
  for (const [path, hot] of cases) t.equal(isHot(path, nowMs, tree), hot, path)
})

t.test('without a date in its path a directory is as hot as the newest of its files', async (t) => {
  const nowMs = Date.UTC(2026, 5, 15, 12)
  const known = new KnownDirectories(['obs', 'obs/GRAZ', 'obs/GRAZ/hourly', 'obs/ZIMM', 'obs/2020'])
  const hot = () =>
    hotDirectories({ layout: defaultLayout, window, known, stamps: new SureStamps() }, nowMs)
  t.same(hot(), ['obs'])
  const holds = (path: string, ago: number) =>
    known.holds(path, nowMs / 1000 - ago * 86_400, nowMs / 1000)
  holds('obs/ZIMM', 20)
  t.same(hot(), ['obs'], 'its newest file is 20 days old')
  holds('obs/ZIMM', 10)
  holds('obs/ZIMM', 4000)
  holds('obs/2020', 1)
  t.same(hot(), ['obs', 'obs/ZIMM'])
  holds('obs/GRAZ/hourly', 1)
  t.same(hot(), ['obs', 'obs/GRAZ', 'obs/GRAZ/hourly', 'obs/ZIMM'], 'those above first, newest')
})

t.test('a new directory is hot until its stamp is sure', async (t) => {
  const stamps = new SureStamps()
  const known = new KnownDirectories(['obs', 'obs/GRAZ'])
  const tree = { layout: defaultLayout, window, known, stamps }
  const stamp = { mtimeUs: 1, ctimeUs: 1, inode: 1, namesSum: 0 }
  const read = { stamp, stored: undefined, isOld: false }
  t.notOk(isHot('obs/GRAZ', startMs, tree))
  stamps.judge('obs/GRAZ', { ...read, requestedMs: 0, nowMs: 0 })
  t.ok(isHot('obs/GRAZ', startMs, tree))
  stamps.judge('obs/GRAZ', { ...read, requestedMs: 3000, nowMs: 3000 })
  t.notOk(isHot('obs/GRAZ', startMs, tree))
})

t.test('hot directories are watched, cold directories are not', async (t) => {
  const directories = [day('obs', 0), day('obs', 200), day('nrt', 0), 'obs/1998/003']
  const { archive, watchController, known, drain, watching } = openWatchControllerOn(t, directories)
  t.equal(watchController.status().directories, 0, 'nothing before the start')
  watchController.start()
  const years = new Set(['obs', 'nrt'].flatMap((area) => [area, day(area, 0).slice(0, 8)]))
  if (day('obs', 200).slice(0, 8) !== day('obs', 0).slice(0, 8))
    years.add(day('obs', 200).slice(0, 8))
  await watching(years.size + 2)

  writeFileSync(join(archive, 'obs/1998/003', 'x.gz'), '')
  writeFileSync(join(archive, day('nrt', 0), 'x.gz'), '')
  await until('an event', () => drain().includes(day('nrt', 0)))

  const later = `${day('nrt', 0)}/05`
  mkdirSync(join(archive, later))
  known.add(later)
  watchController.update(later, true)
  await until('one that joins', () => watchController.status().directories === years.size + 3)
  known.delete(later)
  watchController.update(later, false)
  await until('and leaves', () => watchController.status().directories === years.size + 2)
})

t.test('no more directories are watched than may be: the newest, and new ones', async (t) => {
  const days = Array.from({ length: 8 }, (_, ago) => day('obs', ago))
  const stations = days.map((path) => path.replace('obs/', 'obs/GRAZ/'))
  const opened = openWatchControllerOn(t, stations, 6)
  const { watchController, archive, known, drain, watching } = opened
  watchController.start()
  await watching(6)
  for (const path of stations) writeFileSync(join(archive, path, 'x.gz'), '')
  const seen = new Set<string>()
  await until('an event in the newest', () => {
    for (const path of drain()) seen.add(path)
    return stations[0] !== undefined && seen.has(stations[0])
  })
  t.notOk(seen.has(stations.at(-1) ?? ''), 'sweeps find what arrives in the oldest')

  const added = days.map((path) => path.replace('obs/', 'obs/ZIMM/'))
  for (const path of ['obs/ZIMM', ...added]) {
    mkdirSync(join(archive, path), { recursive: true })
    known.add(path)
    watchController.update(path, true)
  }
  known.delete(stations[0] ?? '')
  watchController.update(stations[0] ?? '', false)
  const [last = ''] = added
  watchController.update(last, true)
  await until('a new one is watched instead', () => {
    writeFileSync(join(archive, last, 'x.gz'), '')
    return drain().includes(last)
  })
  t.equal(watchController.status().directories, 6)
})

t.test('a directory that replaced another directory without an event is watched', async (t) => {
  const path = day('obs', 0)
  const { archive, watchController, drain, watching } = openWatchControllerOn(t, [path])
  watchController.start()
  await watching(3)
  const marked = (directory: string) => drain().includes(directory)
  /** Reports the identities of the directories, as the reconcile loop does. */
  const updateAll = () => {
    for (const each of ['obs', path])
      watchController.update(each, true, identityOf(statSync(join(archive, each))))
  }
  updateAll()
  t.same(drain(), [], 'nothing is done without a change')

  // A change above the watched directories causes no event.
  mkdirSync(join(`${archive}-new`, path), { recursive: true })
  renameSync(archive, `${archive}-old`)
  renameSync(`${archive}-new`, archive)
  updateAll()
  await until('its watch is restarted, and it is read', () => marked(path))
  await until('all of them are', () => watchController.status().directories === 3)
  writeFileSync(join(archive, path, 'x.gz'), '')
  await until('an event', () => marked(path))
})

t.test('a directory whose inode number keeps changing keeps its watch', async (t) => {
  const path = day('obs', 0)
  const { dirty, watchController, drain, watching } = openWatchControllerOn(t, [path])
  watchController.start()
  await watching(3)
  watchController.update(path, true, '1:1')
  await until('its watch is restarted', () => drain().includes(path))
  await until('read once more', () => drain().includes(path))
  watchController.update(path, true, '1:2')
  t.equal(dirty.size, 1, 'it is read again')
  t.same(drain(), [], 'but not now')
})

t.test('an overwritten file is noticed in a directory that was unchanged for days', async (t) => {
  const path = day('obs', 10)
  const { archive, watchController, drain, watching } = openWatchControllerOn(t, [path])
  writeFileSync(join(archive, path, 'x.gz'), 'x')
  utimesSync(
    join(archive, path),
    new Date(Date.now() - 9 * dayMs),
    new Date(Date.now() - 9 * dayMs),
  )
  watchController.start()
  await watching(3)
  writeFileSync(join(archive, path, 'x.gz'), 'y')
  await until('an event', () => drain().includes(path))
})

t.test('after a costly read a directory is not read again for a limited time', async (t) => {
  const path = day('obs', 0)
  const { archive, dirty, watchController, watching } = openWatchControllerOn(t, [path])
  watchController.start()
  await watching(3)
  const nowMs = performance.now()
  t.intercept(performance, 'now', { value: () => nowMs })
  watchController.rest(path, 3_600_000)
  writeFileSync(join(archive, path, 'x.gz'), '')
  await until('an event', () => {
    while (dirty.take(nowMs) !== undefined);
    return dirty.size > 0
  })
  t.equal(dirty.nextDueMs(), nowMs + 5000)
  t.equal(dirty.take(nowMs + 5000), path)
})

t.test('a change of the system clock queues all watched directories', async (t) => {
  const path = day('obs', 0)
  const { watchController, drain, watching, lines } = openWatchControllerOn(t, [path])
  watchController.start()
  await watching(3)
  const now = Date.now.bind(Date)
  let aheadMs = 0
  t.intercept(Date, 'now', { value: () => now() + aheadMs })
  for (aheadMs of [3_600_000, 7_200_000]) {
    const noted = new Set<string>()
    await until('they are noted', () => {
      for (const path of drain()) noted.add(path)
      return noted.size >= 3
    })
    t.same([...noted].sort(), ['obs', path.slice(0, 8), path])
  }
  t.match(lines, exact([{ stalls: 1, msg: /system clock changed/ }]))
  t.equal(lines.length, 1, 'at most one line a minute')
})
