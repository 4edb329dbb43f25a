import { beyond } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import type { Matches } from './places.ts'

/** Sorted lists whose counts are kept, those that were asked for latest. */
const keptLists = 4

/** The columns that are counted by their values. */
export type Column = 'stations' | 'days'

/** How many matches of a segment have each value, of those that any has. */
export interface ValueCounts {
  readonly seq: number
  readonly values: Uint16Array
  readonly counts: Uint32Array
}

interface CountedList {
  readonly matches: Matches
  readonly column: Column
  readonly bySegment: Map<Segment, ValueCounts>
}

/**
 * Counts by segment, counted again only where the segment has changed.
 * @returns a function that gives nothing when time was up before the end; what was counted is kept for the next call
 */
export function openValueCounts() {
  let lists: readonly CountedList[] = []
  const countValues = openCounting()
  return (
    segments: readonly Segment[],
    matches: Matches,
    column: Column,
    isTimeUp: () => boolean,
  ): ReadonlyMap<Segment, ValueCounts> | undefined => {
    const isAsked = (list: CountedList) => list.matches === matches && list.column === column
    const list: CountedList = lists.find(isAsked) ?? { matches, column, bySegment: new Map() }
    lists = [list, ...lists.filter((each) => each !== list)].slice(0, keptLists)
    for (const segment of segments) {
      if (list.bySegment.get(segment)?.seq === segment.seq) continue
      if (isTimeUp()) return undefined
      list.bySegment.set(segment, countValues(segment, matches.positions(segment), column))
    }
    return list.bySegment
  }
}

/** Counts in room that is used again and again. */
function openCounting() {
  const sums = new Uint32Array(beyond + 1)
  return (segment: Segment, positions: Uint16Array, column: Column): ValueCounts => {
    const places = segment[column]
    const values: number[] = []
    for (const at of positions) {
      const value = places[at] as number
      const sum = sums[value] as number
      if (sum === 0) values.push(value)
      sums[value] = sum + 1
    }
    const counts = Uint32Array.from(values, (value) => sums[value] as number)
    for (const value of values) sums[value] = 0
    return { seq: segment.seq, values: Uint16Array.from(values), counts }
  }
}
