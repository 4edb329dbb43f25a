/** The order of texts, and values in ascending numbers. Pure. */

/**
 * A percentile of the first `count` values by nearest rank: `share` (0 to 1) of them are at or
 * below it; `undefined` without values.
 */
export function percentile(
  ascending: ArrayLike<number>,
  share: number,
  count = ascending.length,
): number | undefined {
  if (count === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * count))
  return ascending[rank - 1]
}

/** The index of the first value that is not below a bound. */
export function lowerBound(ascending: ArrayLike<number>, bound: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? NaN) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Orders texts by their code units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
