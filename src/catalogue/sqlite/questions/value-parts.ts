import { beyond } from '../block-layout.ts'
import type { Positions } from './asking.ts'
import { openBySegment } from './by-segment.ts'
import type { BySegment } from './by-segment.ts'
import type { Part } from './parts.ts'
import type { Among, Listed } from './places.ts'
import type { Column, ValueCounts } from './value-counts.ts'

/** Lists of which it is kept which matches are in some parts: the next page is mostly of the same ones. */
const keptLists = 2

interface WithValues {
  readonly values: readonly number[]
}

/** Matches whose values in a column have the same key. */
export interface ValuePart<Key extends number | string> extends Part<Key>, WithValues {}

/** @param keysOf between which keys the records of a value are: with the same first one, the last is the same too */
export function partsByValue<Key extends number | string>(
  counted: BySegment<ValueCounts>,
  keysOf: (value: number) => readonly [from: Key, to: Key],
): ValuePart<Key>[] {
  const sums = new Uint32Array(beyond + 1)
  // Hundreds of thousands of counts, in each look: pairs of index and value would take ten times as long.
  for (const { found } of counted.values()) {
    const { values, counts } = found
    for (let index = 0; index < values.length; index++) {
      const value = values[index] as number
      sums[value] = (sums[value] as number) + (counts[index] as number)
    }
  }
  const parts = new Map<Key, ValuePart<Key> & { count: number; values: number[] }>()
  for (let value = 0; value < sums.length; value++) {
    const count = sums[value] as number
    if (count === 0) continue
    const [from, to] = keysOf(value)
    const part = parts.get(from)
    if (part === undefined) parts.set(from, { from, to, count, values: [value] })
    else {
      part.count += count
      part.values.push(value)
    }
  }
  return [...parts.values()]
}

/** Finds the matches that are in some parts, by segment; nothing when time was up before the end. */
export function openMatchesIn(column: Column) {
  const bySegment = openBySegment<Positions>(keptLists)
  return (listed: Listed, counted: BySegment<ValueCounts>, parts: readonly WithValues[]) => {
    const taken = new Uint8Array(beyond + 1)
    for (const { values } of parts) for (const value of values) taken[value] = 1
    const among: Among = { column, taken }
    const what = parts.map(({ values }) => values.join()).join()
    return bySegment(listed, what, (segment) => {
      const isAny = counted.get(segment)?.found.values.some((value) => taken[value] === 1)
      if (isAny !== true) return new Uint16Array()
      const places = segment[column]
      const positions = listed.matches.positions(segment, among)
      return positions.filter((at) => taken[places[at] as number] === 1)
    })
  }
}
