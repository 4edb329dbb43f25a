/** Finds changed directories without file events: a sweep compares the stamps of all directories with the catalogue. */
import { areas } from '../parse/archive-path.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type { DirtyDirectories } from './state/dirty-directories.ts'
import type { Health } from './state/health.ts'
import type { Beat } from './state/heartbeat.ts'
import type { ReconcileLoop } from './reconcile-loop.ts'
import { sameStamp } from './reconcile.ts'
import type { TreeReader } from './tree/tree-reader.ts'

/** Delay of the next sweep if the last one found something (ms). It is short, because more changes are then likely. */
const busyMs = 3000
/** Maximum number of stamps in one request to the tree worker, so that other requests do not wait long. */
const chunkSize = 2000

export interface SweepDeps {
  readonly writer: CatalogueWriter
  readonly tree: TreeReader
  readonly dirty: DirtyDirectories
  readonly health: Health
  readonly reconcileLoop: Pick<ReconcileLoop, 'caughtUp'>
  readonly sweepIntervalMs: number
  readonly beat: Beat
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Called with an error after which no further sweep follows. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Opens the sweeps. A sweep marks the directories dirty whose stamps differ from the catalogue, and waits until they are
 * reconciled.
 */
export function openSweeps(deps: SweepDeps) {
  const { dirty, sweepIntervalMs, onFailure } = deps
  let timer: NodeJS.Timeout | undefined
  let closing = false
  let lastFound = new Set<string>()
  const sweepNow = async (): Promise<number> => {
    const startedUs = deps.nowUs()
    const found = await sweep(deps.writer, deps.tree)
    for (const path of found) dirty.add({ path, depth: 'facts', arrived: false }, performance.now())
    await deps.reconcileLoop.caughtUp()
    deps.health.swept()
    await deps.beat(startedUs, (deps.nowUs() - startedUs) / 1e6)
    // The next sweep comes sooner if this one found something. A directory with settling files or withheld removals differs in
    // every sweep, so directories that already differed in the sweep before are not counted.
    const fresh = found.filter((path) => !lastFound.has(path)).length
    lastFound = new Set(found)
    return fresh
  }
  const sweepLater = (found: number): void => {
    if (closing) return
    const delayMs = found > 0 ? Math.min(busyMs, sweepIntervalMs) : sweepIntervalMs
    timer = setTimeout(() => {
      sweepNow().then(sweepLater, onFailure)
    }, delayMs)
  }
  return {
    start(): void {
      sweepLater(1)
    },
    sweepNow,
    close(): void {
      closing = true
      clearTimeout(timer)
    },
  }
}

/**
 * Finds the directories whose stamp differs from the stamp in the catalogue, because they may have changed since they were read.
 * All directories are compared, whatever their date, because a thousand of them take only a few milliseconds.
 */
export async function sweep(writer: CatalogueWriter, tree: TreeReader): Promise<string[]> {
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
