/** Which ids stand at a place of a list that is in the order of ids. Pure. */
import type { Positions } from './asking.ts'
import type { Segment } from './columns.ts'

export interface Matches {
  count(segment: Segment): number
  /** @param among what else may be left out; some of it may be there nevertheless */
  positions(segment: Segment, among?: Among): Positions
  /** Those of a few, in rising order. */
  those(few: Positions, segment: Segment): Positions
}

/** Places with certain values in a column. */
export interface Among {
  readonly column: 'stations' | 'days'
  /** By value: 1 of those, 0 of all others. */
  readonly taken: Uint8Array
}

/** A look at a question that may take several. */
export interface Turn {
  /** The same in each look at one question, and in those at no other. */
  readonly question: object
  isTimeUp(): boolean
}

/** A list as it is looked at. */
export interface Listed {
  readonly segments: readonly Segment[]
  readonly matches: Matches
  readonly turn: Turn
}

export interface Stretch {
  readonly offset: number
  readonly limit: number
  readonly descending: boolean
}

/**
 * Segments that lie before the offset are passed over by their counts.
 * @returns nothing when time was up before the end
 */
export function idsAt({ segments, matches, turn }: Listed, stretch: Stretch): number[] | undefined {
  const ids: number[] = []
  let before = stretch.offset
  const order = stretch.descending ? segments.toReversed() : segments
  for (const segment of order) {
    if (ids.length >= stretch.limit) break
    const count = matches.count(segment)
    if (count <= before) {
      before -= count
      continue
    }
    if (turn.isTimeUp()) return undefined
    const positions = matches.positions(segment)
    const ordered = stretch.descending ? positions.toReversed() : positions
    const end = before + stretch.limit - ids.length
    for (const at of ordered.slice(before, end)) ids.push(segment.firstId + at)
    before = 0
  }
  return ids
}
