import type { Ranks } from './parts.ts'
import type { Listed } from './places.ts'

/** Records among which some ranks of a sorted list are to be found, in no order. */
export interface Candidates {
  readonly ids: readonly number[]
  /** How many of the list come before all ranks that were asked for, and are not among them. */
  readonly before: number
}

/** Finds them by what the columns tell of an order; nothing when time was up before the end, as for a tally. */
export type Order = (listed: Listed, ranks: Ranks) => Candidates | undefined
