/**
 * A storm of changes on disks with odd habits, while the indexer is stopped and killed: at its end
 * the list equals the tree, and each file has arrived when it did. A storm of some seconds on one
 * disk; with SLOW=1 one of MINUTES (30) on each, where a minute must be enough for the list, and a
 * sweep for each arrival. SEED repeats a storm, DISK runs that whose name contains it.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Habits } from './odd-disk.ts'
import { lacksOddDisk, mountOddDisk, oddDisks } from './odd-disk.ts'
import type { Landing, RandomArrivals } from './random-arrivals.ts'
import { openRandomArrivals } from './random-arrivals.ts'
import type { Service } from './service.ts'
import { percentile, slow, startService, stop, timeoutMs, until } from './service.ts'
import { put } from './tree.ts'

const seed = Number(process.env['SEED'] ?? (slow ? Date.now() % 1_000_000 : 1))
const minutes = Number(process.env['MINUTES'] ?? (slow ? 30 : 0.2))
const wanted = process.env['DISK'] ?? (slow ? '' : 'half a minute behind')
const sweepSeconds = slow ? 60 : 1
/** A sweep and a restart of a busy machine (s). */
const workSeconds = 30
/** Time after which a young file was looked at again (s). */
const secondLookSeconds = 660
/** Time between two steps (ms), at most. */
const longestPauseMs = slow ? 1500 : 120

t.setTimeout(0)
t.jobs = 2

for (const [name, habits] of Object.entries(oddDisks).filter(([each]) => each.includes(wanted)))
  t.test(`after a storm all is there: ${name}, seed ${seed}`, { skip: lacksOddDisk }, (t) =>
    storm(t, habits),
  )

async function storm(t: Test, habits: Habits) {
  const folder = testFolder(t)
  const source = await mountOddDisk(t, folder, habits)
  // An area must not become empty.
  for (const area of ['obs', 'nrt']) put(source, `${area}/2020/001/graz0010.20o.gz`)
  const options = { SWEEP_INTERVAL_SECONDS: String(sweepSeconds) }
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  await until('the catalogue is current', async () => {
    const { body } = await service.get('/rinex/api/network/')
    return (body as { as_of: string | null }).as_of !== null
  })

  const early: string[] = []
  const endMs = performance.now() + minutes * 60_000
  const changes = openRandomArrivals({
    source,
    seed,
    showsReplaced: habits.directoryTimes === undefined,
    hasTime: () => endMs - performance.now() > secondLookSeconds * 1000,
    async onIncomplete(path) {
      if (await isListed(service, path)) early.push(path)
    },
  })
  const outages = await blow(service, changes, endMs)
  let found = ''
  const isEqual = () => (found = difference(service, source)) === ''
  const maxMs = slow ? 60_000 : timeoutMs
  const listMs = await until('the list equals the tree', isEqual, maxMs).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${found.slice(0, 1000)}`, { cause: error })
  })
  t.pass(`the list equals the tree after ${Math.round(listMs)} ms`)
  t.comment(JSON.stringify({ ...changes.counts, outages: outages.length }))
  t.strictSame(early, [], 'nothing is listed before it is complete')
  checkArrivals(t, service, { changes, outages })
  const problems = service.log.filter(({ msg }) => msg === 'degraded')
  t.comment(`problems: ${problems.map(({ problem }) => String(problem)).join('; ')}`)
  const faults = service.log.filter(({ level }) => level === 'fatal')
  t.strictSame(faults, [], 'no process failed')
}

/** A time in which no indexer was running, or not yet ready (ms since 1970). */
interface Outage {
  readonly fromMs: number
  readonly toMs: number
}

/** Changes files and restarts the indexer until the time is over. */
async function blow(service: Service, changes: RandomArrivals, endMs: number): Promise<Outage[]> {
  const { random } = changes
  const outages: Outage[] = []
  let outage: Promise<unknown> | undefined
  const restart = async () => {
    const fromMs = Date.now()
    await stop(service.indexer, random.isTrue(0.5) ? 'SIGKILL' : 'SIGTERM')
    await pause(random.below(slow ? 40_000 : 500))
    service.startIndexer()
    await until('the indexer has swept', async () => (await service.status()).last_sweep !== null)
    outages.push({ fromMs, toMs: Date.now() })
  }
  // A restart about every five minutes, or twice in a short storm.
  const restartMs = slow ? 300_000 : (minutes * 60_000) / 3
  let nextRestartMs = performance.now() + restartMs
  while (performance.now() < endMs) {
    await changes.step()
    await pause(random.below(longestPauseMs))
    if (performance.now() < nextRestartMs) continue
    nextRestartMs += restartMs
    await outage
    outage = restart()
  }
  await outage
  await changes.end()
  return outages
}

async function isListed({ get }: Service, path: string): Promise<boolean> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const { body } = await get(`/rinex/api/rinex-file/?filename=${name}`)
  return (body as { count: number }).count > 0
}

/** The difference between the catalogue and the tree, in paths and sizes; '' if there is none. */
function difference({ database }: Service, source: string): string {
  const files = readRows<{ path: string; size: number }>(
    database,
    `SELECT d.path || '/' || f.name AS path, f.size
    FROM file f JOIN directory d ON d.id = f.directory`,
  )
  const listed = new Set(files.map(({ path, size }) => `${path} ${size}`))
  const there = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.gz') && !path.includes('/.'))
    .map((path) => `${path} ${statSync(join(source, path)).size}`)
  const missing = there.filter((each) => !listed.delete(each))
  if (missing.length + listed.size === 0) return ''
  return `not listed: ${missing.join()}; not in the tree: ${[...listed].join()}`
}

/**
 * Compares the arrivals in the catalogue with the moments at which the files landed. Whatever is
 * there has arrived; what was removed meanwhile may never have been seen.
 */
function checkArrivals(
  t: Test,
  { database }: Service,
  { changes, outages }: { changes: RandomArrivals; outages: readonly Outage[] },
): void {
  const arrivals = readArrivals(database)
  const unseen: Landing[] = []
  const wrong: object[] = []
  const differences: number[] = []
  for (const landing of changes.landings.values()) {
    const at = arrivals.get(slotOf(landing.path))
    if (at === null || (at === undefined && changes.live.has(landing.path))) unseen.push(landing)
    if (at === null || at === undefined) continue
    const late = at - landing.atMs / 1000
    differences.push(late)
    const most = sweepSeconds + workSeconds + outageSeconds(landing, outages)
    if (late < -sweepSeconds - workSeconds || (slow && late > most))
      wrong.push({ ...landing, late, most })
  }
  t.strictSame(unseen, [], 'each file that was found was seen arriving')
  t.strictSame(wrong, [], 'and arrived when it landed')
  const [least, middle, p99, most] = [0, 0.5, 0.99, 1].map((share) =>
    percentile(differences, share),
  )
  t.comment(
    `${differences.length} arrivals, late by (s): ${JSON.stringify({ least, middle, p99, most })}`,
  )
}

/** How long the indexer was away while it could have found a file (s). */
function outageSeconds({ atMs }: Landing, outages: readonly Outage[]): number {
  let dueMs = atMs + (sweepSeconds + workSeconds) * 1000
  for (const { fromMs, toMs } of outages)
    if (fromMs < dueMs && toMs > atMs) dueMs += toMs - Math.max(fromMs, atMs)
  return (dueMs - atMs) / 1000 - sweepSeconds - workSeconds
}

/** The arrival in each slot (s since 1970), null if it was not seen; by slot as in `slotOf`. */
function readArrivals(database: string): Map<string, number | null> {
  interface Row {
    readonly station: string
    readonly period: string
    readonly start: number
    readonly latency: number | null
  }
  const rows = readRows<Row>(
    database,
    `SELECT st.code AS station, se.period, d.data_date AS start, d.latency_s AS latency
    FROM delivery d JOIN series se ON se.id = d.series JOIN station st ON st.id = se.station`,
  )
  const seconds = (period: string): number => (period === '01H' ? 3600 : 86_400)
  return new Map(
    rows.map(({ station, period, start, latency }) => [
      `${station} ${period} ${start}`,
      latency === null ? null : start + seconds(period) + latency,
    ]),
  )
}

function readRows<Row>(database: string, query: string): Row[] {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare(query).all() as Row[]
  } finally {
    db.close()
  }
}

/** `A00000AUT 01H 1769040000` for a file of `pathIn`. */
function slotOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [station = '', , start = '', period = ''] = name.split('_')
  const [year, day, hour] = [start.slice(0, 4), start.slice(4, 7), start.slice(7, 9)].map(Number)
  return `${station} ${period} ${Date.UTC(year ?? 0, 0, day ?? 0, hour ?? 0) / 1000}`
}
