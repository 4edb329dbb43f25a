import { beyond } from '../block-layout.ts'
import type { Positions } from './asking.ts'
import { openBySegment } from './by-segment.ts'
import type { BySegment } from './by-segment.ts'
import type { Listed } from './places.ts'

/** Lists whose counts are kept. */
const keptLists = 4

/** The columns that are counted by their values. */
export type Column = 'stations' | 'days'

/** How many matches of a segment have each value, of those that any has. */
export interface ValueCounts {
  readonly values: Uint16Array
  readonly counts: Uint32Array
}

/** Counts by segment; nothing when time was up before the end. */
export function openValueCounts(column: Column) {
  const bySegment = openBySegment<ValueCounts>(keptLists)
  const countValues = openCounting()
  return (listed: Listed): BySegment<ValueCounts> | undefined =>
    bySegment(listed, column, (segment) =>
      countValues(segment[column], listed.matches.positions(segment)),
    )
}

/** Counts in room that is used again and again. */
function openCounting() {
  const sums = new Uint32Array(beyond + 1)
  return (places: Uint16Array, positions: Positions): ValueCounts => {
    const values: number[] = []
    for (const at of positions) {
      const value = places[at] as number
      const sum = sums[value] as number
      if (sum === 0) values.push(value)
      sums[value] = sum + 1
    }
    const counts = Uint32Array.from(values, (value) => sums[value] as number)
    for (const value of values) sums[value] = 0
    return { values: Uint16Array.from(values), counts }
  }
}
