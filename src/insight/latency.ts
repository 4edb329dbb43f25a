/** How long after the end of their slots the files of a series arrive. Pure; latencies in seconds. */
import { secondsPerDay } from '../parse/calendar.ts'
import { periodRules } from './series.ts'
import type { Period } from './series.ts'

/** The value below which this share of the values lies, by nearest rank; `undefined` without values. */
export function percentile(ascending: ArrayLike<number>, share: number): number | undefined {
  if (ascending.length === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * ascending.length))
  return ascending[rank - 1]
}

/**
 * The usual latency: the 95th percentile of the latencies of the last 28 days, at least 5 minutes (15M), 10 minutes (01H) or 2 hours
 * (01D), at most 24 hours. Without latencies, the lower bound.
 */
export function usualLatency(period: Period, ascending: ArrayLike<number>): number {
  const { leastUsual } = periodRules[period]
  return Math.min(Math.max(percentile(ascending, 0.95) ?? 0, leastUsual), secondsPerDay)
}
