/**
 * The indexer: catches up with the tree, then follows it. Whatever notices a change — a file event, a sweep, an
 * administrator — only marks a directory dirty; reconciling the directory brings the catalogue up to date.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ScanSummary } from '../catalogue/records.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type {
  IndexerStatus,
  RegisterAnswer,
  RescanAnswer,
  RescanOrder,
  SettlingFile,
} from '../control/protocol.ts'
import { areas } from '../parse/archive-path.ts'
import { isUnknownPath } from './missing-directory.ts'
import { openAcceptance } from './acceptance.ts'
import { openHealth } from './health.ts'
import { openDirtyDirectories } from './dirty-directories.ts'
import { openWatchController } from './watch-controller.ts'
import { openDeletionGuard, loadPersistedRemovals } from './deletion-guard.ts'
import type { HashClient } from './checksums/hash-client.ts'
import { openChecksumSchedule } from './checksums/checksum-schedule.ts'
import type { WatchWindow } from './watch-window.ts'
import { openKnownDirectories } from './known-directories.ts'
import { openRegister } from './register.ts'
import { openRescans } from './rescan.ts'
import { openSchedule } from './schedule.ts'
import { openSettling } from './settling.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import { startReconcileLoop } from './reconcile-loop.ts'
import type { ScanResult } from './reconcile-loop.ts'

export interface IndexerDeps {
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  /** Absolute path of the archive root. */
  readonly archive: string
  readonly logger: Logger
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  readonly sweepIntervalMs: number
  readonly fullReadMs: number
  /** How long removed files are remembered. */
  readonly keepRemovalsMs: number
  /** Time between two backups; 0 for none. */
  readonly backupIntervalMs: number
  readonly window: WatchWindow
  /** What reads files for their checksums, and whether it reads old ones too; none where there are to be no checksums. */
  readonly checksums?: { readonly hashClient: HashClient; readonly all: boolean } | undefined
  readonly version: string
}

export interface CaughtUp {
  /** The last complete scan. */
  readonly scan: ScanSummary
  /** Whether that was now, or is remembered from an earlier process. */
  readonly now: boolean
}

export interface Indexer {
  /**
   * Catches up with the tree: reads all names when no complete scan is remembered or `scan` asks for it, else
   * compares stamps. Where there is no archive to read it waits for one when it is
   * `patient`, and fails otherwise.
   */
  catchUp(options: { readonly scan: boolean; readonly patient: boolean }): Promise<CaughtUp>
  /** Follows the tree: by file events at once, and by rounds from when it has been caught up with. */
  watch(): void
  rescan(order: RescanOrder): Promise<RescanAnswer>
  /** Looks at one file now, given by its path below the archive root. */
  register(path: string): Promise<RegisterAnswer>
  status(): IndexerStatus
  /** Files that are not complete yet, those that are as they are for longest first, at most 1,000. */
  settlingFiles(): readonly SettlingFile[]
  /** Finishes the directory in hand and brings the database up to date. */
  close(): Promise<void>
  /** Rejects when the indexer cannot go on. */
  readonly broken: Promise<never>
}

/** A scan that could not be what it should; the message says what to do. */
export class IncompleteScan extends Error {
  readonly code = 'INCOMPLETE_SCAN'
}

/** An archive that is not there yet is looked for again after this time. */
const retryMs = 5000
/** Files that are told of by name; a disk that hangs may leave any number without their ends. */
const mostSettling = 1000

/** Puts the parts together. What each does is told in its own file. */
export async function startIndexer(deps: IndexerDeps): Promise<Indexer> {
  const { writer, tree, logger, nowUs } = deps
  const earlier = (await writer.summary()).lastScan
  /** When the steady clock began, by the wall clock. */
  const steadyZeroUs = nowUs() - performance.now() * 1000
  const health = openHealth({ ...deps, lastScan: earlier })
  const dirty = openDirtyDirectories()
  const directories = await writer.directories()
  const known = openKnownDirectories(directories.map(({ path }) => path))
  const settling = openSettling()
  const deletionGuard = openDeletionGuard(
    await loadPersistedRemovals({ writer, directories, nowUs }),
  )
  const watchController = openWatchController({
    ...deps,
    dirty,
    known,
    health,
    wake: () => {
      reconcileLoop.wake()
    },
  })
  const acceptance = openAcceptance({ writer, tree, settling, deletionGuard, health, nowUs })
  const reconcileLoop = startReconcileLoop({
    ...{ writer, tree, dirty, known, health, nowUs },
    accept: (snapshot, change) => acceptance.accept(snapshot, change),
    onDirectory(path, isKnown, identity) {
      watchController.note(path, isKnown, identity)
    },
    onReconciled(path, costMs) {
      watchController.rest(path, costMs)
    },
    onFlushed(unwritten) {
      deletionGuard.settle(unwritten)
    },
    onAreaBack() {
      watchController.renew()
      schedule.sweepSoon()
    },
  })
  const schedule = openSchedule({ ...deps, dirty, known, health, reconcileLoop })
  const isBusy = (): boolean =>
    reconcileLoop.scanning !== undefined || (dirty.nextDueMs() ?? Infinity) <= performance.now()
  const hashing =
    deps.checksums &&
    openChecksumSchedule({
      ...deps,
      ...deps.checksums,
      reportProblem: (message) => health.report('checksums', message),
      isBusy,
    })
  const startRounds = (): void => {
    schedule.start()
    hashing?.start()
  }
  let fail: (error: unknown) => void
  let watching = false
  let current = false
  const scanBroken = new Promise<never>((_resolve, reject) => (fail = reject))

  const scanNow = async (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    health.enter('scanning')
    const result = await reconcileLoop.scan(roots, full ? 'facts' : 'auto')
    if (isComplete(result) && areas.every((area) => roots.includes(area))) {
      health.scanned(result.summary)
      await writer.scanned(result.summary).catch((error: unknown) => {
        // What the scan found is tried again until it can be written; the next start then scans anew.
        logger.error({ err: error }, 'the scan cannot be remembered')
      })
    }
    health.enter('watching')
    return result
  }
  let lastScan: Promise<unknown> = Promise.resolve()
  /** One scan at a time. */
  const scan = (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    const next = lastScan.then(() => scanNow(roots, full))
    lastScan = next.catch(() => undefined)
    return next
  }
  const scanAll = async (patient: boolean): Promise<ScanSummary> => {
    for (;;) {
      const result = await scan(areas, false)
      const fault = result.archiveRead
        ? 'not all that was found could be written'
        : `${deps.archive} holds neither obs/ nor nrt/ that can be read: mount the archive, or configure where it is`
      health.report('archive', isComplete(result) ? undefined : fault)
      if (isComplete(result)) return result.summary
      if (!patient) throw new IncompleteScan(fault)
      await delay(retryMs, undefined, { ref: false })
    }
  }
  const rescans = openRescans({
    scan,
    acceptRemovals: (roots) => {
      deletionGuard.accept(roots)
    },
    onError: (error) => {
      fail(error)
    },
  })
  return {
    async catchUp(options) {
      const now = earlier === undefined || options.scan
      const summary = now ? await scanAll(options.patient) : earlier
      if (!now) await schedule.sweepNow()
      health.enter('watching')
      current = true
      if (watching) startRounds()
      return { scan: summary, now }
    },
    watch() {
      watching = true
      watchController.start()
      if (current) startRounds()
    },
    async rescan(order) {
      const { path } = order
      if (path !== undefined && (await isUnknownPath(path, { tree, known })))
        return { place: 'missing' }
      return rescans.order(order)
    },
    register: openRegister({ writer, known, settling, reconcileLoop }),
    status: () =>
      health.status({
        scan: reconcileLoop.scanning?.progress(),
        dirtyDirectories: dirty.size,
        watching: watchController.status(),
        settlingFiles: settling.size,
        withheldRemovals: [...deletionGuard.withheld().values()].reduce(
          (sum, count) => sum + count,
          0,
        ),
        rescans: rescans.numbers,
        hashing: hashing?.status(),
      }),
    settlingFiles: () =>
      settling.list(mostSettling).map(({ path, readable, sinceMs }) => ({
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
      await writer.checkpoint()
    },
    broken: Promise.race([
      ...[reconcileLoop.broken, schedule.broken, scanBroken],
      ...(hashing === undefined ? [] : [hashing.broken]),
    ]),
  }
}

function isComplete({ archiveRead, written }: ScanResult): boolean {
  return archiveRead && written
}
