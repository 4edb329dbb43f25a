/**
 * The one loop that reconciles directories: dirty ones and those of a running walk, each read by the thread
 * that reads and taken in hand here, strictly in the order of reading.
 */
import type { ScanSummary } from '../catalogue/records.ts'
import { openApplyStage } from './apply-snapshot.ts'
import type { ApplyStageDeps } from './apply-snapshot.ts'
import { openScan } from './scan-progress.ts'
import type { Scan } from './scan-progress.ts'
import type { ReadDepth, DirectorySnapshot } from './tree/directory-snapshot.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import type { WalkStep } from './tree/walk.ts'

/**
 * Looks asked for ahead, so that the reading thread has something to read while this one writes what was read. What turns up
 * dirty comes after all of them: so there are few where directories are large, told by the last one, or slow to read.
 */
const readAhead = { least: 8, most: 32, names: 10_000 }

export interface ReconcileLoopDeps extends Omit<ApplyStageDeps, 'onApplied' | 'onFailed'> {
  readonly tree: TreeReader
  readonly nowUs: () => number
  /** Told of each dirty directory that was reconciled, and what that cost. */
  readonly onReconciled: (path: string, costMs: number) => void
}

export interface ReconcileLoop {
  /** Wakes the loop after something was marked dirty. */
  wake(): void
  /** Reads all directories below the roots; resolves when what was found is in the catalogue, or failed to be. */
  scan(roots: readonly string[], depth: ReadDepth): Promise<ScanResult>
  /** Resolves when every directory that is dirty and due now has been reconciled, and those found on the way. */
  caughtUp(): Promise<void>
  /** Looks at one directory now, in its turn beside all that is dirty and a scan; resolves with what came of it. */
  readNow(path: string): Promise<ReadNow>
  /** The scan that is running. */
  readonly scanning: Scan | undefined
  /** Ends after the directory in hand. */
  close(): Promise<void>
  /** Rejects when the loop breaks, which only a broken environment or program can do. */
  readonly broken: Promise<never>
}

export interface ReadNow {
  readonly snapshot: DirectorySnapshot
  /** Whether the catalogue has what may be believed of it. */
  readonly written: boolean
}

export interface ScanResult {
  readonly summary: ScanSummary
  /** Whether there was an archive to read. */
  readonly archiveRead: boolean
  /** Whether all of it could be written; the rest is tried again. */
  readonly written: boolean
}

type Job = { readonly number: number } & (
  | {
      readonly kind: 'dirty'
      readonly arrived: boolean
      readonly snapshot: Promise<DirectorySnapshot>
      /** Who asked for it by name. */
      readonly requesters?: readonly Requester[]
    }
  | { readonly kind: 'step'; readonly step: Promise<WalkStep | undefined> }
)

type Requester = (answer: ReadNow) => void

interface Waiter {
  /** Directories that were due then count. */
  readonly dueMs: number
  /** The job that took the last of them; `undefined` while some still wait. */
  lastJob: number | undefined
  readonly resolve: () => void
}

/** Few where each file is looked at too, which takes a slow disk far longer than their names. */
function aheadAfter({ names, sizes }: DirectorySnapshot): number | undefined {
  // One that holds directories alone tells nothing of those.
  if (names.length === 0) return undefined
  const wanted = sizes === undefined ? Math.ceil(readAhead.names / names.length) : readAhead.least
  return Math.max(readAhead.least, Math.min(readAhead.most, wanted))
}

export function startReconcileLoop(deps: ReconcileLoopDeps): ReconcileLoop {
  const { tree, dirty, known } = deps
  let scan: Scan | undefined
  let walking = false
  let jobs = 0
  let turn = 0
  let ahead = readAhead.least
  let closing = false
  let waiters: Waiter[] = []
  const requested = new Map<string, Requester[]>()
  const wakeSignal = openWakeSignal()
  let walkEnded = (): void => undefined
  const applyStage = openApplyStage({
    ...deps,
    onApplied: (change) => scan?.applied(change),
    onFailed: () => scan?.failed(),
  })

  const nextAsked = (): Job | undefined => {
    const first = requested.entries().next()
    if (first.done === true) return undefined
    const [path, requesters] = first.value
    requested.delete(path)
    const snapshot = tree.snapshot({ path, depth: 'facts' })
    return { number: ++jobs, kind: 'dirty', arrived: true, snapshot, requesters }
  }
  const nextDirty = (): Job | undefined => {
    const next = dirty.take(performance.now())
    if (next === undefined) return undefined
    return { number: ++jobs, kind: 'dirty', arrived: next.arrived, snapshot: tree.snapshot(next) }
  }
  const nextStep = (): Job | undefined =>
    walking ? { number: ++jobs, kind: 'step', step: tree.step() } : undefined
  const kinds = [nextAsked, nextDirty, nextStep]
  /** In turn, so that none holds up the others. */
  const nextJob = (): Job | undefined => {
    for (let tried = 0; tried < kinds.length; tried++) {
      const job = kinds[turn++ % kinds.length]?.()
      if (job !== undefined) return job
    }
    return undefined
  }

  const take = async (job: Job): Promise<void> => {
    if (job.kind === 'dirty') {
      const snapshot = await job.snapshot
      const startedMs = performance.now()
      // While a scan finds files, nobody can tell which of them were there before.
      await applyStage.take({ snapshot, walked: false, arrived: job.arrived && scan === undefined })
      deps.onReconciled(snapshot.path, performance.now() - startedMs)
      if (job.requesters !== undefined) await answer(snapshot, job.requesters)
      return
    }
    const step = await job.step
    if (step === undefined) {
      walking = false
      ahead = readAhead.least
      walkEnded()
      return
    }
    scan?.step(step)
    ahead = aheadAfter(step.snapshot) ?? ahead
    await applyStage.take({ snapshot: step.snapshot, walked: true, arrived: false })
  }
  const ask = (path: string, requesters: readonly Requester[]): void => {
    requested.set(path, [...(requested.get(path) ?? []), ...requesters])
    wakeSignal.wake()
  }
  const answer = async (
    snapshot: DirectorySnapshot,
    requesters: readonly Requester[],
  ): Promise<void> => {
    // It had more files to look into than may hold up others.
    if (applyStage.unfinished.has(snapshot.path)) {
      ask(snapshot.path, requesters)
      return
    }
    const unwritten = await applyStage.flush()
    for (const tell of requesters) tell({ snapshot, written: !unwritten.has(snapshot.path) })
  }

  const serveWaiters = async (doneJob: number): Promise<void> => {
    const nextDue = dirty.nextDueMs() ?? Infinity
    for (const waiter of waiters) if (nextDue > waiter.dueMs) waiter.lastJob ??= jobs
    // What a directory leads to counts until it is whole, however late that is due.
    if (applyStage.unfinished.size > 0) return
    const served = waiters.filter(({ lastJob }) => lastJob !== undefined && lastJob <= doneJob)
    if (served.length === 0) return
    await applyStage.flush()
    waiters = waiters.filter((waiter) => !served.includes(waiter))
    for (const waiter of served) waiter.resolve()
  }

  const loop = async (): Promise<void> => {
    const inHand: Job[] = []
    while (!closing) {
      for (let job; inHand.length < ahead && (job = nextJob());) inHand.push(job)
      const job = inHand.shift()
      if (job !== undefined) await take(job)
      if (job === undefined || inHand.length === 0 || applyStage.full) await applyStage.flush()
      await serveWaiters(job?.number ?? jobs)
      if (job === undefined) await wakeSignal.wait(dirty.nextDueMs())
    }
    await applyStage.flush()
  }
  const running = loop()
  running.catch(() => undefined) // `broken` tells

  const caughtUp = (): Promise<void> =>
    new Promise((resolve) => {
      waiters.push({ dueMs: performance.now(), lastJob: undefined, resolve })
      wakeSignal.wake()
    })

  return {
    wake: () => {
      wakeSignal.wake()
    },
    async scan(roots, depth) {
      scan = openScan(deps.nowUs())
      await tree.startWalk(roots, depth)
      const ended = new Promise<void>((resolve) => (walkEnded = resolve))
      walking = true
      wakeSignal.wake()
      await ended
      // What is known and was not met may be gone.
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
        ask(path, [resolve])
      }),
    get scanning() {
      return scan
    },
    async close() {
      closing = true
      wakeSignal.wake()
      await running.catch(() => undefined)
    },
    broken: running.then(() => new Promise<never>(() => undefined)),
  }
}

/** Lets a loop sleep until something rings or a time of `performance.now()` has come. */
export function openWakeSignal() {
  let wake = (): void => undefined
  let rung = false
  return {
    wake(): void {
      rung = true
      wake()
    },
    async wait(untilMs: number | undefined): Promise<void> {
      let timer: NodeJS.Timeout | undefined
      if (!rung)
        await new Promise<void>((resolve) => {
          wake = resolve
          if (untilMs !== undefined) timer = setTimeout(resolve, untilMs - performance.now())
        })
      clearTimeout(timer)
      rung = false
    },
  }
}
