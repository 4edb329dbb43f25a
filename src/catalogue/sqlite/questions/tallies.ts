import type { FileFilter } from '../../filter.ts'
import type { Segment } from './columns.ts'
import { openLongPositions } from './long-positions.ts'
import type { LongPositions } from './long-positions.ts'
import { matcherOf, narrowed } from './matcher.ts'
import type { Positions } from './asking.ts'
import type { Matching, Wanted } from './matching.ts'
import type { Among, Matches } from './places.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Filters whose counts are kept, those that were asked for latest. */
const keptFilters = 64
/** Positions are kept where there are no more in a segment; of more, only those that were found latest. */
const keptPositions = 512

/** What a filter takes of each segment, counted once and again when the segment changed. */
export interface Tally extends Matches {
  /**
   * Counts the segments that were not, or that changed.
   * @returns false when time was up before the end; what was counted is kept for the next call
   */
  follow(segments: readonly Segment[], isTimeUp: () => boolean): boolean
}

export interface Tallies {
  of(filter: FileFilter): Tally
}

interface Counted {
  readonly seq: number
  readonly count: number
  readonly positions: Positions | undefined
}

/** To be used within a read transaction, after columns and vocabulary have followed it. */
export function openTallies(parts: { matching: Matching; vocabulary: Vocabulary }): Tallies {
  const tallies = new Map<string, Tally>()
  const latest = openLongPositions()
  let opened = 0
  // A question that takes many turns goes on where it was, however many others are asked in between.
  const byQuestion = new WeakMap<FileFilter, Tally>()
  return {
    of(filter) {
      const begun = byQuestion.get(filter)
      if (begun !== undefined) return begun
      const key = JSON.stringify(filter)
      const tally = tallies.get(key) ?? openTally(filter, { ...parts, latest, number: opened++ })
      // The order of a map is that of insertion: the first is the one that was not asked for longest.
      tallies.delete(key)
      tallies.set(key, tally)
      byQuestion.set(filter, tally)
      const [oldest] = tallies.keys()
      if (tallies.size > keptFilters && oldest !== undefined) tallies.delete(oldest)
      return tally
    },
  }
}

interface TallyParts {
  readonly matching: Matching
  readonly vocabulary: Vocabulary
  readonly latest: LongPositions
  /** Tells it from all others. */
  readonly number: number
}

function openTally(
  filter: FileFilter,
  { matching, vocabulary, latest, number }: TallyParts,
): Tally {
  const counted = new Map<number, Counted>()
  let wanted: Wanted = { filter, matcher: matcherOf(filter, vocabulary) }
  let words = vocabulary.size
  let narrower: { readonly among: Among; readonly wanted: Wanted } | undefined
  const wantedAmong = (among: Among): Wanted => {
    if (narrower?.among !== among)
      narrower = { among, wanted: { filter, matcher: narrowed(wanted.matcher, among) } }
    return narrower.wanted
  }
  const take = (segment: Segment): void => {
    const { seq, firstId } = segment
    counted.set(firstId, { seq, ...matching.count(segment, wanted, keptPositions) })
  }
  return {
    follow(segments, isTimeUp) {
      if (words !== vocabulary.size) {
        wanted = { filter, matcher: matcherOf(filter, vocabulary) }
        words = vocabulary.size
      }
      for (const segment of segments) {
        if (counted.get(segment.firstId)?.seq === segment.seq) continue
        if (isTimeUp()) return false
        take(segment)
      }
      return true
    },
    count: (segment) => counted.get(segment.firstId)?.count ?? 0,
    positions: (segment, among) => {
      const { firstId } = segment
      const kept = counted.get(firstId)
      if (kept?.count === 0) return new Uint16Array()
      if (kept?.positions !== undefined) return kept.positions
      if (kept !== undefined && kept.count <= keptPositions) {
        // What is few is found as a whole, and need not be found again.
        const positions = matching.positions(segment, wanted)
        counted.set(firstId, { ...kept, positions })
        return positions
      }
      if (among !== undefined) return matching.positions(segment, wantedAmong(among))
      return latest.of(number, segment, () => matching.positions(segment, wanted))
    },
    those: (few, segment) => matching.those(few, segment, wanted),
  }
}
