/**
 * Where a stretch of a sorted list is, when of its parts no more is known than how many there are in each and between
 * which keys: what surely comes before or after it need not be sorted, nor read. Pure.
 */
import type { Stretch } from './places.ts'

/** Some of the list, in no order. No key of it lies outside of these two; other parts may have keys between them too. */
export interface Part<Key extends number | string> {
  readonly from: Key
  readonly to: Key
  readonly count: number
}

/** Where records stand in a list in rising order, counted from 0. */
export interface Ranks {
  readonly first: number
  /** After the last one. */
  readonly end: number
}

/** @param count of the whole list */
export function ranksIn(count: number, { offset, limit, descending }: Stretch): Ranks {
  if (!descending) return { first: offset, end: Math.min(count, offset + limit) }
  return { first: Math.max(0, count - offset - limit), end: Math.max(0, count - offset) }
}

/**
 * The parts that may hold some of the ranks, and how many records surely come before. Since whatever is left out is
 * entirely before the ranks or entirely after them, these are the ranks less `before` of what is left.
 */
export function partsAt<Key extends number | string, Any extends Part<Key>>(
  parts: readonly Any[],
  { first, end }: Ranks,
): { parts: Any[]; before: number } {
  // In the order of their beginnings parts are nearly in that of their ends, which is then soon found.
  const byFrom = sortedBy(parts, 'from')
  const begun = sumsOf(byFrom, 'from')
  const ended = sumsOf(sortedBy(byFrom, 'to'), 'to')
  let before = 0
  const kept = parts.filter(({ from, to, count }) => {
    // Equal keys may stand either way: their ids decide.
    const isBefore = begun(to, true) <= first
    if (isBefore) before += count
    return !isBefore && ended(from, false) < end
  })
  return { parts: kept, before }
}

type Edge = 'from' | 'to'

function sortedBy<Key extends number | string>(parts: readonly Part<Key>[], edge: Edge) {
  return parts.toSorted((a, b) => (a[edge] < b[edge] ? -1 : a[edge] > b[edge] ? 1 : 0))
}

/** Counts the records of those parts of which one end is below a key, or at it. */
function sumsOf<Key extends number | string>(
  sorted: readonly Part<Key>[],
  edge: Edge,
): (key: Key, orAt: boolean) => number {
  const sums = [0]
  for (const { count } of sorted) sums.push((sums.at(-1) as number) + count)
  return (key, orAt) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const at = (sorted[middle] as Part<Key>)[edge]
      if (at < key || (orAt && at === key)) low = middle + 1
      else high = middle
    }
    return sums[low] as number
  }
}
