/** The events of the simulated day, with the alerts and errors that they must or may cause. */
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { restarts } from '../acceptance/mirrored-archive.ts'
import type { Service } from '../acceptance/service.ts'
import { stop, until, untilReported } from '../acceptance/service.ts'
import { programLine } from '../program.ts'

export interface Day {
  readonly service: Service
  /**
   * The archive on its disk: files can be moved out of this directory, but not out of the mounted
   * archive.
   */
  readonly store: string
  /** Length of a simulated hour (ms). */
  readonly hourMs: number
  /** Existing directories of `nrt/`, oldest first. */
  readonly hourDirectories: () => readonly string[]
}

export interface Event {
  readonly hour: number
  readonly what: string
  /** Alerts that must fire. */
  readonly fires?: readonly string[]
  /** Other alerts that may fire. */
  readonly mayFire?: readonly string[]
  /** Errors in the log that it causes. */
  readonly errors?: RegExp
  /** Ends the purges, because the deletion guard adds up all removals of ten real minutes. */
  readonly endsPurges?: true
  /** Number of hours without deliveries, starting with this one. */
  readonly silentHours?: number
  readonly run?: (day: Day) => Promise<void>
}

/** Half a simulated hour; at least 30 seconds if alerts are judged, so that they can fire. */
const waitForAlerts = ({ hourMs }: Day) => pause(Math.max(hourMs / 2, hourMs < 60_000 ? 0 : 30_000))

/**
 * On a busy machine a start takes longer than these alerts wait, because they wait for a real time
 * divided by the speed.
 */
const slowStart = ['RinexApiDown', 'RinexIndexerDown']

export const events: readonly Event[] = [
  {
    hour: 1,
    what: 'the API is restarted',
    mayFire: slowStart,
    run: at('the API is restarted'),
  },
  {
    hour: 3,
    what: 'the indexer is killed',
    mayFire: slowStart,
    run: at('the indexer is killed'),
  },
  { hour: 4, what: 'the API is killed', mayFire: slowStart, run: at('the API is killed') },
  { hour: 5, what: 'a rescan of all sizes and times', run: rescan },
  { hour: 6, what: 'both processes are killed', mayFire: slowStart, run: at('both are killed') },
  {
    hour: 7,
    what: 'the disk of the archive is unmounted',
    fires: ['RinexIndexerDegraded'],
    mayFire: ['RinexSweepOld', 'RinexApiErrors', 'RinexFilesNotServed'],
    errors: /degraded/,
    run: unmount,
  },
  {
    hour: 9,
    what: 'the disk of the database is full',
    fires: ['RinexIndexerDegraded', 'RinexDiskNearlyFull'],
    // Readers request the files that this event moves away.
    mayFire: ['RinexSweepOld', 'RinexFilesNotServed'],
    errors: /degraded/,
    run: fillDisk,
  },
  {
    hour: 10,
    what: 'the indexer is stopped for half an hour',
    fires: ['RinexIndexerDown'],
    run: stopIndexer,
  },
  { hour: 11, what: 'the API is stopped for half an hour', fires: ['RinexApiDown'], run: stopApi },
  {
    hour: 13,
    what: 'the indexer is killed six times',
    fires: ['RinexIndexerRestarts'],
    mayFire: slowStart,
    run: killRepeatedly,
  },
  {
    hour: 14,
    what: 'the files of twenty hours are moved away and back',
    fires: ['RinexRemovalsWithheld', 'RinexIndexerDegraded'],
    mayFire: ['RinexApiErrors', 'RinexFilesNotServed'],
    errors: /degraded/,
    endsPurges: true,
    run: loseHours,
  },
  {
    hour: 16,
    what: 'nothing is delivered for three hours',
    fires: ['RinexNoHourlyArrivals'],
    silentHours: 3,
  },
]

function at(what: keyof typeof restarts): (day: Day) => Promise<void> {
  return ({ service }) => restarts[what](service)
}

/** Runs a shell command in the folder of the service. */
function shell({ service }: Day, command: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: service.folder })
  if (status !== 0) throw new Error(`${command}: ${stderr.toString()}`)
}

async function rescan({ service }: Day): Promise<void> {
  const database = ['--database', 'var/catalogue.db']
  const [program, args] = programLine(['rescan', '--wait', ...database])
  await promisify(execFile)(program, args, { cwd: service.folder })
}

async function unmount(day: Day): Promise<void> {
  shell(day, 'umount --lazy archive')
  await untilReported(day.service, /contains no readable|lost/)
  await waitForAlerts(day)
  shell(day, 'mount --bind store archive')
}

async function fillDisk(day: Day): Promise<void> {
  await emptyWal(day.service.database)
  shell(day, 'cat /dev/zero > var/filler 2> /dev/null || true')
  // Without a change the indexer would not write.
  const [directory = ''] = day.hourDirectories().slice(-1)
  const aside = join(day.service.folder, 'aside')
  renameSync(join(day.store, directory), aside)
  await untilReported(day.service, /cannot be written/)
  await waitForAlerts(day)
  rmSync(join(day.service.folder, 'var/filler'))
  renameSync(aside, join(day.store, directory))
}

/** Otherwise the next changes fit in the space that the WAL has already. */
async function emptyWal(database: string): Promise<void> {
  const db = new Sqlite(database)
  try {
    const isBusy = () => db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0
    await until('the WAL is empty', () => !isBusy())
  } finally {
    db.close()
  }
}

async function stopIndexer(day: Day): Promise<void> {
  await stop(day.service.indexer, 'SIGTERM')
  await waitForAlerts(day)
  day.service.startIndexer()
}

async function stopApi(day: Day): Promise<void> {
  await stop(day.service.api, 'SIGTERM')
  await waitForAlerts(day)
  await day.service.startApi()
}

async function killRepeatedly({ service, hourMs }: Day): Promise<void> {
  for (let times = 0; times < 6; times++) {
    service.indexer.kill('SIGKILL')
    await once(service.indexer, 'exit')
    service.startIndexer()
    await until('the indexer answers', async () => (await service.status()).state !== 'stopped')
    await pause(hourMs / 60)
  }
}

async function loseHours(day: Day): Promise<void> {
  const { store, service } = day
  const lost = day.hourDirectories().slice(20, 40)
  const aside = join(service.folder, 'aside')
  mkdirSync(aside)
  const place = (n: number) => join(aside, String(n))
  for (const [n, directory] of lost.entries()) renameSync(join(store, directory), place(n))
  await untilReported(day.service, /withheld/)
  await waitForAlerts(day)
  for (const [n, directory] of lost.entries()) renameSync(place(n), join(store, directory))
  rmSync(aside, { recursive: true })
}
