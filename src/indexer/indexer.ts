/**
 * The indexer: brings the catalogue up to date with the tree and keeps it up to date. File events,
 * sweeps and timers only mark directories dirty, scans walk the tree, and the request `register`
 * names one directory; the reconcile loop compares all these directories with the catalogue.
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
import type { ChecksumContext } from './checksums/checksum-schedule.ts'
import { ChecksumSchedule } from './checksums/checksum-schedule.ts'
import type { HashClient } from './checksums/hash-client.ts'
import { WatchController } from './mark/watch-controller.ts'
import { ReconcileLoop } from './reconcile-loop.ts'
import { register } from './register.ts'
import { Rescans } from './rescans.ts'
import { Scans } from './scans.ts'
import { Schedule } from './schedule.ts'
import type { IndexerContext, IndexerOptions } from './state/context.ts'
import { createContext } from './state/context.ts'
import { isUnknownPath } from './state/known-directories.ts'

/** How files are read for their checksums and facts; `undefined` if they are not. */
type ChecksumOptions =
  | ({ readonly hashClient: HashClient } & Pick<ChecksumContext, 'all' | 'allFacts' | 'damagedBy'>)
  | undefined

export interface CaughtUp {
  /** The last complete scan. */
  readonly scan: ScanSummary
  /** True if the scan ran now; false if an earlier process made it. */
  readonly now: boolean
}

/**
 * Maximum number of settling files that are listed by name, because a disk that hangs may leave any
 * number of them.
 */
const mostSettling = 1000

export async function startIndexer(
  options: IndexerOptions & { readonly checksums?: ChecksumOptions },
): Promise<Indexer> {
  return new Indexer(await createContext(options), options.checksums)
}

export class Indexer {
  readonly #context: IndexerContext
  readonly #watchController: WatchController
  readonly #reconcileLoop: ReconcileLoop
  readonly #schedule: Schedule
  readonly #scans: Scans
  readonly #rescans: Rescans
  readonly #hashing: ChecksumSchedule | undefined
  /** The wall-clock time at which the steady clock was 0. */
  readonly #steadyZeroUs: number
  #watching = false
  #caughtUp = false

  constructor(context: IndexerContext, checksums: ChecksumOptions) {
    this.#context = context
    this.#steadyZeroUs = context.nowUs() - performance.now() * 1000
    const watchController = new WatchController(context)
    const onAreaRestored = (): void => {
      watchController.restart()
      this.#schedule.sweepSoon()
    }
    const reconcileLoop = new ReconcileLoop(context, watchController, onAreaRestored)
    this.#watchController = watchController
    this.#reconcileLoop = reconcileLoop
    this.#schedule = new Schedule(context, reconcileLoop)
    this.#scans = new Scans(context, reconcileLoop)
    this.#rescans = new Rescans(context, this.#scans)
    const isBusy = (): boolean =>
      reconcileLoop.scanning !== undefined ||
      (context.dirty.nextDueMs() ?? Infinity) <= performance.now()
    this.#hashing = checksums && new ChecksumSchedule({ ...context, ...checksums, isBusy })
  }

  /** True if the catalogue was one of another layout until this start. */
  get isNewLayout(): boolean {
    return this.#context.isNewLayout
  }

  /**
   * Brings the catalogue up to date: scans the archive if no complete scan is stored or `scan` is
   * true, otherwise sweeps it, which compares stamps. If a scan cannot read the archive or write
   * all changes, scans again if `patient` is true, otherwise fails.
   * @throws IncompleteScan if a scan fails and `patient` is false
   */
  async catchUp(options: { readonly scan: boolean; readonly patient: boolean }): Promise<CaughtUp> {
    const { health } = this.#context
    const { lastScan } = health
    const now = lastScan === undefined || options.scan
    const scan = now ? await this.#scans.scanAll(options.patient) : lastScan
    if (!now) await this.#schedule.sweepNow()
    if (!this.#watching) await this.#reconcileLoop.drained()
    health.enter('watching')
    this.#caughtUp = true
    if (this.#watching) this.#startSchedules()
    return { scan, now }
  }

  /**
   * Watches the tree: reacts to file events from now on, and runs the schedule from the end of
   * `catchUp` on.
   */
  watch(): void {
    this.#watching = true
    this.#context.settling.observe()
    this.#watchController.start()
    if (this.#caughtUp) this.#startSchedules()
  }

  #startSchedules(): void {
    this.#schedule.start()
    this.#hashing?.start()
  }

  async rescan(order: RescanOrder): Promise<RescanAnswer> {
    const { path } = order
    const paths = path === undefined ? [] : this.#context.layout.listedBelow(path)
    const unknown = await Promise.all(paths.map((each) => isUnknownPath(each, this.#context)))
    const isMissing = unknown.length > 0 && unknown.every(Boolean)
    return isMissing ? { place: 'missing' } : this.#rescans.order(order)
  }

  /** Returns what a rescan has changed; `undefined` while it has not ended, or long after it. */
  rescanOutcome(number: number): RescanOutcome | undefined {
    return this.#rescans.outcome(number)
  }

  /** Reads one file now, given by its path below the archive root. */
  register(path: string): Promise<RegisterAnswer> {
    return register(path, this.#context, this.#reconcileLoop)
  }

  status(): IndexerStatus {
    const { health, dirty, settling, unreadFiles, deletionGuard } = this.#context
    const withheld = [...deletionGuard.withheld().values()]
    return health.status({
      scan: this.#reconcileLoop.scanning?.progress(),
      dirtyDirectories: dirty.size,
      watching: this.#watchController.status(),
      settlingFiles: settling.size + unreadFiles.size,
      withheldRemovals: withheld.reduce((sum, count) => sum + count, 0),
      rescans: this.#rescans.numbers,
      endedRescans: this.#rescans.ended,
      hashing: this.#hashing?.status(),
    })
  }

  /** Reports that the server of the database does not answer; `undefined` when it does again. */
  reportOutage(reason: string | undefined): void {
    const advice =
      'Check the database server and the network; the indexer goes on by itself when it answers.'
    const problem = reason === undefined ? undefined : { text: reason, advice }
    this.#context.health.report('server', problem)
  }

  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this.#context.metrics.text(this.status())
  }

  /**
   * Returns the files that are not complete yet, at most 1,000. Files that are unchanged for the
   * longest time come first.
   */
  settlingFiles(): readonly SettlingFile[] {
    return this.#context.settling.list(mostSettling).map(({ path, readable, sinceMs }) => ({
      path,
      reason: readable ? 'no-end-yet' : 'unreadable',
      sinceUs: Math.round(this.#steadyZeroUs + sinceMs * 1000),
    }))
  }

  /** Finishes the current directory and makes a checkpoint of the database. */
  async close(): Promise<void> {
    const { tree, metrics, writer } = this.#context
    this.#schedule.close()
    await this.#hashing?.close()
    await this.#watchController.close()
    await this.#reconcileLoop.close()
    await tree.close()
    metrics.close()
    await writer.checkpoint()
  }
}
