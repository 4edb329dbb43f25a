/**
 * Clocks that are set while both processes run, and times of files that nobody would believe: nothing crashes, nothing is
 * looked at without end, and what is new is listed. The files keep the time of the disk, as on a file server.
 */
import { spawnSync } from 'node:child_process'
import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Test } from 'tap'
import { directoriesUnsure, lacks, startService, stop, until, untilEqual } from './service.ts'
import type { Listed, Service } from './service.ts'
import { dayDirectory, hourDirectory, makeOldDays, paths, pathIn, put } from './tree.ts'
import { testFolder } from '../folder.ts'

const faketime = ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD']
const skip = lacks('faketime', `faketime ${faketime.join(' ')}`)
const preload = String(spawnSync('faketime', faketime).stdout).trim()

const dayMs = 86_400_000
/** So long before its moment a clock is set. */
const leadMs = 500

t.setTimeout(0)

/** Sets the clock of a service, by how much it is ahead of ours. */
function setClock(folder: string, aheadMs: number): void {
  writeFileSync(join(folder, 'clock.new'), `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / 1000}`)
  renameSync(join(folder, 'clock.new'), join(folder, 'clock'))
}

async function startWithClock(t: Test): Promise<Service> {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  makeOldDays(archive, 5, 20)
  for (const path of [...paths(hourDirectory(), 20), ...paths(dayDirectory(), 20)])
    put(archive, path)
  setClock(folder, 0)
  const clock = [`FAKETIME_TIMESTAMP_FILE=${join(folder, 'clock')}`, 'FAKETIME_NO_CACHE=1']
  // Only the time of the day is set; that of files and of timers is not.
  const alone = ['NO_FAKE_STAT=1', 'FAKETIME_DONT_FAKE_MONOTONIC=1']
  const service = await startService(t, folder, {
    wrap: ['env', `LD_PRELOAD=${preload}`, ...clock, ...alone, 'TZ=Europe/Vienna'],
    options: { SWEEP_INTERVAL_SECONDS: '1' },
  })
  await until('the first scan ends', service.ready)
  await untilRested(t, service)
  return service
}

/** Waits until nothing waits and no directory is unsure, and sees to it that sweeps leave it so. */
async function untilRested(t: Test, service: Service): Promise<void> {
  const isRested = async (): Promise<boolean> => {
    const { dirty_directories: dirty, settling_files: settling } = await service.status()
    return dirty === 0 && settling === 0 && directoriesUnsure(service) === 0
  }
  await until('all is at rest', isRested)
  const { seq } = await service.status()
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    const { last_sweep: last } = await service.status()
    await until('the next sweep', async () => (await service.status()).last_sweep !== last)
  }
  await until('all is at rest still', isRested)
  t.equal((await service.status()).seq, seq, 'no number moves while nothing changes')
}

/** The last Sunday of a month of this year, when clocks in Europe change. */
function changeOfClocks(month: number): number {
  const last = new Date(Date.UTC(new Date().getUTCFullYear(), month, 31, 1))
  return last.getTime() - last.getUTCDay() * dayMs
}

/** Where the clock is set to, and the moment that it then passes. */
const moments: Record<string, () => number> = {
  'a day back': () => Date.now() - dayMs,
  'a day ahead': () => Date.now() + dayMs,
  'the end of 31 bits': () => 2 ** 31 * 1000,
  'the time that it is': () => Date.now(),
  'the beginning of summer time': () => changeOfClocks(2),
  'the end of summer time': () => changeOfClocks(9),
}

/** Jumps after which is waited for sweeps to find nothing. */
const withSweeps = ['a day back', 'the end of 31 bits']

t.test('clocks that are set', { skip }, async (t) => {
  const service = await startWithClock(t)
  const { archive, folder } = service
  const before = await service.list()
  const replaced = pathIn(dayDirectory(), 0)
  let n = 5000
  for (const [what, moment] of Object.entries(moments)) {
    const aheadMs = moment() - leadMs - Date.now()
    setClock(folder, aheadMs)
    const passed = Date.now() + leadMs
    await until('the moment is over', () => Date.now() > passed)
    const { modified } = (await service.list()).get(replaced) as Listed

    const aheadHours = Math.round(aheadMs / 3_600_000)
    const directories = [hourDirectory(-aheadHours), dayDirectory(-aheadHours / 24)]
    for (const directory of [...directories, hourDirectory(), dayDirectory(101)])
      put(archive, pathIn(directory, n++))
    writeFileSync(join(folder, 'aside'), gzipSync(`replaced ${n}`))
    renameSync(join(folder, 'aside'), join(archive, replaced))
    const tookMs = await untilEqual(service)
    t.pass(`${what}: all new files are listed ${Math.round(tookMs)} ms after the last`)
    const isModified = async () => (await service.list()).get(replaced)?.modified !== modified
    await until('the replaced file is modified', isModified)
    if (withSweeps.includes(what)) await untilRested(t, service)
  }
  await untilRested(t, service)
  const after = await service.list()
  const early = [...after.values()].filter(({ created, modified }) => modified < created)
  t.same(early, [], 'no file is modified before it is created')
  before.delete(replaced)
  staysAsItWas(t, before, after)
  await endsWell(t, service)
})

function staysAsItWas(t: Test, before: Map<string, Listed>, after: Map<string, Listed>): void {
  const changed = [...before].filter(([path, { id, created, modified }]) => {
    const now = after.get(path)
    return now?.id !== id || now.created !== created || now.modified !== modified
  })
  t.same(changed, [], 'what was left alone is as it was')
}

async function endsWell(t: Test, { log, indexer, api }: Service): Promise<void> {
  const faults = log.filter(({ level }) => level === 'error' || level === 'fatal')
  t.same(faults, [], 'both processes find no fault')
  t.same([indexer.exitCode, api.exitCode], [null, null], 'and run')
  // In order, or faketime would leave something behind in /dev/shm.
  const codes = await Promise.all([stop(indexer, 'SIGTERM'), stop(api, 'SIGTERM')])
  t.same(codes, [0, 0], 'until they are told to end')
}

t.test('restarts while the clock is wrong, and when it is right again', { skip }, async (t) => {
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
    staysAsItWas(t, before, await service.list())
  }
  await untilRested(t, service)
  await endsWell(t, service)
})

const times: Record<string, number> = {
  'in a minute': Date.now() / 1000 + 60,
  'next year': Date.now() / 1000 + 365 * 86_400,
  'after 2038': 2 ** 31,
  'after 2106': 2 ** 32,
  'in 2300': Date.UTC(2300, 0) / 1000,
  'in 1970': 0,
  'before 1970': -86_400,
}

t.test('files of times that nobody would believe', async (t) => {
  const folder = testFolder(t)
  const archive = join(folder, 'archive')
  const files = paths(hourDirectory(), Object.keys(times).length)
  const give = (seconds: readonly number[]): void => {
    files.forEach((path, index) => {
      // A date, because numbers below 0 would be taken for now.
      const time = new Date((seconds[index] ?? 0) * 1000)
      utimesSync(join(archive, path), time, time)
    })
  }
  for (const path of files) put(archive, path)
  give(Object.values(times))
  const service = await startService(t, folder, { options: { SWEEP_INTERVAL_SECONDS: '1' } })
  await untilEqual(service)
  await untilRested(t, service)
  const before = await service.list()
  await allAreServed(t, service, files)

  // Each gets the time of another.
  give([...Object.values(times).slice(1), 1])
  await until('all are modified', async () => {
    const now = await service.list()
    return files.every((path) => now.get(path)?.modified !== before.get(path)?.modified)
  })
  await untilRested(t, service)
  await allAreServed(t, service, files)
  await endsWell(t, service)
})

async function allAreServed(t: Test, service: Service, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const answer = await fetch(new URL(`/rinex/data/${path}`, service.url))
    const { mtime } = statSync(join(service.archive, path))
    const told = answer.headers.get('last-modified') ?? ''
    t.equal(answer.status, 200, `a file of ${mtime.toISOString()} is served, as of ${told}`)
    const isFuture = mtime.getTime() > Date.parse(answer.headers.get('date') ?? '')
    t.equal(told === '', isFuture, 'a file of the future has no date')
    await answer.arrayBuffer()
  }
}
