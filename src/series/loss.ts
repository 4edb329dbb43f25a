/**
 * A loss is what one cause explains of the series that are late or down now. Pure; times in seconds
 * since 1970.
 */
import { secondsToIso } from '../parse/calendar.ts'
import type { DueTimes } from './due.ts'
import type { SeriesKey } from './series.ts'

/** A series that is late or down, or has damaged files. */
export interface LostSeries extends SeriesKey, DueTimes {
  readonly station: string
  readonly kind: 'late' | 'down' | 'damaged'
  /**
   * End of the last slot with a file; `undefined` if there was never one. Of damaged files, when
   * the first was found so.
   */
  readonly since: number | undefined
  /** The damaged slots, ascending. */
  readonly damaged?: readonly number[]
}

/**
 * `late`, `down`: a station, or stations of a country. `ingest-stalled`: nothing arrives from any
 * station. `damaged`: files of a station.
 */
export const lossKinds = ['ingest-stalled', 'down', 'late', 'damaged'] as const
type LossKind = (typeof lossKinds)[number]

/** Series that are late, down or damaged, by one cause. */
export interface Loss {
  /**
   * Names the place and `since`: the loss keeps its id when it becomes `down`, and when series join
   * that were lost later. A later loss has another one.
   */
  readonly id: string
  /** `down` if one of its series is. */
  readonly kind: LossKind
  /** The station; `undefined` for a loss of a country or of all. */
  readonly station: string | undefined
  /** The code of the country; `undefined` for a loss of a station or of all. */
  readonly country: string | undefined
  /** All its stations, by code. */
  readonly stations: readonly string[]
  /** Number of the stations of the country that are expected; `undefined` without a country. */
  readonly expectedStations: number | undefined
  readonly series: readonly LostSeries[]
  /**
   * End of the last slot with a file: of a station, of the series that was late first; of a
   * country, of the station that stopped first. `undefined` if there was never a file.
   */
  readonly since: number | undefined
  /** Time at which the first missing slot was late. */
  readonly due: number
  readonly lateSeconds: number
  /** True if it has been late for an hour, or for its limit if that is longer. */
  readonly alert: boolean
}

/** @param found.place the station or the country, which is part of the id */
export function lossOf(found: {
  readonly kind: LossKind
  readonly place: Partial<Pick<Loss, 'station' | 'country' | 'expectedStations'>>
  readonly series: readonly LostSeries[]
  readonly since: number | undefined
  readonly due: number
  readonly alert: boolean
  readonly asOf: number
}): Loss {
  const { kind, series, since, due, alert, asOf } = found
  const { station, country, expectedStations } = found.place
  const name = kind === 'late' || kind === 'down' ? 'loss' : kind
  const begin = since === undefined ? 'never' : secondsToIso(since)
  return {
    id: [name, station ?? country, begin].filter((part) => part !== undefined).join('-'),
    kind,
    station,
    country,
    stations: codesOf(series),
    expectedStations,
    series: series.toSorted(bySeries),
    since,
    due,
    // Damage may be found after `asOf`.
    lateSeconds: Math.max(0, asOf - due),
    alert,
  }
}

/** The stations of some series, by code. */
function codesOf(series: readonly LostSeries[]): readonly string[] {
  return [...new Set(series.map(({ station }) => station))].sort()
}

/** By station; of a station, the one that was late first. */
function bySeries(a: LostSeries, b: LostSeries): number {
  return compareText(a.station, b.station) || a.due - b.due
}

/** Of losses of one time, the one with more stations comes first. */
export function newestFirst(a: Loss, b: Loss): number {
  return b.due - a.due || b.stations.length - a.stations.length || compareText(a.id, b.id)
}

/** Orders texts by their code units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
