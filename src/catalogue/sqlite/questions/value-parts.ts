import { beyond } from '../block-layout.ts'
import type { Segment } from './columns.ts'
import type { Among, Matches } from './places.ts'
import type { Part } from './parts.ts'
import type { Column, ValueCounts } from './value-counts.ts'

interface WithValues {
  readonly values: readonly number[]
}

/** Matches whose values in a column have the same key. */
export interface ValuePart<Key extends number | string> extends Part<Key>, WithValues {}

/** @param keysOf between which keys the records of a value are: with the same first one, the last is the same too */
export function partsByValue<Key extends number | string>(
  counted: ReadonlyMap<Segment, ValueCounts>,
  keysOf: (value: number) => readonly [from: Key, to: Key],
): ValuePart<Key>[] {
  const sums = new Uint32Array(beyond + 1)
  for (const { values, counts } of counted.values())
    for (const [index, value] of values.entries())
      sums[value] = (sums[value] as number) + (counts[index] as number)
  const parts = new Map<Key, ValuePart<Key> & { count: number; values: number[] }>()
  for (const [value, count] of sums.entries()) {
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

/** Calls with each match that is in one of the parts. */
export function forMatches(
  counted: ReadonlyMap<Segment, ValueCounts>,
  matches: Matches,
  { column, parts }: { readonly column: Column; readonly parts: readonly WithValues[] },
  take: (segment: Segment, at: number) => void,
): void {
  const taken = new Uint8Array(beyond + 1)
  for (const { values } of parts) for (const value of values) taken[value] = 1
  const among: Among = { column, taken }
  for (const [segment, { values }] of counted) {
    if (!values.some((value) => taken[value] === 1)) continue
    const places = segment[column]
    for (const at of matches.positions(segment, among))
      if (taken[places[at] as number] === 1) take(segment, at)
  }
}
