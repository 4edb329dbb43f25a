/** Latencies: the seconds from the end of a slot to the arrival of its file. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import { periodRules } from './series.ts'
import type { Period } from './series.ts'

/** A percentile by nearest rank: `share` (0 to 1) of the values are at or below it; `undefined` without values. */
export function percentile(ascending: ArrayLike<number>, share: number): number | undefined {
  if (ascending.length === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * ascending.length))
  return ascending[rank - 1]
}

/**
 * The usual latency: the 95th percentile of the latencies of the last 28 days, at least 5 minutes (15M), 10 minutes (01H) or 2
 * hours (01D), at most 24 hours. Without latencies, the lower bound.
 */
export function usualLatency(period: Period, ascending: ArrayLike<number>): number {
  const { leastUsual } = periodRules[period]
  return Math.min(Math.max(percentile(ascending, 0.95) ?? 0, leastUsual), secondsPerDay)
}

/**
 * Times in seconds. For each of them, the number of files that arrived within this time is published. The target of hourly files
 * is 600.
 */
export const targets = [300, 600, 3600, 7200] as const

/** Upper bounds of the classes of the histogram, in seconds; the last class has no upper bound. */
const histogramBounds = [60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400]

export interface LatencySummary {
  readonly count: number
  /** Number of arrivals within each target. */
  readonly within: ReadonlyMap<number, number>
  readonly median: number | undefined
  readonly p95: number | undefined
  /** The classes: lower bound, upper bound (`undefined` for the last one) and number of arrivals. */
  readonly histogram: readonly (readonly [from: number, to: number | undefined, count: number])[]
}

/** @param latencies in any order */
export function summariseLatencies(latencies: readonly number[]): LatencySummary {
  const ascending = latencies.toSorted((a, b) => a - b)
  const upTo = (bound: number): number => latencies.filter((each) => each <= bound).length
  return {
    count: latencies.length,
    within: new Map(targets.map((target) => [target, upTo(target)])),
    median: percentile(ascending, 0.5),
    p95: percentile(ascending, 0.95),
    histogram: [...histogramBounds, undefined].map((to, index) => {
      const from = histogramBounds[index - 1] ?? 0
      const below = index === 0 ? 0 : upTo(from)
      return [from, to, upTo(to ?? Infinity) - below] as const
    }),
  }
}
