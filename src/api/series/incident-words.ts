/** One sentence for each incident, for its pages, its feed and the network. Pure. */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import type { Incident, IncidentSeries } from '../../series/incidents.ts'
import type { Period } from '../../series/series.ts'
import type { Parameter } from '../http/context.ts'
import { counted, periodLabel, readableDuration, readableTime, typeLabel } from '../pages/labels.ts'

/**
 * `Norway: 8 of 8 stations, nothing since 10:00, for 5 h 40`, `MATE00ITA: down for 9 days`. Names
 * the period if it is not an hour, and the type if all its series have one other than observation.
 */
export function incidentWords(incident: Incident): string {
  const { country, station, stations, expected_stations: expected } = incident
  const kind = qualifier(incident)
  if (country === null) return `${station ?? ''}${kind}: ${stationWords(incident)}`
  const count = `${stations.length} of ${counted(expected ?? stations.length, 'station', 'stations')}`
  return `${countryName(country)}${kind}: ${count}, ${countryWords(incident)}`
}

/**
 * A sentence that stays the same while nothing changes, for feeds: `Norway: 8 of 8 stations late,
 * nothing since 2026-01-22 10:00 UTC`, `Over: MATE00ITA: down from … to …`.
 */
export function incidentNews(incident: Incident): string {
  const { country, station, stations, expected_stations: expected, kind, since, ended } = incident
  if (ended !== null) return `Over: ${incidentWords(incident)}`
  const count = counted(expected ?? stations.length, 'station', 'stations')
  const who =
    country === null
      ? `${station ?? ''}${qualifier(incident)}:`
      : `${countryName(country)}${qualifier(incident)}: ${stations.length} of ${count}`
  const start =
    since === null ? 'nothing was ever delivered' : `nothing since ${readableTime(since)} UTC`
  return `${who} ${kind}, ${start}`
}

/** `GRAZ00AUT observation files: nothing since 2026-01-22 05:00 UTC, late`. */
export function incidentSeriesWords(series: IncidentSeries): string {
  const { station, file_type: type, kind, since, ended } = series
  const name = `${station} ${typeLabel(type)} files`
  if (ended !== null)
    return `${name}: nothing from ${readableTime(since)} to ${readableTime(ended)} UTC`
  const loss = since === null ? 'never delivered' : `nothing since ${readableTime(since)} UTC`
  return `${name}: ${loss}, ${kind}`
}

/** The parameter that asks for the place of an incident. */
export function placeOf({ station, country }: Incident): Parameter {
  return station === null ? ['country', country ?? ''] : ['station', station]
}

/** How long an incident lasts, or lasted, in seconds; null if nothing was ever delivered. */
export function incidentSeconds({ since, ended, as_of: asOf }: Incident): number | null {
  return since === null ? null : (Date.parse(ended ?? asOf) - Date.parse(since)) / 1000
}

/** ` (day)`, ` (navigation)`, ` (15 minutes, navigation)`, or nothing. */
function qualifier({ period, series }: Incident): string {
  const [type, ...others] = new Set(series.map(({ file_type: type }) => type))
  const words = [
    ...(period === '01H' ? [] : [periodLabel(period)]),
    ...(type === undefined || type === 'o' || others.length > 0 ? [] : [typeLabel(type)]),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

function stationWords(incident: Incident): string {
  const { kind, since, ended, period } = incident
  const length = `for ${readableDuration(incidentSeconds(incident))}`
  if (since === null) return 'nothing was ever delivered'
  if (ended !== null) return `${kind} ${rangeWords(since, ended, period)}, ${length}`
  return kind === 'down' ? `down ${length}` : `late since ${sinceWords(incident)}, ${length}`
}

function countryWords(incident: Incident): string {
  const { since, ended, period } = incident
  const length = `for ${readableDuration(incidentSeconds(incident))}`
  if (since === null) return 'nothing was ever delivered'
  const when = ended === null ? `since ${sinceWords(incident)}` : rangeWords(since, ended, period)
  return `nothing ${when}, ${length}`
}

/** `10:00`, with its date on another day; of daily files, the day without a file. */
function sinceWords({ since, as_of: asOf, period }: Incident): string {
  return period === '01D' ? readableDay(since) : shortTime(since ?? asOf, asOf)
}

/** `from 2026-01-22 10:00 to 15:00`; of daily files, the days without a file. */
function rangeWords(since: string, ended: string, period: Period): string {
  if (period !== '01D') return `from ${readableTime(since)} to ${shortTime(ended, since)}`
  const last = dayToIso(Date.parse(ended) / 1000 / secondsPerDay - 1)
  return `from ${readableDay(since)} to ${last}`
}

function readableDay(iso: string | null): string {
  return readableTime(iso).slice(0, 10)
}

/** The time without its date, if another time is on the same day. */
function shortTime(iso: string, other: string): string {
  return iso.slice(0, 10) === other.slice(0, 10) ? iso.slice(11, 16) : readableTime(iso)
}
