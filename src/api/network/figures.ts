/** The figures of the network: its verdict, its stations by state, its last 28 days. Pure. */
import { sumOf } from '../../series/completeness.ts'
import { countStates } from '../../series/station-states.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'
import type { NetworkState } from '../series/network-context.ts'
import { recentArrivals } from './arrivals.ts'
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
  const recent = recentArrivals(network)
  const isKnown = network.asOf.seconds !== undefined
  return {
    verdict: verdictOf(network, now, recent),
    /** Stations that have not ended, also by their states. */
    stations: stations.size - ended,
    inStates,
    ended,
    total: totalOf(states),
    /**
     * Files of the last hour; `undefined` until the first scan has ended. Of a clock that was set
     * back, those that came, as it seems, after now do not count.
     */
    arrivals: isKnown
      ? [...recent.values()].flat().filter((time) => time <= now).length
      : undefined,
  }
}

/**
 * The last 28 days of all series. One that is neither expected nor delivered, such as one of a few
 * stray files, says nothing about the network.
 */
function totalOf(states: readonly KnownSeries[]) {
  const counted = states
    .map(({ summary }) => summary)
    .filter(({ ended, expected, delivered }) => !ended && (expected > 0 || delivered > 0))
  return { ...sumOf(counted), half: counted.reduce((sum, { half }) => sum + half, 0) }
}
