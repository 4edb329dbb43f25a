/** Groups the losses of series into incidents: what one cause explains. Pure. */
import { isoOrNull, secondsPerHour, secondsToIso } from '../parse/calendar.ts'
import { countryOf } from '../parse/countries.ts'
import type { FileType } from '../parse/types.ts'
import { periods } from './series.ts'
import type { Period, SeriesKey } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'

/** A series of the network with its state. */
export interface StationSeries extends SeriesKey {
  readonly station: string
  readonly summary: SeriesSummary
}

/** A series with an alert, in the form that clients and receivers of messages get. */
export interface AlertSeries {
  readonly station: string
  readonly file_type: FileType
  readonly period: Period
  /** End of the last delivered slot; null if nothing was ever delivered. */
  readonly since: string | null
}

/** A series that is lost, or was lost until `ended`. */
export interface IncidentSeries extends AlertSeries {
  readonly kind: IncidentKind
  readonly ended: string | null
}

export const incidentKinds = ['late', 'down'] as const
export type IncidentKind = (typeof incidentKinds)[number]

/**
 * The lost series of one station, or of several stations of one country. All have the same period:
 * their daily and their hourly files are two incidents, because the last slots of different periods
 * do not end together.
 */
export interface Incident {
  /**
   * Names the place, the period and `since`: the incident keeps its id when it becomes `down`, and
   * when series join that were lost later. A later incident has another one.
   */
  readonly id: string
  /** `down` if one of its series is. */
  readonly kind: IncidentKind
  readonly period: Period
  /** The station; null for an incident of a country. */
  readonly station: string | null
  /** The code of the country; null for an incident of a station. */
  readonly country: string | null
  /** All its stations, by code. */
  readonly stations: readonly string[]
  /**
   * Number of the stations of the country that are expected with files of this period; null for an
   * incident of a station.
   */
  readonly expected_stations: number | null
  readonly series: readonly IncidentSeries[]
  /**
   * Of a station, the first end of the last delivered slot of one of its series; of a country, the
   * first time from which nothing of one of its stations came. Null if nothing was ever delivered.
   */
  readonly since: string | null
  readonly as_of: string
  /** End of the last slot that was lost; null while it is open. */
  readonly ended: string | null
}

/** A series that is lost; times in seconds since 1970. */
export interface Loss extends SeriesKey {
  readonly station: string
  readonly kind: IncidentKind
  /** End of the last delivered slot; `undefined` if nothing was ever delivered. */
  readonly since: number | undefined
  /** End of the last lost slot; `undefined` while the series is lost. */
  readonly ended: number | undefined
}

/** The losses of a station that are one, all of the same period. */
export interface StationLoss {
  readonly station: string
  readonly losses: readonly Loss[]
  /** End of the last delivered slot of all these series; `undefined` if there is none. */
  readonly end: number | undefined
}

/** The longest time between the ends of the last slots of stations that one cause explains. */
export const togetherSeconds = secondsPerHour

/** The fewest stations of an incident of a country. */
const leastStations = 3

/**
 * Finds the open incidents, the longest loss first: the series that are late or down now, grouped
 * by station, and the stations grouped by country (see `byCountry`).
 * @param asOf seconds since 1970
 */
export function openIncidents(states: readonly StationSeries[], asOf: number): readonly Incident[] {
  return periods
    .flatMap((period) => {
      const own = states.filter((each) => each.period === period)
      const byStation = Map.groupBy(own.flatMap(openLoss), ({ station }) => station)
      const lost = [...byStation.values()].flatMap(stationLoss)
      const expectedIn = (country: string): ReadonlySet<string> =>
        new Set(
          own
            .filter(({ station, summary }) => summary.isExpected && countryOf(station) === country)
            .map(({ station }) => station),
        )
      return byCountry(lost, expectedIn, asOf)
    })
    .sort(longestFirst)
}

/** The loss of a series that is late or down now. */
function openLoss({ station, fileType, period, summary }: StationSeries): readonly Loss[] {
  const { state: kind, since } = summary
  if (kind !== 'late' && kind !== 'down') return []
  return [{ station, fileType, period, kind, since, ended: undefined }]
}

/** All losses of a station; nothing of none. */
export function stationLoss(losses: readonly Loss[]): readonly StationLoss[] {
  const [first] = losses
  if (first === undefined) return []
  return [{ station: first.station, losses, end: latest(losses.map(({ since }) => since)) }]
}

/**
 * Groups stations by country. From the longest loss on, the stations of a country whose last
 * delivered slots ended at most 60 minutes after that of the first are one incident, if they are at
 * least three and at least half of the stations that are expected. All others are incidents of
 * their own, as are stations without a country, and those of which nothing was ever delivered.
 * @param lost all of the same period
 * @param expectedIn the stations of a country that are expected when the slots after `end` are lost
 */
export function byCountry(
  lost: readonly StationLoss[],
  expectedIn: (country: string, end: number) => ReadonlySet<string>,
  asOf: number,
): readonly Incident[] {
  return [...Map.groupBy(lost, ({ station }) => countryOf(station))].flatMap(([country, group]) => {
    if (country === undefined) return group.map((each) => incidentOf([each], {}, asOf))
    const sorted = group.toSorted((a, b) => (a.end ?? -Infinity) - (b.end ?? -Infinity))
    const incidents: Incident[] = []
    for (let next = 0; next < sorted.length;) {
      const latest = (sorted[next]?.end ?? NaN) + togetherSeconds
      let after = next
      while ((sorted[after]?.end ?? NaN) <= latest) after++
      const together = sorted.slice(next, after)
      const end = together.at(-1)?.end
      const codes = new Set(together.map(({ station }) => station))
      const isEnough = end !== undefined && codes.size >= leastStations
      const expected = isEnough ? new Set([...codes, ...expectedIn(country, end)]).size : Infinity
      const isCountry = codes.size * 2 >= expected
      const members = isCountry ? together : sorted.slice(next, next + 1)
      incidents.push(incidentOf(members, isCountry ? { country, expected } : {}, asOf))
      next += members.length
    }
    return incidents
  })
}

/** @param of the country of an incident, with the number of its stations that are expected */
function incidentOf(
  members: readonly StationLoss[],
  of: { readonly country?: string; readonly expected?: number },
  asOf: number,
): Incident {
  const losses = members.flatMap((each) => each.losses)
  const { country = null, expected = null } = of
  const station = country === null ? (members[0]?.station ?? null) : null
  const period = losses[0]?.period ?? '01D'
  const begins = country === null ? losses.map(({ since }) => since) : members.map(({ end }) => end)
  const since = isoOrNull(earliest(begins))
  const ends = losses.map(({ ended }) => ended)
  return {
    id: ['loss', station ?? country, period, since ?? 'never'].join('-'),
    kind: losses.some(({ kind }) => kind === 'down') ? 'down' : 'late',
    period,
    station,
    country,
    stations: [...new Set(members.map((each) => each.station))].sort(),
    expected_stations: expected,
    series: losses.map(seriesOf).sort((a, b) => compareText(a.station, b.station)),
    since,
    as_of: secondsToIso(asOf),
    ended: ends.includes(undefined) ? null : isoOrNull(latest(ends)),
  }
}

function seriesOf({ station, fileType, period, kind, since, ended }: Loss): IncidentSeries {
  const times = { since: isoOrNull(since), ended: isoOrNull(ended) }
  return { station, file_type: fileType, period, kind, ...times }
}

/** Compares by the begin of the loss; of equal ones, the one with more stations comes first. */
export function longestFirst(a: Incident, b: Incident): number {
  return (
    compareText(a.since ?? '', b.since ?? '') ||
    b.stations.length - a.stations.length ||
    compareText(a.id, b.id)
  )
}

/** Orders texts by their code units, as ISO times sort. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
