/**
 * The only loop that reconciles directories: directories on request, dirty directories and those of
 * a running walk. The tree worker reads them; the loop processes their snapshots in the order of
 * the reads.
 */
import { isWithin } from '../parse/layout.ts'
import type { DirectoryJob, Job, ReadNowCaller, ReadNowResult, WalkJob } from './job-queue.ts'
import { JobQueue } from './job-queue.ts'
import type { ScanResult } from './mark/scan-progress.ts'
import { Scan } from './mark/scan-progress.ts'
import type { WatchController } from './mark/watch-controller.ts'
import type { DirectorySnapshot } from './read/directory-snapshot.ts'
import { largeDirectory } from './read/directory-snapshot.ts'
import type { IndexerContext } from './state/context.ts'
import { ApplyStage } from './write/apply-snapshot.ts'

/**
 * Number of reads in flight, so that the tree worker reads while this thread writes. A directory
 * that becomes dirty is read after them. After a large directory there is only one, because each
 * snapshot needs memory.
 */
const readAhead = 8

/** A caller of `caughtUp` whose promise is not resolved yet. */
interface Waiter {
  /** The caller waits for the directories that were due at this time (steady clock). */
  readonly dueMs: number
  /**
   * Number of the job that took the last of the due directories; `undefined` while some of them are
   * still dirty.
   */
  lastJob: number | undefined
  readonly resolve: () => void
}

export class ReconcileLoop {
  readonly #context: IndexerContext
  readonly #watchController: Pick<WatchController, 'rest'>
  readonly #jobs: JobQueue
  readonly #applyStage: ApplyStage
  readonly #running: Promise<void>
  #ahead = readAhead
  #closing = false
  #waiters: Waiter[] = []
  #onWalkEnd = (): void => undefined

  /** Starts the loop. @param onAreaRestored see `ApplyStage` */
  constructor(
    context: IndexerContext,
    watchController: Pick<WatchController, 'update' | 'rest'>,
    onAreaRestored: () => void,
  ) {
    this.#context = context
    this.#watchController = watchController
    this.#jobs = new JobQueue(context)
    this.#applyStage = new ApplyStage(context, watchController, onAreaRestored)
    this.#running = this.#loop().catch(context.onFailure)
  }

  /** The running scan; `undefined` if no scan runs. */
  get scanning(): Scan | undefined {
    return this.#applyStage.scan
  }

  /**
   * Reads all directories below the roots; resolves when the results are in the catalogue, or could
   * not be written.
   */
  async scan(roots: readonly string[]): Promise<ScanResult> {
    const { tree, layout, dirty, known, settling, asOf, nowUs } = this.#context
    const scan = new Scan(asOf.now(), layout.isRoot)
    this.#applyStage.scan = scan
    known.walks++
    await tree.startWalk(roots)
    const walkEnd = new Promise<void>((resolve) => (this.#onWalkEnd = resolve))
    this.#jobs.walking = true
    dirty.wake()
    await walkEnd
    // They may be gone, or in no area any more.
    const isAll = layout.roots.every((root) => roots.includes(root))
    for (const path of known.unwalked())
      if (isAll || roots.some((root) => isWithin(path, root))) dirty.add(path, performance.now())
    await (settling.isObserving ? this.caughtUp() : this.drained())
    this.#applyStage.scan = undefined
    return scan.result(nowUs())
  }

  /**
   * Resolves when all directories that are dirty and due now are reconciled, and also the
   * directories that their reads mark dirty.
   */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ dueMs: performance.now(), lastJob: undefined, resolve })
      this.#context.dirty.wake()
    })
  }

  /** As `caughtUp`, also for the files that are read in the background. */
  async drained(): Promise<void> {
    const { unreadFiles } = this.#context
    do {
      await unreadFiles.empty()
      await this.caughtUp()
    } while (!unreadFiles.isEmpty)
  }

  /**
   * Reads one directory as soon as possible. Requested directories, dirty directories and a scan
   * take turns.
   */
  readNow(path: string): Promise<ReadNowResult> {
    return new Promise((resolve) => {
      this.#request(path, [resolve])
    })
  }

  /** Stops after the current directory. */
  async close(): Promise<void> {
    this.#closing = true
    this.#applyStage.close()
    this.#context.dirty.wake()
    await this.#running
  }

  async #loop(): Promise<void> {
    const jobs = this.#jobs
    const inFlight: Job[] = []
    while (!this.#closing) {
      for (let job; inFlight.length < this.#ahead && (job = jobs.next());) inFlight.push(job)
      const job = inFlight.shift()
      if (job?.kind === 'directory') await this.#runDirectory(job)
      else if (job !== undefined) await this.#runSteps(job)
      if (job === undefined || inFlight.length === 0 || this.#applyStage.full)
        await this.#applyStage.flush()
      await this.#resolveWaiters(job?.number ?? jobs.lastNumber)
      if (job === undefined) await this.#context.dirty.untilDue()
    }
    await this.#applyStage.flush()
  }

  async #runDirectory(job: DirectoryJob): Promise<void> {
    const snapshot = await job.snapshot
    const startedMs = performance.now()
    await this.#applyStage.add({ snapshot, walked: false, requestedMs: job.requestedMs })
    this.#watchController.rest(snapshot.path, performance.now() - startedMs)
    if (job.requesters.length > 0) await this.#answer(snapshot, job.requesters)
  }

  async #runSteps(job: WalkJob): Promise<void> {
    const steps = await job.steps
    if (steps.length === 0) {
      this.#jobs.walking = false
      this.#ahead = readAhead
      this.#onWalkEnd()
      return
    }
    const { requestedMs } = job
    const empty = await this.#applyStage.emptyAmong(steps.map(({ snapshot }) => snapshot.path))
    for (const step of steps) {
      const { snapshot } = step
      this.#applyStage.scan?.step(step)
      // A directory that holds only directories does not tell how large these are.
      if (snapshot.names.length > 0)
        this.#ahead = snapshot.names.length > largeDirectory ? 1 : readAhead
      const isEmpty = empty.has(snapshot.path)
      await this.#applyStage.add({ snapshot, walked: true, requestedMs, isEmpty })
      this.#context.known.walk(snapshot.path)
    }
  }

  #request(path: string, requesters: readonly ReadNowCaller[]): void {
    this.#jobs.request(path, requesters)
    this.#context.dirty.wake()
  }

  async #answer(snapshot: DirectorySnapshot, requesters: readonly ReadNowCaller[]): Promise<void> {
    // Only a part of the files of this directory was inflated, so it is read again before the
    // answer.
    if (this.#applyStage.unfinished.has(snapshot.path)) {
      this.#request(snapshot.path, requesters)
      return
    }
    const unwritten = await this.#applyStage.flush()
    for (const resolve of requesters) resolve({ snapshot, written: !unwritten.has(snapshot.path) })
  }

  async #resolveWaiters(doneJob: number): Promise<void> {
    const nextDue = this.#context.dirty.nextDueMs() ?? Infinity
    for (const waiter of this.#waiters)
      if (nextDue > waiter.dueMs) waiter.lastJob ??= this.#jobs.lastNumber
    // The promises also wait for directories that the read of a due directory has marked dirty,
    // even if these are due later.
    if (this.#applyStage.unfinished.size > 0) return
    const isServed = ({ lastJob }: Waiter): boolean => lastJob !== undefined && lastJob <= doneJob
    const served = this.#waiters.filter(isServed)
    if (served.length === 0) return
    await this.#applyStage.flush()
    this.#waiters = this.#waiters.filter((waiter) => !served.includes(waiter))
    for (const waiter of served) waiter.resolve()
  }
}
