/**
 * The only loop that reconciles directories: directories on request, dirty directories and those of a running walk. The tree
 * worker reads them; the loop processes their snapshots in the order of the reads.
 */
import type { ScanSummary } from '../catalogue/records.ts'
import { openApplyStage } from './apply-snapshot.ts'
import type { ApplyStageDeps } from './apply-snapshot.ts'
import { openJobQueue } from './job-queue.ts'
import type { DirectoryJob, Job, ReadNowResult, Requester, WalkJob } from './job-queue.ts'
import { openScan } from './scan-progress.ts'
import type { Scan } from './scan-progress.ts'
import { largeDirectory } from './tree/directory-snapshot.ts'
import type { ReadDepth, DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'

/**
 * Limits for the number of reads in flight: from `least` to `most`, and about `names` names in all of them together. They let the
 * tree worker read while this thread writes. A directory that becomes dirty is read after the reads in flight, so there are few
 * of them if the last directory was large or slow to read.
 */
const readAhead = { least: 8, most: 32, names: 10_000 }

export interface ReconcileLoopDeps extends Omit<
  ApplyStageDeps,
  'onApplied' | 'onFailed' | 'isClosing'
> {
  readonly tree: TreeReader
  readonly nowUs: () => number
  /** See `Heartbeat`. */
  readonly isFollowing: () => boolean
  /** Called after a directory was reconciled that no walk has read; `costMs` is the time that the reconcile took (ms). */
  readonly onReconciled: (path: string, costMs: number) => void
  /** Called when the loop fails, which is a defect of the program or of its environment. */
  readonly onFailure: (error: unknown) => void
}

export interface ReconcileLoop {
  /** Reads all directories below the roots; resolves when the results are in the catalogue, or could not be written. */
  scan(roots: readonly string[], depth: ReadDepth): Promise<ScanResult>
  /**
   * Resolves when all directories that are dirty and due now are reconciled, and also the directories that their reads mark
   * dirty.
   */
  caughtUp(): Promise<void>
  /** Reads one directory as soon as possible. Requested directories, dirty directories and a scan take turns. */
  readNow(path: string): Promise<ReadNowResult>
  /** The running scan; `undefined` if no scan runs. */
  readonly scanning: Scan | undefined
  /** Stops after the current directory. */
  close(): Promise<void>
}

export interface ScanResult {
  readonly summary: ScanSummary
  /** True if the scan has read at least one area; false for a scan below the areas. */
  readonly archiveRead: boolean
  /** False if a transaction has failed; its changes are tried again. Changes that the catalogue refused do not count. */
  readonly written: boolean
}

/** A caller of `caughtUp` whose promise is not resolved yet. */
interface Waiter {
  /** The caller waits for the directories that were due at this time (steady clock). */
  readonly dueMs: number
  /** Number of the job that took the last of the due directories; `undefined` while some of them are still dirty. */
  lastJob: number | undefined
  readonly resolve: () => void
}

/**
 * Returns the number of reads in flight that fits the last snapshot; `undefined` for a directory without files. The number is
 * small if sizes were read as well, because on a slow disk this takes far longer than reading names.
 */
function readAheadAfter({ names, sizes }: DirectorySnapshot): number | undefined {
  // A directory that holds only directories does not tell how large the subdirectories are.
  if (names.length === 0) return undefined
  if (names.length > largeDirectory) return 1
  const wanted = sizes === undefined ? Math.ceil(readAhead.names / names.length) : readAhead.least
  return Math.max(readAhead.least, Math.min(readAhead.most, wanted))
}

export function startReconcileLoop(deps: ReconcileLoopDeps): ReconcileLoop {
  const { tree, dirty, known } = deps
  const jobs = openJobQueue({ tree, dirty })
  let scan: Scan | undefined
  let ahead = readAhead.least
  let closing = false
  let waiters: Waiter[] = []
  let onWalkEnd = (): void => undefined
  const applyStage = openApplyStage({
    ...deps,
    onApplied: (change) => scan?.applied(change),
    onFailed: () => scan?.failed(),
    isClosing: () => closing,
  })

  const request = (path: string, requesters: readonly Requester[]): void => {
    jobs.request(path, requesters)
    dirty.wake()
  }
  const answer = async (
    snapshot: DirectorySnapshot,
    requesters: readonly Requester[],
  ): Promise<void> => {
    // Only a part of the files of this directory was inflated, so it is read again before the answer.
    if (applyStage.unfinished.has(snapshot.path)) {
      request(snapshot.path, requesters)
      return
    }
    const unwritten = await applyStage.flush()
    for (const resolve of requesters) resolve({ snapshot, written: !unwritten.has(snapshot.path) })
  }
  const runDirectory = async (job: DirectoryJob): Promise<void> => {
    const snapshot = await job.snapshot
    const startedMs = performance.now()
    // Otherwise a file that is new to the catalogue may have been in the archive before.
    const arrived = job.arrived && scan === undefined && deps.isFollowing()
    await applyStage.add({ snapshot, walked: false, arrived })
    deps.onReconciled(snapshot.path, performance.now() - startedMs)
    if (job.requesters.length > 0) await answer(snapshot, job.requesters)
  }
  const runStep = async (job: WalkJob): Promise<void> => {
    const step = await job.step
    if (step === undefined) {
      jobs.walking = false
      ahead = readAhead.least
      onWalkEnd()
      return
    }
    scan?.step(step)
    ahead = readAheadAfter(step.snapshot) ?? ahead
    await applyStage.add({ snapshot: step.snapshot, walked: true, arrived: false })
  }

  const resolveWaiters = async (doneJob: number): Promise<void> => {
    const nextDue = dirty.nextDueMs() ?? Infinity
    for (const waiter of waiters) if (nextDue > waiter.dueMs) waiter.lastJob ??= jobs.lastNumber
    // The promises also wait for directories that the read of a due directory has marked dirty, even if these are due later.
    if (applyStage.unfinished.size > 0) return
    const served = waiters.filter(({ lastJob }) => lastJob !== undefined && lastJob <= doneJob)
    if (served.length === 0) return
    await applyStage.flush()
    waiters = waiters.filter((waiter) => !served.includes(waiter))
    for (const waiter of served) waiter.resolve()
  }

  const loop = async (): Promise<void> => {
    const inFlight: Job[] = []
    while (!closing) {
      for (let job; inFlight.length < ahead && (job = jobs.next());) inFlight.push(job)
      const job = inFlight.shift()
      if (job?.kind === 'directory') await runDirectory(job)
      else if (job !== undefined) await runStep(job)
      if (job === undefined || inFlight.length === 0 || applyStage.full) await applyStage.flush()
      await resolveWaiters(job?.number ?? jobs.lastNumber)
      if (job === undefined) await dirty.untilDue()
    }
    await applyStage.flush()
  }
  const running = loop().catch(deps.onFailure)

  const caughtUp = (): Promise<void> =>
    new Promise((resolve) => {
      waiters.push({ dueMs: performance.now(), lastJob: undefined, resolve })
      dirty.wake()
    })

  return {
    async scan(roots, depth) {
      scan = openScan(deps.nowUs())
      await tree.startWalk(roots, depth)
      const walkEnd = new Promise<void>((resolve) => (onWalkEnd = resolve))
      jobs.walking = true
      dirty.wake()
      await walkEnd
      // Known directories that the walk did not visit may be gone.
      for (const path of known.all())
        if (!scan.visited(path) && roots.some((root) => path.startsWith(`${root}/`)))
          dirty.add({ path, depth: 'auto', arrived: false }, performance.now())
      await caughtUp()
      const { archiveRead, written } = scan
      const summary = scan.summary(deps.nowUs())
      scan = undefined
      return { summary, archiveRead, written }
    },
    caughtUp,
    readNow: (path) =>
      new Promise((resolve) => {
        request(path, [resolve])
      }),
    get scanning() {
      return scan
    },
    async close() {
      closing = true
      dirty.wake()
      await running
    },
  }
}
