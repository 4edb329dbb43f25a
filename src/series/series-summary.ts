/** The state of a series now, and its figures of the last 28 days. Pure. */
import { lowerBound } from './ascending.ts'
import type { Completeness, ShareClass } from './completeness.ts'
import { completenessOf, ratio, shareClass } from './completeness.ts'
import type { Arrivals } from './delivery-window.ts'
import { lateAfter, usualLatency } from './latency.ts'
import type { Period } from './series.ts'
import { periodRules, recentDays, slotAt, slotsPerDay } from './series.ts'
import type { SeriesHistory, SeriesState, SlotRange, StateRun } from './slot-states.ts'
import { slotStates } from './slot-states.ts'

/** The slots in question are those of the last 28 days. */
export interface SeriesPast extends SeriesHistory {
  /** Arrivals of at least the last 28 days. */
  readonly arrivals: Arrivals
}

/** A series now, and in its last 28 days. */
export interface SeriesSummary extends Completeness {
  /** Number of the slots of the last 28 days that were expected, and of those that are half. */
  readonly expected: number
  readonly half: number
  readonly state: SeriesState
  /** See `StateNow`. */
  readonly since: number | undefined
  readonly isExpected: boolean
  readonly ended: boolean
  /** The median of the latencies of the last 28 days, in seconds. */
  readonly usualLatency: number | undefined
  /** The limit of lateness, in seconds. */
  readonly lateAfter: number
  /** The newest delivered slot; `undefined` if there is none. */
  readonly lastSlot: number | undefined
  /**
   * Time of the latest arrival of a file of any slot, in seconds since 1970, up to `asOf`. Counts
   * only files that were seen arriving.
   */
  readonly lastArrival: number | undefined
  /** The class of the completeness; `undefined` also for a series that has ended. */
  readonly class: ShareClass | undefined
  /**
   * Share of the arrivals of the last 28 days that were within the target of the period, 0 to 1;
   * `undefined` without arrivals.
   */
  readonly withinTarget: number | undefined
  /** The states of the slots of the last 28 days and of the current slot. */
  readonly runs: readonly StateRun[]
}

/** The slots of the last 28 days and the current slot. */
export function recentSlots(period: Period, asOf: number): SlotRange {
  const to = slotAt(asOf, period)
  return { from: to - recentDays * slotsPerDay(period), to }
}

/** @param asOf seconds since 1970 */
export function summariseSeries(past: SeriesPast, asOf: number): SeriesSummary {
  const { delivered, arrivals } = past
  const { period } = delivered
  const range = recentSlots(period, asOf)
  const latencies = latenciesIn(arrivals, range)
  const limit = lateAfter(period, latencies)
  const looking = { asOf, lateAfter: limit }
  const { runs, now: state, expected, half, ...figures } = slotStates(past, range, looking)
  const completeness = completenessOf(figures)
  return {
    ...state,
    ...completeness,
    expected,
    half,
    class: state.ended ? undefined : shareClass(completeness.completeness),
    usualLatency: usualLatency(latencies),
    lateAfter: limit,
    lastSlot: delivered.lastUpTo(range.to),
    lastArrival: lastArrivalOf(arrivals, period, asOf),
    withinTarget: withinTarget(period, latencies),
    runs,
  }
}

/** The summary of a series before the first scan has ended. */
export function unknownSummary(lastSlot: number | undefined, period: Period): SeriesSummary {
  return {
    ...completenessOf({ possible: 0, delivered: 0 }),
    expected: 0,
    half: 0,
    state: 'unknown',
    since: undefined,
    isExpected: false,
    ended: false,
    class: undefined,
    usualLatency: undefined,
    lateAfter: lateAfter(period, []),
    lastSlot,
    lastArrival: undefined,
    withinTarget: undefined,
    runs: [],
  }
}

/** The latencies of the slots of a range in seconds, at least 0, ascending. */
export function latenciesIn({ slots, latencies }: Arrivals, range: SlotRange): Int32Array {
  const [from, end] = [lowerBound(slots, range.from), lowerBound(slots, range.to + 1)]
  // A typed array sorts numbers without a comparison function.
  return Int32Array.from(latencies.slice(from, end), (latency) => Math.max(0, latency)).sort()
}

/** Share of ascending latencies within the target of the period; `undefined` without latencies. */
export function withinTarget(period: Period, ascending: ArrayLike<number>): number | undefined {
  return ratio(lowerBound(ascending, periodRules[period].target + 1), ascending.length)
}

/**
 * The latest arrival up to a time. If the clock was set back, later slots may have files, and
 * arrivals may be ahead of it: these are not known.
 */
export function lastArrivalOf(
  { slots, latencies }: Arrivals,
  period: Period,
  until: number,
): number | undefined {
  const { seconds } = periodRules[period]
  let last = -Infinity
  // A plain loop: the network has a million arrivals.
  for (let index = lowerBound(slots, slotAt(until, period) + 1) - 1; index >= 0; index--) {
    const arrival = ((slots[index] ?? NaN) + 1) * seconds + (latencies[index] ?? NaN)
    if (arrival <= until && arrival > last) last = arrival
  }
  return last === -Infinity ? undefined : last
}
