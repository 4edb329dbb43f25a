/** Series as clients get them, sorted. Pure. */
import { periodRules } from '../../insight/series.ts'
import { seriesStates } from '../../insight/series-summary.ts'
import { countryOf } from '../../parse/countries.ts'
import { secondsToIso } from '../files/serialise.ts'
import type { NetworkState } from './network-states.ts'
import type { SeriesOrderKey, WireSeries } from './schema.ts'

export function serialiseSeries({ station, fileType, period, summary }: NetworkState): WireSeries {
  const { seconds } = periodRules[period]
  const startOf = (slot: number | undefined): string | null =>
    slot === undefined ? null : secondsToIso(slot * seconds)
  return {
    ...{ station, country: countryOf(station) ?? null, file_type: fileType, period },
    ...{ state: summary.state, since: startOf(summary.sinceSlot), usual_s: summary.usualLatency },
    last_slot: startOf(summary.lastSlot),
    last_arrival: summary.lastArrival === undefined ? null : secondsToIso(summary.lastArrival),
    share_28d: shareOrNull(summary.share),
    within_target_28d: shareOrNull(summary.withinTarget),
    class: summary.class ?? null,
  }
}

/** A share with four digits after the point. */
export function shareOrNull(share: number | undefined): number | null {
  return share === undefined ? null : Math.round(share * 10_000) / 10_000
}

/** Sorts series; missing values come last, and equal series are in the order of their stations. */
export function sortSeries(
  series: readonly WireSeries[],
  { key, descending }: { readonly key: SeriesOrderKey; readonly descending: boolean },
): readonly WireSeries[] {
  const valueOf = (each: WireSeries): string | number | null =>
    key === 'state' ? seriesStates.indexOf(each.state) : each[key]
  return series.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)]
    if (first === second) return 0
    if (first === null || second === null) return first === null ? 1 : -1
    return first < second === descending ? 1 : -1
  })
}

const columns = [
  ...(['station', 'country', 'file_type', 'period', 'state', 'since', 'usual_s'] as const),
  ...(['last_slot', 'last_arrival', 'share_28d', 'within_target_28d', 'class'] as const),
]

/** No value needs quotes. */
export function seriesCsv(series: readonly WireSeries[]): string {
  const lines = series.map((each) => columns.map((name) => each[name] ?? '').join())
  return `${[columns.join(), ...lines].join('\r\n')}\r\n`
}
