/** The figures of the network: its verdict, its stations by state, its last 28 days. Pure. */
import { secondsPerHour } from '../../parse/calendar.ts'
import { sumOf } from '../../series/completeness.ts'
import { endOfSlot } from '../../series/series.ts'
import { countStates } from '../../series/station-states.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'
import type { NetworkState } from '../series/network-context.ts'
import { verdictOf } from './verdict.ts'

export type NetworkFigures = ReturnType<typeof figuresOf>

export interface KnownNetwork {
  readonly network: NetworkState
  readonly figures: NetworkFigures
}

/** @param now seconds since 1970 by our clock */
export function figuresOf(network: NetworkStatus, now: number) {
  const { states, stations } = network
  const { ended, ...inStates } = countStates(stations)
  // Files that arrived after `asOf` count too.
  const { seconds: asOf } = network.asOf
  return {
    verdict: verdictOf(network, now),
    /** Stations that have not ended, also by their states. */
    stations: stations.size - ended,
    inStates,
    ended,
    total: totalOf(states),
    /** Files of the last hour; `undefined` until the first scan has ended. */
    arrivals: asOf === undefined ? undefined : arrivalsIn(states, asOf - secondsPerHour, now),
  }
}

/**
 * The last 28 days of all series. One that is neither expected nor delivered, such as one of a few
 * stray files, says nothing about the network.
 */
function totalOf(states: readonly KnownSeries[]) {
  return sumOf(
    states
      .map(({ summary }) => summary)
      .filter(({ ended, expected, delivered }) => !ended && (expected > 0 || delivered > 0)),
  )
}

/**
 * Slots whose first file was seen arriving from a time until now. Those of scans do not count, nor
 * those that came, as it seems, after now, because the clock was set back.
 */
function arrivalsIn(states: readonly KnownSeries[], from: number, now: number): number {
  let count = 0
  for (const { period, past } of states)
    past.arrivals.slots.forEach((slot, index) => {
      const arrived = endOfSlot(slot, period) + (past.arrivals.latencies[index] ?? NaN)
      if (arrived >= from && arrived <= now) count++
    })
  return count
}
