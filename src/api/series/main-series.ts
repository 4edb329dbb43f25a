import type { NetworkState } from './network-states.ts'

/** One observation series of each station: hourly if there is one with expected files, otherwise daily. */
export function mainSeries(states: readonly NetworkState[]): ReadonlyMap<string, NetworkState> {
  const byStation = new Map<string, NetworkState>()
  for (const each of states) {
    const known = byStation.get(each.station)
    if (each.fileType !== 'o' || each.period === '15M') continue
    if (known === undefined || rank(each) > rank(known)) byStation.set(each.station, each)
  }
  return byStation
}

function rank({ period, summary }: NetworkState): number {
  return (summary.share === undefined ? 0 : 2) + (period === '01H' ? 1 : 0)
}
