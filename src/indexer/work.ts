/**
 * The one loop that reconciles directories: dirty ones and those of a running walk, each read by the thread
 * that reads and taken in hand here, strictly in the order of reading.
 */
import type { ScanSummary } from '../catalogue/records.ts'
import { openBell } from './bell.ts'
import { openHand } from './hand.ts'
import type { HandDeps } from './hand.ts'
import { openScan } from './scan.ts'
import type { Scan } from './scan.ts'
import type { Detail, DirectoryLook } from './tree/look.ts'
import type { TreeReader } from './tree/tree-reader.ts'
import type { WalkStep } from './tree/walk.ts'

/**
 * Looks asked for ahead, so that the reading thread has something to read while this one writes what was read. What turns up
 * dirty comes after all of them: so there are few where directories are large, told by the last one, or slow to read.
 */
const lookAhead = { least: 8, most: 32, names: 10_000 }

export interface WorkDeps extends Omit<HandDeps, 'onApplied' | 'onFailed'> {
  readonly tree: TreeReader
  readonly nowUs: () => number
  /** Told of each dirty directory that was reconciled, and what that cost. */
  readonly onReconciled: (path: string, costMs: number) => void
}

export interface Work {
  /** Wakes the loop after something was marked dirty. */
  wake(): void
  /** Reads all directories below the roots; resolves when what was found is in the catalogue, or failed to be. */
  scan(roots: readonly string[], detail: Detail): Promise<ScanResult>
  /** Resolves when every directory that is dirty and due now has been reconciled, and those found on the way. */
  caughtUp(): Promise<void>
  /** Looks at one directory now, in its turn beside all that is dirty and a scan; resolves with what came of it. */
  lookNow(path: string): Promise<LookedAt>
  /** The scan that is running. */
  readonly scanning: Scan | undefined
  /** Ends after the directory in hand. */
  close(): Promise<void>
  /** Rejects when the loop breaks, which only a broken environment or program can do. */
  readonly broken: Promise<never>
}

export interface LookedAt {
  readonly look: DirectoryLook
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
      readonly look: Promise<DirectoryLook>
      /** Who asked for it by name. */
      readonly askers?: readonly Asker[]
    }
  | { readonly kind: 'step'; readonly step: Promise<WalkStep | undefined> }
)

type Asker = (answer: LookedAt) => void

interface Waiter {
  /** Directories that were due then count. */
  readonly dueMs: number
  /** The job that took the last of them; `undefined` while some still wait. */
  lastJob: number | undefined
  readonly resolve: () => void
}

/** Few where each file is looked at too, which takes a slow disk far longer than their names. */
function aheadAfter({ names, sizes }: DirectoryLook): number | undefined {
  // One that holds directories alone tells nothing of those.
  if (names.length === 0) return undefined
  const wanted = sizes === undefined ? Math.ceil(lookAhead.names / names.length) : lookAhead.least
  return Math.max(lookAhead.least, Math.min(lookAhead.most, wanted))
}

export function startWork(deps: WorkDeps): Work {
  const { tree, dirty, known } = deps
  let scan: Scan | undefined
  let walking = false
  let jobs = 0
  let turn = 0
  let ahead = lookAhead.least
  let closing = false
  let waiters: Waiter[] = []
  const asked = new Map<string, Asker[]>()
  const bell = openBell()
  let walkEnded = (): void => undefined
  const hand = openHand({
    ...deps,
    onApplied: (change) => scan?.applied(change),
    onFailed: () => scan?.failed(),
  })

  const nextAsked = (): Job | undefined => {
    const first = asked.entries().next()
    if (first.done === true) return undefined
    const [path, askers] = first.value
    asked.delete(path)
    const look = tree.look({ path, detail: 'facts' })
    return { number: ++jobs, kind: 'dirty', arrived: true, look, askers }
  }
  const nextDirty = (): Job | undefined => {
    const next = dirty.take(performance.now())
    if (next === undefined) return undefined
    return { number: ++jobs, kind: 'dirty', arrived: next.arrived, look: tree.look(next) }
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
      const look = await job.look
      const startedMs = performance.now()
      // While a scan finds files, nobody can tell which of them were there before.
      await hand.take({ look, walked: false, arrived: job.arrived && scan === undefined })
      deps.onReconciled(look.path, performance.now() - startedMs)
      if (job.askers !== undefined) await answer(look, job.askers)
      return
    }
    const step = await job.step
    if (step === undefined) {
      walking = false
      ahead = lookAhead.least
      walkEnded()
      return
    }
    scan?.step(step)
    ahead = aheadAfter(step.look) ?? ahead
    await hand.take({ look: step.look, walked: true, arrived: false })
  }
  const ask = (path: string, askers: readonly Asker[]): void => {
    asked.set(path, [...(asked.get(path) ?? []), ...askers])
    bell.ring()
  }
  const answer = async (look: DirectoryLook, askers: readonly Asker[]): Promise<void> => {
    // It had more files to look into than may hold up others.
    if (hand.unfinished.has(look.path)) {
      ask(look.path, askers)
      return
    }
    const unwritten = await hand.flush()
    for (const tell of askers) tell({ look, written: !unwritten.has(look.path) })
  }

  const serveWaiters = async (doneJob: number): Promise<void> => {
    const nextDue = dirty.nextDueMs() ?? Infinity
    for (const waiter of waiters) if (nextDue > waiter.dueMs) waiter.lastJob ??= jobs
    // What a directory leads to counts until it is whole, however late that is due.
    if (hand.unfinished.size > 0) return
    const served = waiters.filter(({ lastJob }) => lastJob !== undefined && lastJob <= doneJob)
    if (served.length === 0) return
    await hand.flush()
    waiters = waiters.filter((waiter) => !served.includes(waiter))
    for (const waiter of served) waiter.resolve()
  }

  const loop = async (): Promise<void> => {
    const inHand: Job[] = []
    while (!closing) {
      for (let job; inHand.length < ahead && (job = nextJob());) inHand.push(job)
      const job = inHand.shift()
      if (job !== undefined) await take(job)
      if (job === undefined || inHand.length === 0 || hand.full) await hand.flush()
      await serveWaiters(job?.number ?? jobs)
      if (job === undefined) await bell.wait(dirty.nextDueMs())
    }
    await hand.flush()
  }
  const running = loop()
  running.catch(() => undefined) // `broken` tells

  const caughtUp = (): Promise<void> =>
    new Promise((resolve) => {
      waiters.push({ dueMs: performance.now(), lastJob: undefined, resolve })
      bell.ring()
    })

  return {
    wake: () => {
      bell.ring()
    },
    async scan(roots, detail) {
      scan = openScan(deps.nowUs())
      await tree.startWalk(roots, detail)
      const ended = new Promise<void>((resolve) => (walkEnded = resolve))
      walking = true
      bell.ring()
      await ended
      // What is known and was not met may be gone.
      for (const path of known.all())
        if (!scan.visited(path) && roots.some((root) => path.startsWith(`${root}/`)))
          dirty.add({ path, detail: 'fitting', arrived: false }, performance.now())
      await caughtUp()
      const { archiveRead, written } = scan
      const summary = scan.summary(deps.nowUs())
      scan = undefined
      return { summary, archiveRead, written }
    },
    caughtUp,
    lookNow: (path) =>
      new Promise((resolve) => {
        ask(path, [resolve])
      }),
    get scanning() {
      return scan
    },
    async close() {
      closing = true
      bell.ring()
      await running.catch(() => undefined)
    },
    broken: running.then(() => new Promise<never>(() => undefined)),
  }
}
