/** The states of series and stations, in the one order from bad to good. Pure. */
import type { SeriesKey } from './series.ts'
import type { SeriesPast, SeriesSummary } from './series-summary.ts'

/** The states of series and stations, the worst first, and what each means. */
export const stateMeanings = {
  down: 'it has no file, and the last slot with a file ended more than a day (01D: 3 days) and the limit ago',
  late: 'it has no file, and is not down',
  present: 'it has a file, also a damaged one, or had one',
  silent: 'it is not expected',
  ended:
    'silent, because the series was expected and has delivered nothing for so long (at most 90 days) that it is not any more; its figures go to its last file',
  unknown: 'until the first scan of the archive has ended',
} as const

export type State = keyof typeof stateMeanings
export const states = Object.keys(stateMeanings) as readonly State[]

/** How a station delivers, for a reader: `gaps` delivers now, and lost something in 28 days. */
export type StationDelivery = 'down' | 'late' | 'gaps' | 'delivers'

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
