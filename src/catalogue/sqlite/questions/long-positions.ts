import type { Positions } from './asking.ts'
import type { Segment } from './columns.ts'

/** Segments of which the positions are kept, at 128 KB each at most. */
const keptSegments = 32

/**
 * Keeps the long positions that were found latest, of all filters: whoever reads on, or goes on in the next turn, finds them
 * in the same segments, where each of ten thousand records may have had to be asked.
 */
export interface LongPositions {
  /** @param tally of which filter they are, by a number of its own */
  of(tally: number, segment: Segment, find: () => Positions): Positions
}

export function openLongPositions(): LongPositions {
  const latest = new Map<string, { readonly seq: number; readonly positions: Positions }>()
  return {
    of(tally, { firstId, seq }, find) {
      const key = `${tally}/${firstId}`
      const known = latest.get(key)
      const kept = known?.seq === seq ? known : { seq, positions: find() }
      // The order of a map is that of insertion: the first is the one that was not asked for longest.
      latest.delete(key)
      latest.set(key, kept)
      const [oldest] = latest.keys()
      if (latest.size > keptSegments && oldest !== undefined) latest.delete(oldest)
      return kept.positions
    },
  }
}
