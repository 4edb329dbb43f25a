/** Chance that a seed tells, so that what happened once can be made to happen again. */

export type Chance = ReturnType<typeof openChance>

export function openChance(seed: number) {
  const random = openRandom(seed)
  const below = (most: number): number => Math.floor(random() * most)
  return {
    random,
    /** A whole number from 0 to below the given one. */
    below,
    /** True in so many of 1 cases. */
    may: (share: number): boolean => random() < share,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
  }
}

/** Numbers from 0 to below 1: a linear congruence modulo 2^32, of which the upper bits are good enough. */
export function openRandom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
