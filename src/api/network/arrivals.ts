/** The arrivals of the last hour. Pure. */
import { secondsPerHour } from '../../parse/calendar.ts'
import { periodRules } from '../../series/series.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'

/** In seconds since 1970, without order. */
export type RecentArrivals = ReadonlyMap<KnownSeries, readonly number[]>

/**
 * When the first files of slots were seen arriving: from an hour before `asOf` on, also after it;
 * nothing is known before the first scan has ended. Those of scans do not count.
 */
export function recentArrivals({
  states,
  asOf: { seconds: asOf },
}: Pick<NetworkStatus, 'states' | 'asOf'>): RecentArrivals {
  return new Map(states.map((each) => [each, arrivalsSince(each, (asOf ?? NaN) - secondsPerHour)]))
}

function arrivalsSince({ period, past }: KnownSeries, from: number): readonly number[] {
  const { seconds } = periodRules[period]
  const { slots, latencies } = past.arrivals
  const found: number[] = []
  // A plain loop: the network has a million arrivals.
  for (let index = 0; index < slots.length; index++) {
    const arrived = ((slots[index] ?? NaN) + 1) * seconds + (latencies[index] ?? NaN)
    if (arrived >= from) found.push(arrived)
  }
  return found
}

/** The latest arrival of some series up to a time, at which the clock may be set back. */
export function latestArrival(
  states: readonly KnownSeries[],
  recent: RecentArrivals,
  until: number,
): number {
  const times = states.flatMap((each) => [
    each.summary.lastArrival ?? -Infinity,
    ...(recent.get(each) ?? []),
  ])
  return times.reduce((last, time) => (time > last && time <= until ? time : last), -Infinity)
}
