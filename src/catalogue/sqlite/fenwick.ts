/**
 * A Fenwick tree: a growing row of counts, of which any is changed, and any place in their sum found, in a logarithm
 * of its length. (P. Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994.)
 */
export interface Fenwick {
  readonly total: number
  /** Sets the count at an index, which may be any that is not negative. */
  set(index: number, count: number): void
  at(index: number): number
  /** The index whose count covers a place of the sum, from 0, and how far into that count it is. */
  find(place: number): { readonly index: number; readonly rest: number }
}

export function openFenwick(): Fenwick {
  let counts = new Uint32Array(1024)
  let sums = new Float64Array(1025)
  let total = 0
  const add = (index: number, growth: number): void => {
    for (let at = index + 1; at < sums.length; at += at & -at) sums[at] = (sums[at] ?? 0) + growth
  }
  const growTo = (length: number): void => {
    const larger = new Uint32Array(2 ** Math.ceil(Math.log2(length)))
    larger.set(counts)
    counts = larger
    sums = new Float64Array(larger.length + 1)
    // Each sum is passed on to the one that contains it: all of them in one pass.
    for (let at = 1; at < sums.length; at++) {
      const sum = (sums[at] ?? 0) + (counts[at - 1] ?? 0)
      const parent = at + (at & -at)
      sums[at] = sum
      if (parent < sums.length) sums[parent] = (sums[parent] ?? 0) + sum
    }
  }
  return {
    get total() {
      return total
    },
    set(index, count) {
      if (index >= counts.length) growTo(index + 1)
      const growth = count - (counts[index] ?? 0)
      if (growth === 0) return
      counts[index] = count
      total += growth
      add(index, growth)
    },
    at: (index) => counts[index] ?? 0,
    find(place) {
      let index = 0
      let rest = place
      for (let step = counts.length; step > 0; step >>= 1) {
        const sum = sums[index + step]
        if (sum !== undefined && sum <= rest) {
          index += step
          rest -= sum
        }
      }
      return { index, rest }
    },
  }
}
