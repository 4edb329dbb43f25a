/**
 * `npm run soak -- [--hours 24] [--speed 60] [--files 1130] [--report FILE]`: simulates a day of an
 * archive, with the faults of `events.ts`. At the end the list equals the tree, mirrors equal the
 * list, the expected alerts and no others have fired, the log has no unexpected errors, and memory
 * and open files are flat. `--speed 720` takes two minutes for a day, too short for alerts. Needs
 * root for its mounts.
 */
import { spawnSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import { openMirror } from '../acceptance/mirror.ts'
import { untilSame } from '../acceptance/mirrored-archive.ts'
import type { Service } from '../acceptance/service.ts'
import { lacksMounts, startService, until, untilEqual } from '../acceptance/service.ts'
import { filesBelow } from '../acceptance/tree.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import type { Day } from './events.ts'
import { events } from './events.ts'
import { openLoad } from './load.ts'
import type { Prometheus } from './prometheus.ts'
import { lacksPrometheus, startPrometheus } from './prometheus.ts'
import { readPages, watchFootprints } from './readers.ts'
import { writeReport } from './report.ts'
import type { Happened } from './verdicts.ts'
import { judge } from './verdicts.ts'

const { values: options } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    speed: { type: 'string', default: '60' },
    files: { type: 'string', default: '1130' },
    report: { type: 'string' },
  },
})
const hours = Number(options.hours)
const speed = Number(options.speed)
const hourMs = 3_600_000 / speed
/** Alerts need real seconds: in a faster day they cannot fire. */
const judgesAlerts = speed <= 60 && lacksPrometheus === false

/** Runs this file again in a mount namespace, which removes its mounts at the end. */
function enterNamespace(): never {
  const [program, ...args] = process.argv as [string, ...string[]]
  const env = { ...process.env, SOAK_MOUNTS: 'own' }
  const { status } = spawnSync('unshare', ['-m', program, ...args], { stdio: 'inherit', env })
  process.exit(status ?? 1)
}

/**
 * Mounts the archive, so that it can be unmounted, and a small disk for the database, so that it
 * can be filled.
 */
function mount(t: Test, folder: string): void {
  for (const name of ['store', 'archive', 'var']) mkdirSync(join(folder, name))
  for (const command of ['mount --bind store archive', 'mount -t tmpfs -o size=320m none var']) {
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: folder })
    if (status !== 0) throw new Error(`${command}: ${stderr.toString()}`)
  }
  t.teardown(() => spawnSync('umount', ['-l', join(folder, 'archive'), join(folder, 'var')]))
}

/** Starts mirrors and readers; they run until the signal, and their errors are collected. */
function startClients(service: Service, signal: AbortSignal) {
  const faults: string[] = []
  const noted = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      faults.push(String(error))
      return undefined
    })
  const [polling, waiting] = [openMirror(service), openMirror(service)]
  const following = [noted(polling.keepUp(signal)), noted(waiting.keepUp(signal, '&wait=10'))]
  const reading = Promise.all([1, 2, 3].map(() => noted(readPages(service, signal))))
  return {
    faults,
    mirrors: [polling, waiting],
    reading,
    footprints: watchFootprints(service, signal),
    ended: Promise.all(following).then(() => undefined),
  }
}

/** Waits until as many files are listed as are in the tree. */
function untilCaughtUp(service: Service): Promise<number> {
  const files = filesBelow(service.archive).length
  return until('all files are listed', async () => (await service.count()) === files)
}

/** Simulates an hour: its deliveries and its event. */
async function runHour(t: Test, day: Day, load: ReturnType<typeof openLoad>, hour: number) {
  const begunMs = Date.now()
  const isSilent = events.some((e) => hour >= e.hour && hour < e.hour + (e.silentHours ?? 0))
  const isPurged = !events.some((e) => e.endsPurges === true && hour >= e.hour)
  if (!isSilent) await load.hour(hour, isPurged)
  const event = events.find((candidate) => candidate.hour === hour)
  const faults: string[] = []
  const noted = (error: unknown) => {
    faults.push(`hour ${hour}: ${String(error)}`)
    return NaN
  }
  await event?.run?.(day).catch(noted)
  const tookMs = await untilCaughtUp(day.service).catch(noted)
  t.same(faults, [], `hour ${hour}: no faults`)
  const endedMs = Date.now()
  t.comment(`hour ${hour}: ${event?.what ?? '-'}; in sync after ${Math.round(tookMs)} ms`)
  const { indexer, api } = day.service
  t.same([indexer.exitCode, api.exitCode], [null, null], `hour ${hour}: both processes run`)
  await pause(Math.max(0, begunMs + hourMs - Date.now()))
  return { event, faults, begunMs, endedMs, tookMs }
}

async function runDay(t: Test, service: Service, load: ReturnType<typeof openLoad>) {
  const happened: Happened[] = []
  const allFaults: string[] = []
  const store = join(service.folder, 'store')
  for (let hour = 0; hour < hours; hour++) {
    const hourDirectories = () => load.hourDirectories(hour)
    const day = { service, store, hourMs, hourDirectories }
    const { event, faults, ...times } = await runHour(t, day, load, hour)
    allFaults.push(...faults)
    if (event !== undefined) happened.push({ event, ...times })
  }
  return { happened, faults: allFaults }
}

/** Prometheus scrapes each API that is started: its port changes. */
function followApi(service: Service, prometheus: Prometheus | undefined): void {
  let scraped = ''
  const timer = setInterval(() => {
    if (service.url.host !== scraped) prometheus?.scrape(service.url)
    scraped = service.url.host
  }, 100)
  t.teardown(() => {
    clearInterval(timer)
  })
}

/** The limits of the heap that the systemd unit of the API sets, as `NODE_OPTIONS=…`. */
function nodeOptionsOfApi(): string {
  const unit = readFileSync('systemd/rinex-catalogue-api.service', 'utf8')
  const [, options] = /^Environment="(NODE_OPTIONS=[^"]+)"$/m.exec(unit) ?? []
  if (options === undefined) throw new Error('the unit of the API sets no NODE_OPTIONS')
  return options
}

async function soak(t: Test): Promise<void> {
  const folder = testFolder(t)
  mount(t, folder)
  const purgeEvery = Math.max(1, Math.ceil(speed / 60))
  const archive = join(folder, 'archive')
  const load = openLoad({ archive, hours, perHour: Number(options.files), purgeEvery })
  const settings = { SWEEP_INTERVAL_SECONDS: String(Math.max(1, Math.round(60 / speed))) }
  const service = await startService(t, folder, {
    options: settings,
    database: 'var/catalogue.db',
    wrapApi: ['env', nodeOptionsOfApi()],
  })
  await until('the first scan ends', service.ready)
  await untilEqual(service)

  const prometheus = judgesAlerts
    ? startPrometheus(t, join(folder, 'prometheus'), speed)
    : undefined
  followApi(service, prometheus)
  const end = new AbortController()
  // Each request of a mirror adds a listener.
  setMaxListeners(0, end.signal)
  t.teardown(() => {
    end.abort()
  })
  const clients = startClients(service, end.signal)
  const begunMs = Date.now()
  const { happened, faults } = await runDay(t, service, load)
  // Before the checks: nothing is delivered during them, and an alert would fire.
  const firings = await prometheus?.end()

  const equalMs = await untilEqual(service).catch((error: unknown) => String(error))
  const { mirrors } = clients
  for (const mirror of mirrors)
    await untilSame(t, service, mirror, clients.ended).catch((error: unknown) => {
      clients.faults.push(String(error))
    })
  const files = await service.count()
  const endedMs = Date.now()
  end.abort()
  await clients.ended
  const results = {
    hours,
    speed,
    begunMs,
    endedMs,
    happened,
    files,
    equalMs,
    mirrors,
    eventFaults: faults,
    faults: clients.faults,
    log: service.log,
    load: load.counts,
    readers: (await clients.reading).filter((reader) => reader !== undefined),
    footprints: await clients.footprints,
    firings,
  }
  const verdicts = judge(results)
  for (const { what, holds, seen } of verdicts) t.ok(holds, `${what}: ${seen}`)
  const report = await writeReport(results, verdicts)
  if (options.report === undefined) t.comment(report)
  else writeFileSync(options.report, report)
}

if (lacksMounts === false && process.env['SOAK_MOUNTS'] === undefined) enterNamespace()
t.setTimeout(0)
t.test(
  `all verdicts hold after ${hours} simulated hours at ${speed} × speed`,
  { skip: lacksMounts },
  soak,
)
