/** What the network knows of each of its stations, for the list of stations. */
import { stationDays } from '../../series/station-days.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'
import type { KnownStation } from './how-words.ts'

/** A station with its main series, which it may not have. */
interface StationOfNetwork {
  readonly known: KnownStation
  readonly series: SeriesStatus | undefined
}

const kept = new WeakMap<NetworkStatus['states'], ReadonlyMap<string, StationOfNetwork>>()

/** The stations of a network, by their codes; computed once for each of its states. */
export function knownStations(network: NetworkStatus): ReadonlyMap<string, StationOfNetwork> {
  const found = kept.get(network.states) ?? stationsOf(network)
  kept.set(network.states, found)
  return found
}

function stationsOf({ states, losses, asOf }: NetworkStatus): Map<string, StationOfNetwork> {
  const main = mainSeries(states)
  const lossOf = new Map(
    losses
      .filter(({ kind }) => kind === 'down' || kind === 'late')
      .flatMap((loss) => loss.stations.map((station) => [station, loss] as const)),
  )
  const now = asOf.seconds ?? 0
  const byStation = Map.groupBy(states, ({ station }) => station)
  return new Map(
    Array.from(byStation, ([station, series]) => [
      station,
      {
        known: { ...stationDays(series, now), series, loss: lossOf.get(station), asOf: now },
        series: main.get(station),
      },
    ]),
  )
}
