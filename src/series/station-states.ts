/** The states of series and stations, in the one order from bad to good. Pure. */
import type { SeriesKey } from './series.ts'
import type { SeriesPast, SeriesSummary } from './series-summary.ts'

/**
 * The states of series and stations, the worst first. `ended`: silent, because it was expected and
 * has delivered nothing for so long that it is not any more. `unknown` until the first scan has
 * ended.
 */
export const states = ['down', 'late', 'present', 'silent', 'ended', 'unknown'] as const
export type State = (typeof states)[number]

/** A series of the network with its state, and what tells which of its slots are expected. */
export interface StationSeries extends SeriesKey {
  readonly station: string
  readonly summary: SeriesSummary
  readonly past: Pick<SeriesPast, 'delivered' | 'damaged' | 'rules'>
}

/** The state of a series in the words that clients see. */
export function stateOf({ state, ended }: Pick<SeriesSummary, 'state' | 'ended'>): State {
  return ended ? 'ended' : state
}

/** The place of a state in the order from bad to good. */
export function severityOf(state: State): number {
  return states.indexOf(state)
}

/** The state of each station: the worst one of its series. */
export function stationStates(
  series: readonly Pick<StationSeries, 'station' | 'summary'>[],
): ReadonlyMap<string, State> {
  const worst = new Map<string, State>()
  for (const { station, summary } of series) {
    const [state, known] = [stateOf(summary), worst.get(station)]
    if (known === undefined || severityOf(state) < severityOf(known)) worst.set(station, state)
  }
  return worst
}

/** Number of the stations in each state. */
export function countStates(stations: ReadonlyMap<string, State>): Readonly<Record<State, number>> {
  const counts = { down: 0, late: 0, present: 0, silent: 0, ended: 0, unknown: 0 }
  for (const state of stations.values()) counts[state]++
  return counts
}
