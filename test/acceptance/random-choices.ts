/** Random choices; the same seed gives the same choices. */

export type Random = ReturnType<typeof openRandom>

export function openRandom(seed: number) {
  let state = seed >>> 0
  /** A number from 0 to below 1, by a linear congruential generator modulo 2^32. */
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    /** An integer from 0 to below the limit. */
    below,
    /** True with this probability. */
    isTrue: (probability: number): boolean => next() < probability,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
  }
}
