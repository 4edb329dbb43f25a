/** The interface of the strategies that find the ids of a page. */
import type { Ordering } from '../filter.ts'
import type { Counts } from './counts.ts'
import type { Lookups } from './lookup-cache.ts'
import type { Slices } from './slices.ts'

/** Called between slices; throws to end a query. */
export type CheckDeadline = () => void

export interface Wanted {
  readonly ordering: Ordering
  readonly offset: number
  readonly limit: number
  /** Files of the selection. */
  readonly count: number
}

/** A strategy to find the ids of a page. */
export interface Strategy {
  /** CPU microseconds, estimated. */
  readonly costUs: number
  ids(checkDeadline: CheckDeadline): readonly number[]
}

export interface StrategyParts {
  readonly counts: Counts
  readonly lookups: Lookups
  readonly slices: Slices
}

/** A query with its estimated cost. */
export interface Plan<Answer> {
  /** CPU microseconds, estimated. */
  readonly costUs: number
  run(checkDeadline: CheckDeadline): Answer
}

export function planOf<Answer>(
  costUs: number,
  run: (checkDeadline: CheckDeadline) => Answer,
): Plan<Answer> {
  return { costUs, run }
}
