/**
 * The timers of the indexer. They mark directories dirty, run the sweeps and the maintenance, and check that the disk answers.
 */
import { areas } from '../parse/archive-path.ts'
import type { IndexerMetrics } from './state/metrics.ts'
import type { Health } from './state/health.ts'
import type { KnownDirectories } from './state/known-directories.ts'
import { openMaintenance } from './maintenance.ts'
import type { MaintenanceDeps } from './maintenance.ts'
import { openSweeps } from './sweeps.ts'
import type { SweepDeps } from './sweeps.ts'
import type { ReadDepth } from './tree/directory-snapshot.ts'

/** Time between two reads of the areas, so that a disk that hangs is noticed even without other reads. */
const areasMs = 2000
/**
 * Time without progress of the tree worker after which the disk counts as hanging. With `areasMs` and `progressMs`, a hanging
 * disk is noticed within ten seconds.
 */
const hangingMs = 6000
/** Time between two checks of the tree worker's progress. */
const progressMs = 1000

export interface ScheduleDeps extends SweepDeps, MaintenanceDeps {
  readonly known: KnownDirectories
  readonly health: Health
  readonly metrics: Pick<IndexerMetrics, 'fullyRead' | 'backedUp'>
  /** Time in which the rolling rescan reads every directory of the tree once. */
  readonly fullReadMs: number
}

/**
 * The periodic tasks: reads of the areas (`obs`, `nrt`) every two seconds, sweeps (see `sweeps.ts`), the rolling rescan, purges
 * once an hour, and backups. By default, sweeps follow each other about every minute, the rolling rescan reads the sizes and
 * times of all files within a day, and a backup is made once a day. In a directory without a watch, an overwrite of a file in
 * place is found only when sizes and times are read: by the rolling rescan, by `rescan --full` (if the directory is not cold, by
 * any rescan), by the request `register`, or after another change in the directory.
 */
export interface Schedule {
  start(): void
  /**
   * Sweeps now; resolves when the directories that differ are reconciled.
   * @returns the number of directories that differed in this sweep, but not in the sweep before
   */
  sweepNow(): Promise<number>
  /** Starts a sweep without waiting for it. */
  sweepSoon(): void
  close(): void
}

export function openSchedule(deps: ScheduleDeps): Schedule {
  const { tree, dirty, known, health } = deps
  const timers: NodeJS.Timeout[] = []
  let closing = false
  const onFailure = (error: unknown): void => {
    if (!closing) deps.onFailure(error)
  }
  const sweeps = openSweeps({ ...deps, onFailure })
  const maintenance = openMaintenance({ ...deps, onFailure })
  const markDirty = (path: string, depth: ReadDepth): void => {
    dirty.add({ path, depth, arrived: false }, performance.now())
  }
  const checkForHangingDisk = (): void => {
    if (closing) return
    const hangs = tree.waitingMs() > hangingMs
    health.report(
      'tree',
      hangs ? `the disk of the archive has not answered for ${hangingMs / 1000} s` : undefined,
    )
  }
  // This check runs already before `start`, because the disk may hang during the first scan.
  timers.push(setInterval(checkForHangingDisk, progressMs).unref())
  // An area that did not exist may appear; it has no parent directory whose stamp shows this.
  const readAreas = (): void => {
    for (const area of areas) markDirty(area, 'auto')
  }
  const nextInRescan = openRollingRescan(known, () => {
    deps.metrics.fullyRead()
  })
  const rescanNext = (): void => {
    for (let count = perSecond(known.size, deps.fullReadMs); count > 0; count--) {
      const path = nextInRescan()
      if (path !== undefined) markDirty(path, 'facts')
    }
  }
  return {
    start() {
      sweeps.start()
      maintenance.start()
      timers.push(setInterval(readAreas, areasMs), setInterval(rescanNext, 1000))
    },
    sweepNow: sweeps.sweepNow,
    sweepSoon() {
      sweeps.sweepNow().catch(onFailure)
    },
    close() {
      closing = true
      sweeps.close()
      maintenance.close()
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/**
 * Returns a function that returns the known directories one after the other, newest date first; `undefined` if no directory is
 * known. After the last directory, the function starts again.
 */
function openRollingRescan(
  known: KnownDirectories,
  onRoundEnd: () => void,
): () => string | undefined {
  let remaining: string[] = []
  let running = false
  return () => {
    if (remaining.length === 0) {
      if (running) onRoundEnd()
      remaining = known.all().sort((a, b) => (a.slice(4) < b.slice(4) ? -1 : 1))
      running = remaining.length > 0
    }
    return remaining.pop()
  }
}

/**
 * Returns the number of directories to read in this second. It varies at random around the mean, and is mostly 0 in a small tree.
 */
function perSecond(directories: number, periodMs: number): number {
  const rate = (directories * 1000) / periodMs
  return Math.floor(rate) + (Math.random() < rate % 1 ? 1 : 0)
}
