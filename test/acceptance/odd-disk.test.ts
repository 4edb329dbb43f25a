/**
 * Disks whose times, inodes and missing file events tell little: all that lands is listed when it
 * is complete, counts as arrived, and nothing else changes.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Habits } from './odd-disk.ts'
import { lacksOddDisk, mountOddDisk, oddDisks } from './odd-disk.ts'
import type { Listed, Service } from './service.ts'
import {
  directoriesWithoutStamp,
  slow,
  startService,
  stop,
  timeoutMs,
  until,
  untilEqual,
  untilReported,
} from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, put } from './tree.ts'

/** `undefined` is a local disk. */
const disks: Readonly<Record<string, Habits | undefined>> = {
  'a local disk': undefined,
  ...oddDisks,
}

t.setTimeout(0)
// Tests that mostly wait, each with a service of its own.
t.jobs = 4

const complete = gzipSync('x')
const [half, rest] = [complete.subarray(0, 12), complete.subarray(12)]
const hour = hourDirectory
const old = 'obs/2020/001'
const yesterday = dayDirectory(1)
/** A file that is being written during the first scan. */
const begun = pathIn(hour(3), 9)

const wanted = process.env['DISK'] ?? ''

for (const [name, habits] of Object.entries(disks).filter(([each]) => each.includes(wanted))) {
  const skip = habits === undefined ? false : lacksOddDisk
  t.test(habits === undefined ? name : `a disk with ${name}`, { skip }, async (t) => {
    const disk = await openDisk(t, habits)
    await t.test('what lands is listed, and has arrived', (t) => landing(t, disk))
    await t.test('a file is listed when it is complete', (t) => halfWritten(t, disk))
    await t.test('removed files go', (t) => removals(t, disk))
    await t.test('files arrive while the indexer restarts, others are restored', (t) =>
      restart(t, disk),
    )
    if (habits === undefined || slow)
      await t.test('a listed file that grows is modified', (t) => growth(t, disk))
    await checkEnd(t, disk)
  })
}

type Disk = Awaited<ReturnType<typeof openDisk>>

/** A service on a disk, after its first scan and a sweep. */
async function openDisk(t: Test, habits: Habits | undefined) {
  const folder = testFolder(t)
  const source =
    habits === undefined ? join(folder, 'archive') : await mountOddDisk(t, folder, habits)
  for (const directory of [old, hour(1), hour(2), hour(3), yesterday])
    put(source, pathIn(directory, 0))
  put(source, begun, half)
  const options = { SWEEP_INTERVAL_SECONDS: '1' }
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  const disk = { service, source, habits }
  await sweeps(disk, 1)
  // Only directories whose names and times are known can show that these tell nothing. That of the
  // half file has no stamp.
  if (habits?.directoryTimes !== undefined)
    await until('all other stamps are sure', () => directoriesWithoutStamp(service) === 1)
  return disk
}

async function landing(t: Test, disk: Disk) {
  const { service, source, habits } = disk
  const { as_of: before } = await network(service)
  t.match(await network(service), { arrivals_1h: 0, verdict: { newest_file: null } })
  t.notOk((await service.list()).has(begun), 'half a file is not listed by the first scan')
  appendFileSync(join(source, begun), rest)
  // The hour that runs now has not ended.
  const seen = [pathIn(hour(0), 1), ...[1, 2, 3].map((n) => pathIn(hour(1), n)), pathIn(hour(2), 1)]
  for (const path of seen) arrive(source, path)
  for (const path of [pathIn(old, 1), pathIn('obs/2020/002', 1), pathIn(dayDirectory(), 1)])
    arrive(source, path)
  await untilEqual(service)
  seen.push(...(await checkTicks(disk)))
  const to = Math.ceil(Date.now() / 1000)
  await checkArrivals(t, disk, { paths: seen, from: seconds(before), to })
  if (habits === undefined || Object.keys(habits).length === 0)
    await checkArrivals(t, disk, { paths: seen, exactly: true })
  await until('all have arrived', async () => {
    const { arrivals_1h: count, verdict } = await network(service)
    const newest = seconds(verdict.newest_file)
    // And the daily file of today, whose day has not ended.
    return count === seen.length + 1 && newest >= seconds(before) && newest <= to
  })
}

/**
 * The last file of a burst leaves the times of its directory as they are, if these are coarse.
 * @returns the files with an hour
 */
async function checkTicks(disk: Disk): Promise<string[]> {
  const { service, source, habits } = disk
  const tickMs = (habits?.tickNs ?? 0) / 1e6
  const paths = [hour(2), old].map((directory) => [pathIn(directory, 40), pathIn(directory, 41)])
  for (const files of paths) {
    if (tickMs > 100) await until('a tick begins', () => Date.now() % tickMs < 100)
    for (const path of files) {
      arrive(source, path)
      await untilListed(service, path)
    }
  }
  return paths[0] ?? []
}

async function halfWritten(t: Test, disk: Disk) {
  const { service, source } = disk
  const path = pathIn(hour(1), 20)
  put(source, path, half)
  await sweeps(disk, 2)
  t.notOk((await service.list()).has(path), 'half of it is not listed')
  appendFileSync(join(source, path), rest)
  await untilListed(service, path)
  const { created, modified } = (await service.list()).get(path) as Listed
  t.equal(modified, created, 'and all of it at once')
}

/** Without file events a file is looked at again ten minutes after it was listed. */
async function growth(t: Test, { service, source }: Disk) {
  const path = pathIn(hour(1), 1)
  const { seq } = await service.status()
  appendFileSync(join(source, path), complete)
  const hasGrown = async () => (await changesSince(service, seq)).length > 0
  await until('it has grown', hasGrown, slow ? 700_000 : timeoutMs)
  t.strictSame(await changesSince(service, seq), ['modified'], 'only this file')
}

async function removals(t: Test, disk: Disk) {
  const { service, source } = disk
  const { seq } = await service.status()
  for (const path of [pathIn(old, 0), pathIn(hour(2), 0)]) rmSync(join(source, path))
  rmSync(join(source, 'obs/2020/002'), { recursive: true })
  await untilEqual(service)
  t.strictSame(
    await changesSince(service, seq),
    ['removed', 'removed', 'removed'],
    'and nothing else',
  )
}

async function restart(t: Test, disk: Disk) {
  const { service, source } = disk
  const { as_of: before } = await network(service)
  const { seq } = await service.status()
  await stop(service.indexer, 'SIGTERM')
  const during = pathIn(hour(1), 30)
  arrive(source, during)
  restore(source)
  service.startIndexer()
  await untilListed(service, during)
  const after = pathIn(hour(1), 31)
  arrive(source, after)
  await untilListed(service, after)
  await sweeps(disk, 2)
  const now = Math.ceil(Date.now() / 1000)
  await checkArrivals(t, disk, { paths: [during, after], from: seconds(before), to: now })
  t.strictSame(await changesSince(service, seq), ['created', 'created'], 'nothing is modified')
}

/** Puts all files back from a copy, whose times are whole seconds. */
function restore(source: string): void {
  const copy = 'tar -cf - obs nrt | tar -xf -'
  const { status } = spawnSync('sh', ['-c', copy], { cwd: source })
  if (status !== 0) throw new Error('tar has failed')
}

async function checkEnd(t: Test, { service, habits }: Disk) {
  // Times that are kept in memory may look as if they stood still for a moment.
  if (habits?.directoryTimes === undefined)
    await until('no problem', async () => (await service.status()).state === 'watching')
  else await untilReported(service, /directories (keep their times|stand still)/)
  const faults = service.log.filter(({ level }) => level === 'fatal')
  t.strictSame(faults, [], 'no process failed')
  t.strictSame(
    await Promise.all([stop(service.indexer, 'SIGTERM'), stop(service.api, 'SIGTERM')]),
    [0, 0],
    'both end on SIGTERM',
  )
}

/** Waits until so many sweeps have begun and ended from now on. */
async function sweeps({ service }: Pick<Disk, 'service'>, count: number) {
  // The sweep that runs now began earlier.
  for (let n = 0; n <= count; n++) {
    const { last_sweep: last } = await service.status()
    await until('a sweep has ended', async () => (await service.status()).last_sweep !== last)
  }
}

async function untilListed(service: Service, path: string) {
  await until(`${path} is listed`, async () => (await service.list()).has(path))
}

interface Network {
  readonly as_of: string
  readonly arrivals_1h: number
  readonly verdict: { readonly newest_file: string | null }
}

const network = async ({ get }: Service) => (await get('/rinex/api/network/')).body as Network

const seconds = (time: string | null): number => Date.parse(time ?? '') / 1000

interface Arrived {
  readonly paths: readonly string[]
  readonly from?: number
  readonly to?: number
  readonly exactly?: boolean
}

/**
 * Checks that files were seen arriving, between two times or exactly when they were written (s
 * since 1970).
 */
async function checkArrivals(t: Test, disk: Disk, { paths, exactly = false, from, to }: Arrived) {
  const { service, source } = disk
  type Row = { readonly station: string; readonly last_arrival: string | null }
  type Answer = { readonly results: readonly Row[] }
  const { body } = await service.get('/rinex/api/series/?period=01H&limit=1000')
  const arrivals = new Map(
    (body as Answer).results.map(({ station, last_arrival: at }) => [station, seconds(at)]),
  )
  for (const path of paths) {
    const at = arrivals.get(path.slice(path.lastIndexOf('/') + 1).slice(0, 9)) ?? NaN
    if (exactly) {
      const written = Math.floor(statSync(join(source, path)).mtimeMs / 1000)
      t.equal(at, written, `${path} arrived when it was written`)
    } else if (from !== undefined && to !== undefined)
      t.ok(at >= from && at <= to, `${path} arrived`, { found: { at, from, to } })
  }
}

/** The kinds of all changes after a number. */
async function changesSince({ get }: Service, seq: number): Promise<string[]> {
  const { body } = await get(`/rinex/api/changes/?since=${seq}&limit=1000`)
  return (body as { results: { change: string }[] }).results.map(({ change }) => change)
}
