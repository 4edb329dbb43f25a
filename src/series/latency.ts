/** Latencies: the seconds from the end of a slot to the arrival of its file. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import { lowerBound, percentile } from './ascending.ts'
import type { Period } from './series.ts'
import { periodRules } from './series.ts'

/**
 * The latency that is usual for a series: the median of its recent arrivals; `undefined` without
 * arrivals.
 */
export function usualLatency(ascending: ArrayLike<number>): number | undefined {
  return percentile(ascending, 0.5)
}

/**
 * The limit of lateness in seconds: an expected file that has not arrived this time after the end
 * of its slot is late. It is the 95th percentile of the recent arrivals within a day (01D: 3 days)
 * of the end of their slots, at least the target of the period and at most 24 hours; with too few
 * of these arrivals, a time that does not depend on them (see `PeriodRule`).
 */
export function lateAfter(period: Period, ascending: ArrayLike<number>): number {
  const { target, learnedWithin, leastArrivals, unlearnedLimit } = periodRules[period]
  const learned = lowerBound(ascending, learnedWithin + 1)
  if (learned < leastArrivals) return unlearnedLimit
  return Math.min(Math.max(percentile(ascending, 0.95, learned) ?? 0, target), secondsPerDay)
}

/**
 * Times in seconds. For each of them, the number of files that arrived within this time is
 * published. The target of hourly files is 600.
 */
const targets = [300, 600, 3600, 7200] as const

/** Upper bounds of the classes of the histogram, in seconds; the last class has no upper bound. */
const histogramBounds = [60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400]

interface LatencySummary {
  readonly count: number
  /** Number of arrivals within each target. */
  readonly within: ReadonlyMap<number, number>
  readonly median: number | undefined
  readonly p95: number | undefined
  /**
   * The classes: lower bound, upper bound (`undefined` for the last one) and number of arrivals.
   */
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
