/**
 * The clock is set while both processes run, and files have impossible times: nothing crashes, no
 * directory is read without end, and new files are listed. File times are not faked, as on a file
 * server.
 */
import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { clockWrap, lacksFaketime, setClock } from './fake-clock.ts'
import type { Listed, Service } from './service.ts'
import {
  directoriesWithoutStamp,
  fetchAlone,
  startService,
  stop,
  until,
  untilEqual,
} from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, pathIn, paths, put } from './tree.ts'

const skip = lacksFaketime

const dayMs = 86_400_000
/** The clock is set this long before the moment that it passes. */
const leadMs = 500

t.setTimeout(0)
// Tests that mostly wait, each with a service of its own.
t.jobs = 2

async function startWithClock(t: Test): Promise<Service> {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  makeOldDays(archive, 5, 20)
  for (const path of [...paths(hourDirectory(), 20), ...paths(dayDirectory(), 20)])
    put(archive, path)
  setClock(folder, 0)
  const service = await startService(t, folder, {
    wrap: [...clockWrap(folder), 'TZ=Europe/Vienna'],
    options: { SWEEP_INTERVAL_SECONDS: '1' },
  })
  await until('the first scan ends', service.ready)
  await untilIdle(t, service)
  return service
}

/**
 * Waits until no work is pending and every directory has a stamp; two more sweeps must change
 * nothing.
 */
async function untilIdle(t: Test, service: Service): Promise<void> {
  const isIdle = async (): Promise<boolean> => {
    const { dirty_directories: dirty, settling_files: settling } = await service.status()
    return dirty === 0 && settling === 0 && directoriesWithoutStamp(service) === 0
  }
  await until('no work is pending', isIdle)
  const { seq } = await service.status()
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const { last_sweep: last } = await service.status()
    await until('the next sweep', async () => (await service.status()).last_sweep !== last)
  }
  await until('no work is pending after two sweeps', isIdle)
  t.equal((await service.status()).seq, seq, 'the seq stays the same')
}

/** The last Sunday of a month of this year, when summer time in Europe begins or ends. */
function changeOfClocks(month: number): number {
  const last = new Date(Date.UTC(new Date().getUTCFullYear(), month, 31, 1))
  return last.getTime() - last.getUTCDay() * dayMs
}

/** The moments that the clock passes after it was set. */
const moments: Record<string, () => number> = {
  'a day back': () => Date.now() - dayMs,
  'a day ahead': () => Date.now() + dayMs,
  'the end of 31 bits': () => 2 ** 31 * 1000,
  'the correct time': () => Date.now(),
  'the beginning of summer time': () => changeOfClocks(2),
  'the end of summer time': () => changeOfClocks(9),
}

/** Jumps after which the test waits for idle sweeps. */
const withSweeps = ['a day back', 'the end of 31 bits']

t.test('files that arrive after the system clock was set are listed', { skip }, async (t) => {
  const service = await startWithClock(t)
  const { archive, folder } = service
  const before = await service.list()
  const replaced = pathIn(dayDirectory(), 0)
  let n = 5000
  for (const [what, moment] of Object.entries(moments)) {
    const aheadMs = moment() - leadMs - Date.now()
    setClock(folder, aheadMs)
    const passed = Date.now() + leadMs
    await until('the moment has passed', () => Date.now() > passed)
    const { modified } = (await service.list()).get(replaced) as Listed

    const aheadHours = Math.round(aheadMs / 3_600_000)
    const directories = [hourDirectory(-aheadHours), dayDirectory(-aheadHours / 24)]
    for (const directory of [...directories, hourDirectory(), dayDirectory(101)])
      put(archive, pathIn(directory, n++))
    writeFileSync(join(folder, 'new'), gzipSync(`replaced ${n}`))
    renameSync(join(folder, 'new'), join(archive, replaced))
    const tookMs = await untilEqual(service)
    t.pass(`${what}: all new files are listed ${Math.round(tookMs)} ms after the last`)
    const isModified = async () => (await service.list()).get(replaced)?.modified !== modified
    await until('the replaced file is modified', isModified)
    if (withSweeps.includes(what)) await untilIdle(t, service)
  }
  await untilIdle(t, service)
  const after = await service.list()
  const early = [...after.values()].filter(({ created, modified }) => modified < created)
  t.same(early, [], 'modified is never before created')
  before.delete(replaced)
  checkUnchanged(t, before, after)
  await checkEnd(t, service)
})

function checkUnchanged(t: Test, before: Map<string, Listed>, after: Map<string, Listed>): void {
  const changed = [...before].filter(([path, { id, created, modified }]) => {
    const now = after.get(path)
    return now?.id !== id || now.created !== created || now.modified !== modified
  })
  t.same(changed, [], 'records of unchanged files stay the same')
}

async function checkEnd(t: Test, { log, indexer, api }: Service): Promise<void> {
  const faults = log.filter(({ level }) => level === 'error' || level === 'fatal')
  t.same(faults, [], 'no error is logged')
  t.same([indexer.exitCode, api.exitCode], [null, null], 'both processes run')
  // A killed process would leave files of faketime in /dev/shm.
  const codes = await Promise.all([stop(indexer, 'SIGTERM'), stop(api, 'SIGTERM')])
  t.same(codes, [0, 0], 'and end on SIGTERM')
}

t.test('restarts with a wrong system clock lose no record and no new file', { skip }, async (t) => {
  const service = await startWithClock(t)
  const before = await service.list()
  for (const years of [12, -12, 0]) {
    setClock(service.folder, years * 365 * dayMs)
    await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')])
    service.startIndexer()
    await service.startApi()
    await until('ready', service.ready)
    put(service.archive, pathIn(dayDirectory(), 5000 + years))
    await untilEqual(service)
    checkUnchanged(t, before, await service.list())
  }
  await untilIdle(t, service)
  await checkEnd(t, service)
})

t.test('withheld removals are released after six hours of restarts', { skip }, async (t) => {
  const service = await startWithClock(t)
  const many = paths(hourDirectory(1), 1100)
  for (const path of many) put(service.archive, path)
  await untilEqual(service)
  const count = await service.count()
  renameSync(join(service.archive, hourDirectory(1)), join(service.folder, 'moved'))
  const isWithheld = async () => (await service.status()).held_removals === many.length
  await until('all removals are withheld', isWithheld)
  const restartAt = async (hours: number) => {
    await stop(service.indexer, 'SIGTERM')
    setClock(service.folder, (hours / 24) * dayMs)
    service.startIndexer()
  }
  for (const hours of [3, 5.75]) {
    await restartAt(hours)
    await until(`all are withheld again after ${hours} hours`, isWithheld)
    t.equal(await service.count(), count)
  }
  await restartAt(6.25)
  await untilEqual(service)
  t.equal(await service.count(), count - many.length)
  await until('it has recovered', async () => (await service.status()).state === 'watching')
  // A killed process would leave files of faketime in /dev/shm.
  await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')])
})

const times: Record<string, number> = {
  'in an hour': Date.now() / 1000 + 3600,
  'next year': Date.now() / 1000 + 365 * 86_400,
  'after 2038': 2 ** 31,
  'after 2106': 2 ** 32,
  'in 2300': Date.UTC(2300, 0) / 1000,
  'in 1970': 0,
  'before 1970': -86_400,
}

t.test('files with impossible times are listed and served', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const files = paths(hourDirectory(), Object.keys(times).length)
  const setTimes = (seconds: readonly number[]): void => {
    files.forEach((path, index) => {
      // A Date, because Node takes a negative number as now.
      const time = new Date((seconds[index] ?? 0) * 1000)
      utimesSync(join(archive, path), time, time)
    })
  }
  for (const path of files) put(archive, path)
  setTimes(Object.values(times))
  const service = await startService(t, folder, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  await untilEqual(service)
  await untilIdle(t, service)
  const before = await service.list()
  await checkServed(t, service, files)

  // Each file gets the time of the next one.
  setTimes([...Object.values(times).slice(1), 1])
  await until('all are modified', async () => {
    const now = await service.list()
    return files.every((path) => now.get(path)?.modified !== before.get(path)?.modified)
  })
  await untilIdle(t, service)
  await checkServed(t, service, files)
  await checkEnd(t, service)
})

async function checkServed(t: Test, service: Service, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const answer = await fetchAlone(new URL(`/rinex/data/${path}`, service.url))
    const { mtime } = statSync(join(service.archive, path))
    const date = answer.headers.get('last-modified') ?? ''
    t.equal(answer.status, 200, `a file with the mtime ${mtime.toISOString()}`)
    const isFuture = mtime.getTime() > Date.parse(answer.headers.get('date') ?? '')
    t.equal(date === '', isFuture, 'only a file dated in the future has no Last-Modified')
    await answer.arrayBuffer()
  }
}
