/** Finds changed directories without file events: a sweep compares the stamps of all directories with the catalogue. */
import { areas } from '../parse/archive-path.ts'
import { repeat, wait } from '../runtime/waiting.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import { sameStamp } from './reconcile.ts'
import type { IndexerContext } from './state/context.ts'

/** Delay of the next sweep if the last one found something (ms). It is short, because more changes are then likely. */
const busyMs = 3000
/** Maximum number of stamps in one request to the tree worker, so that other requests do not wait long. */
const chunkSize = 2000

type SweepContext = Pick<
  IndexerContext,
  'writer' | 'tree' | 'dirty' | 'health' | 'heartbeat' | 'sweepIntervalMs' | 'nowUs'
>

/** A sweep marks the directories dirty whose stamps differ from the catalogue, and waits until they are reconciled. */
export class Sweeps {
  readonly #context: SweepContext
  readonly #reconcileLoop: Pick<ReconcileLoop, 'caughtUp'>
  #lastFound: ReadonlySet<string> = new Set()

  constructor(context: SweepContext, reconcileLoop: Pick<ReconcileLoop, 'caughtUp'>) {
    this.#context = context
    this.#reconcileLoop = reconcileLoop
  }

  /** Sweeps again and again until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { sweepIntervalMs } = this.#context
    const soonMs = Math.min(busyMs, sweepIntervalMs)
    await wait(soonMs, signal)
    await repeat(async () => ((await this.sweepNow()) > 0 ? soonMs : sweepIntervalMs), signal)
  }

  /**
   * Sweeps now; resolves when the directories that differ are reconciled.
   * @returns the number of directories that differed in this sweep, but not in the sweep before
   */
  async sweepNow(): Promise<number> {
    const { dirty, health, heartbeat, nowUs } = this.#context
    const startedUs = nowUs()
    const found = await findChanged(this.#context)
    for (const path of found) dirty.add({ path, depth: 'facts', arrived: false }, performance.now())
    await this.#reconcileLoop.caughtUp()
    health.swept()
    await heartbeat.beat(startedUs, (nowUs() - startedUs) / 1e6)
    // The next sweep comes sooner if this one found something. A directory with settling files or withheld removals differs in
    // every sweep, so directories that already differed in the sweep before are not counted.
    const fresh = found.filter((path) => !this.#lastFound.has(path)).length
    this.#lastFound = new Set(found)
    return fresh
  }
}

/**
 * Finds the directories whose stamp differs from the stamp in the catalogue, because they may have changed since they were read.
 * All directories are compared, whatever their date, because a thousand of them take only a few milliseconds.
 */
async function findChanged({ writer, tree }: SweepContext): Promise<string[]> {
  const known = new Map(
    (await writer.directories()).map(({ path, stamp }) => [path, stamp] as const),
  )
  // An area that is not in the catalogue may have appeared; it has no parent directory whose stamp shows this.
  for (const area of areas) if (!known.has(area)) known.set(area, undefined)
  const paths = [...known.keys()]
  const differing: string[] = []
  for (let start = 0; start < paths.length; start += chunkSize) {
    const chunk = paths.slice(start, start + chunkSize)
    const stamps = await tree.stamps(chunk)
    chunk.forEach((path, index) => {
      if (!sameStamp(stamps[index], known.get(path))) differing.push(path)
    })
  }
  return differing
}
