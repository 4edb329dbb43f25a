/**
 * The indexer: brings the catalogue up to date with the tree and keeps it up to date. File events, sweeps and timers only mark
 * directories dirty, scans walk the tree, and the request `register` names one directory; the reconcile loop compares all these
 * directories with the catalogue.
 */
import type { ScanSummary } from '../catalogue/records.ts'
import type {
  IndexerStatus,
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  RescanOutcome,
  SettlingFile,
} from '../control-socket/protocol.ts'
import { openAcceptance } from './acceptance.ts'
import { IndexerMetrics } from './state/metrics.ts'
import { openFileFaults, openHealth } from './state/health.ts'
import { openHeartbeat } from './state/heartbeat.ts'
import { openDirtyDirectories } from './state/dirty-directories.ts'
import { openWatchController } from './watch-controller.ts'
import type { WatchWindow } from './watch-controller.ts'
import { openDeletionGuard, loadPersistedRemovals } from './state/deletion-guard.ts'
import type { HashClient } from './checksums/hash-client.ts'
import { openChecksumSchedule } from './checksums/checksum-schedule.ts'
import { isUnknownPath, openKnownDirectories } from './state/known-directories.ts'
import { openRegister } from './register.ts'
import { openRescans, openScans } from './scans.ts'
import { openSchedule } from './schedule.ts'
import type { ScheduleDeps } from './schedule.ts'
import { openSettling } from './state/settling.ts'
import { startReconcileLoop } from './reconcile-loop.ts'

export interface IndexerDeps extends Omit<
  ScheduleDeps,
  'dirty' | 'known' | 'health' | 'beat' | 'metrics' | 'reconcileLoop'
> {
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly window: WatchWindow
  /** The client of the hash process, and whether old files are hashed as well; `undefined` if no checksums are computed. */
  readonly checksums?: { readonly hashClient: HashClient; readonly all: boolean } | undefined
  readonly version: string
}

export interface CaughtUp {
  /** The last complete scan. */
  readonly scan: ScanSummary
  /** True if the scan ran now; false if an earlier process made it. */
  readonly now: boolean
}

export interface Indexer {
  /**
   * Brings the catalogue up to date: scans the archive if no complete scan is stored or `scan` is true, otherwise sweeps it,
   * which compares stamps. If a scan cannot read the archive or write all changes, scans again if `patient` is true, otherwise
   * fails.
   * @throws IncompleteScan if a scan fails and `patient` is false
   */
  catchUp(options: { readonly scan: boolean; readonly patient: boolean }): Promise<CaughtUp>
  /** Watches the tree: reacts to file events from now on, and runs the schedule from the end of `catchUp` on. */
  watch(): void
  rescan(order: RescanOrder): Promise<RescanAnswer>
  /** Returns what a rescan has changed; `undefined` while it has not ended, or long after it. */
  rescanOutcome(number: number): RescanOutcome | undefined
  /** Reads one file now, given by its path below the archive root. */
  register(path: string): Promise<RegisterAnswer>
  status(): IndexerStatus
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Returns the files that are not complete yet, at most 1,000. Files that are unchanged for the longest time come first. */
  settlingFiles(): readonly SettlingFile[]
  /** Finishes the current directory and makes a checkpoint of the database. */
  close(): Promise<void>
}

/** Maximum number of settling files that are listed by name, because a disk that hangs may leave any number of them. */
const mostSettling = 1000

type Parts = Awaited<ReturnType<typeof openParts>>

export async function startIndexer(deps: IndexerDeps): Promise<Indexer> {
  const parts = await openParts(deps)
  const { tree, known, health, metrics, schedule, hashing, rescans } = parts
  const { watchController, reconcileLoop } = parts
  /** The wall-clock time at which the steady clock was 0. */
  const steadyZeroUs = deps.nowUs() - performance.now() * 1000
  let watching = false
  let caughtUp = false
  const startSchedules = (): void => {
    schedule.start()
    hashing?.start()
  }
  return {
    async catchUp(options) {
      const { lastScan } = parts
      const now = lastScan === undefined || options.scan
      const scan = now ? await parts.scans.scanAll(options.patient) : lastScan
      if (!now) await schedule.sweepNow()
      health.enter('watching')
      caughtUp = true
      if (watching) startSchedules()
      return { scan, now }
    },
    watch() {
      watching = true
      watchController.start()
      if (caughtUp) startSchedules()
    },
    async rescan(order) {
      const { path } = order
      if (path !== undefined && (await isUnknownPath(path, { tree, known })))
        return { place: 'missing' }
      return rescans.order(order)
    },
    rescanOutcome: (number) => rescans.outcome(number),
    register: openRegister(parts),
    status: () => statusOf(parts),
    metrics: () => metrics.text(statusOf(parts)),
    settlingFiles: () =>
      parts.settling.list(mostSettling).map(({ path, readable, sinceMs }) => ({
        path,
        reason: readable ? 'no-end-yet' : 'unreadable',
        sinceUs: Math.round(steadyZeroUs + sinceMs * 1000),
      })),
    async close() {
      schedule.close()
      await hashing?.close()
      await watchController.close()
      await reconcileLoop.close()
      await tree.close()
      metrics.close()
      await deps.writer.checkpoint()
    },
  }
}

/** Creates the parts and connects them; each is described in its own file. */
async function openParts(deps: IndexerDeps) {
  const { writer, tree, nowUs } = deps
  const { lastScan } = await writer.summary()
  const health = openHealth({ ...deps, lastScan })
  const metrics = new IndexerMetrics(deps.nowUs)
  const dirty = openDirtyDirectories()
  const directories = await writer.directories()
  const known = openKnownDirectories(directories.map(({ path }) => path))
  const settling = openSettling()
  const persisted = await loadPersistedRemovals({ writer, directories, nowUs })
  const deletionGuard = openDeletionGuard(persisted)
  const logFault = openFileFaults(deps.logger)
  const acceptance = openAcceptance({
    ...{ writer, tree, settling, deletionGuard, health, logFault, nowUs },
  })
  const heartbeat = openHeartbeat({ ...deps, health })
  const shared = { ...deps, dirty, known, health, metrics, beat: heartbeat.beat }
  const watchController = openWatchController(shared)
  const reconcileLoop = startReconcileLoop({
    ...shared,
    accept: acceptance.accept,
    onDirectory: watchController.update,
    onReconciled: watchController.rest,
    onFlushed: deletionGuard.confirmWritten,
    isFollowing: heartbeat.isFollowing,
    onAreaRestored() {
      heartbeat.interrupted()
      watchController.restart()
      schedule.sweepSoon()
    },
  })
  const schedule = openSchedule({ ...shared, reconcileLoop })
  const scans = openScans({ ...shared, reconcileLoop })
  const rescans = openRescans({
    ...{ ...deps, scan: scans.scan, acceptRemovals: deletionGuard.permitWithheld },
  })
  const hashing =
    deps.checksums &&
    openChecksumSchedule({
      ...{ ...deps, ...deps.checksums, logFault },
      reportProblem: (message) => health.report('checksums', message),
      isBusy: () =>
        reconcileLoop.scanning !== undefined ||
        (dirty.nextDueMs() ?? Infinity) <= performance.now(),
    })
  return {
    ...{ writer, tree, known, lastScan, dirty, settling, deletionGuard, health, metrics },
    ...{ watchController, reconcileLoop, schedule, scans, rescans, hashing },
  }
}

function statusOf(parts: Parts): IndexerStatus {
  const withheld = [...parts.deletionGuard.withheld().values()]
  return parts.health.status({
    scan: parts.reconcileLoop.scanning?.progress(),
    dirtyDirectories: parts.dirty.size,
    watching: parts.watchController.status(),
    settlingFiles: parts.settling.size,
    withheldRemovals: withheld.reduce((sum, count) => sum + count, 0),
    rescans: parts.rescans.numbers,
    hashing: parts.hashing?.status(),
  })
}
