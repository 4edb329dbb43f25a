/** What earlier processes held back and removed, as the catalogue remembers it, on the steady clock of this one. */
import type { CatalogueWriter, KnownStamp } from '../catalogue/writer.ts'
import type { Area } from '../parse/archive-path.ts'
import { removalWindowMs } from './guard.ts'
import type { Remembered } from './guard.ts'

/**
 * The catalogue does not remember which removals an administrator had accepted: after a restart they count like the
 * others, which may hold back too much and never too little.
 */
export async function recallRemovals(deps: {
  readonly writer: CatalogueWriter
  readonly directories: readonly KnownStamp[]
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}): Promise<Remembered> {
  const nowUs = deps.nowUs()
  const nowMs = performance.now()
  // What a clock ahead of its time has dated happened by now all the same.
  const steadyMs = (us: number): number => nowMs - Math.max(0, nowUs - us) / 1000
  const removed = await deps.writer.removedSince(nowUs - removalWindowMs * 1000)
  return {
    held: deps.directories.flatMap(({ path, heldSinceUs }) => {
      if (heldSinceUs === undefined) return []
      const area = path.split('/', 1)[0] as Area
      return [{ directory: path, area, sinceMs: steadyMs(heldSinceUs) }]
    }),
    removed: removed.map(({ area, atUs, count }) => ({ area, count, atMs: steadyMs(atUs) })),
  }
}
