/**
 * The timers of the indexer. They mark directories dirty, run the sweeps and the maintenance, and
 * check that the disk answers.
 */
import { repeat, wait } from '../runtime/clock.ts'
import { maintain } from './maintenance.ts'
import { bandsOf } from './mark/bands.ts'
import { cpuShare, Sweeper } from './mark/sweep.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import type { IndexerContext } from './state/context.ts'

/**
 * Delay of the next sweep if the last one found something (ms). It is short, because more changes
 * are then likely.
 */
const busyMs = 3000
/**
 * Time between two reads of the areas, so that a disk that hangs is noticed even without other
 * reads.
 */
const areasMs = 2000
/**
 * Time without progress of the tree worker after which the disk counts as hanging. With `areasMs`
 * and `progressMs`, a hanging disk is noticed within ten seconds.
 */
const hangingMs = 6000
/** Time between two checks of the tree worker's progress. */
const progressMs = 1000

/** The end of a sweep. */
interface SweepEnd {
  /** Number of directories that differed in this sweep, but not in the one before. */
  readonly fresh: number
  /** The time of a core that it has used (ms). */
  readonly cpuMs: number
}

/**
 * The periodic tasks: reads of the areas every two seconds, sweeps, the rolling
 * rescan, purges once an hour, and backups. By default, sweeps follow each other about every
 * minute, the rolling rescan reads the sizes and times of all files within a day, and a backup is
 * made once a day. In a directory without a watch, an overwrite of a file in place is found only
 * when sizes and times are read: by the rolling rescan, by a rescan, by the request `register`, or
 * after another change in the directory.
 */
export class Schedule {
  readonly #context: IndexerContext
  readonly #reconcileLoop: Pick<ReconcileLoop, 'caughtUp'>
  readonly #timers: NodeJS.Timeout[]
  readonly #closing = new AbortController()
  readonly #sweeper: Sweeper
  #previous: Promise<unknown> = Promise.resolve()
  #lastFound: ReadonlySet<string> = new Set()

  constructor(context: IndexerContext, reconcileLoop: Pick<ReconcileLoop, 'caughtUp'>) {
    const onFailure = (error: unknown): void => {
      if (!this.#closing.signal.aborted) context.onFailure(error)
    }
    this.#context = { ...context, onFailure }
    this.#reconcileLoop = reconcileLoop
    this.#sweeper = new Sweeper(this.#context)
    // This check runs already before `start`, because the disk may hang during the first scan.
    const check = (): void => {
      this.#checkForHangingDisk()
    }
    this.#timers = [setInterval(check, progressMs).unref()]
  }

  start(): void {
    const { signal } = this.#closing
    const { known, layout, metrics, secondLooks, fullReadMs, onFailure } = this.#context
    this.#sweepForever(signal).catch(onFailure)
    maintain(this.#context, signal)
    // An area that did not exist may appear; it has no parent directory whose stamp shows this.
    const readAreas = (): void => {
      for (const root of layout.roots) this.#markDirty(root)
    }
    const nextInRescan = rollingRescan(this.#context, () => {
      metrics.fullyRead()
    })
    const rescanNext = (): void => {
      for (let count = perSecond(known.size, fullReadMs); count > 0; count--) {
        const path = nextInRescan()
        if (path !== undefined) this.#markDirty(path)
      }
    }
    const lookAgain = (): void => {
      for (const path of secondLooks.take(performance.now())) this.#markDirty(path)
    }
    this.#timers.push(
      setInterval(readAreas, areasMs),
      setInterval(rescanNext, 1000),
      setInterval(lookAgain, 1000),
    )
  }

  /**
   * Sweeps now, after a sweep that runs: marks the directories dirty whose stamps differ from the
   * catalogue (see `Sweeper`); resolves when they are reconciled.
   * @param all looks at everything, whatever it costs
   */
  sweepNow(all = true): Promise<SweepEnd> {
    const next = this.#previous.then(() => this.#sweep(all))
    this.#previous = next.catch(() => undefined)
    return next
  }

  async #sweep(all: boolean): Promise<SweepEnd> {
    const { dirty, health, asOf, looks } = this.#context
    const { number, begun, found, cpuMs } = await this.#sweeper.sweep({ all })
    for (const path of found) dirty.add(path, performance.now())
    await this.#reconcileLoop.caughtUp()
    health.swept()
    const isWritten = health.notCurrent('as of') === undefined
    const oldest = looks.ended(number, isWritten ? begun : undefined)
    const usualMs = performance.now() - (oldest?.steadyMs ?? 0)
    if (oldest !== undefined) await asOf.reach(oldest, usualMs / 1000)
    // The next sweep comes sooner if this one found something. A directory with settling files or
    // withheld removals differs in every sweep, so directories that already differed in the sweep
    // before are not counted.
    const fresh = found.filter((path) => !this.#lastFound.has(path)).length
    this.#lastFound = new Set(found)
    return { fresh, cpuMs }
  }

  /** Starts a sweep of everything without waiting for it. */
  sweepSoon(): void {
    this.sweepNow().catch(this.#context.onFailure)
  }

  close(): void {
    this.#closing.abort()
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #sweepForever(signal: AbortSignal): Promise<void> {
    const { sweepIntervalMs } = this.#context
    const soonMs = Math.min(busyMs, sweepIntervalMs)
    await wait(soonMs, signal)
    await repeat(async () => {
      const { fresh, cpuMs } = await this.sweepNow(false)
      return Math.max(fresh > 0 ? soonMs : sweepIntervalMs, cpuMs / cpuShare)
    }, signal)
  }

  #markDirty(path: string): void {
    this.#context.dirty.add(path, performance.now())
  }

  #checkForHangingDisk(): void {
    const { tree, health } = this.#context
    const hangs = tree.waitingMs() > hangingMs
    const problem = {
      text: `the disk of the archive has not answered for ${hangingMs / 1000} s`,
      advice:
        'Check the disk or the network mount of the archive; the indexer continues when it answers.',
    }
    health.report('tree', hangs ? problem : undefined)
  }
}

/**
 * Returns a function that returns the known directories one after the other, newest date first;
 * `undefined` if no directory is known. After the last directory, the function starts again.
 */
function rollingRescan(
  { known, nowUs }: Pick<IndexerContext, 'known' | 'nowUs'>,
  onRoundEnd: () => void,
): () => string | undefined {
  let remaining: number[] = []
  let running = false
  return () => {
    if (remaining.length === 0) {
      if (running) onRoundEnd()
      const { urgent, bands } = bandsOf(known, nowUs() / 1e6)
      remaining = [...urgent, ...bands.flat()].reverse()
      running = remaining.length > 0
    }
    return known.pathAt(remaining.pop() ?? -1)
  }
}

/**
 * Returns the number of directories to read in this second. It varies at random around the mean,
 * and is mostly 0 in a small tree.
 */
function perSecond(directories: number, periodMs: number): number {
  const rate = (directories * 1000) / periodMs
  return Math.floor(rate) + (Math.random() < rate % 1 ? 1 : 0)
}
