import type { StationSummary } from '../../catalogue/records.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { Links, Parameter } from '../http/links.ts'
import { secondsToIso } from '../files/serialise.ts'

/** A station as clients get it: what its files tell by their names. */
export interface WireStation {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  /** All codes whose files are counted. */
  readonly codes: readonly string[]
  readonly url: string
  /** ISO 3166-1 alpha-3, or null of a code that does not tell. */
  readonly country: string | null
  /** Whether it is no station but merged navigation data of many. */
  readonly merged: boolean
  /** Dates on which the earliest and the latest data start: `2026-01-22`. */
  readonly first_data_date: string
  readonly last_data_date: string
  readonly count: number
  readonly area: StationSummary['byArea']
  readonly file_type: StationSummary['byType']
  readonly file_duration: StationSummary['byDuration']
  readonly file_version: StationSummary['byVersion']
  /** The list of its files. */
  readonly files: string
}

export function serialiseStation(station: StationSummary, links: Links): WireStation {
  const { code, codes } = station
  // Four characters alone would find the files of every long code that begins with them.
  const isShort = codes.every((each) => each.length === 4)
  const shortNames: readonly Parameter[] = isShort ? [['file_version', 'r2']] : []
  return {
    code,
    codes,
    url: stationUrl(links, code),
    country: codes.map(countryOf).find((country) => country !== undefined) ?? null,
    merged: isMergedNavigation(code),
    first_data_date: dayToIso(station.firstDay),
    last_data_date: dayToIso(station.lastDay),
    count: station.files,
    area: station.byArea,
    file_type: station.byType,
    file_duration: station.byDuration,
    file_version: station.byVersion,
    files: pageUrl(links, 'rinex-file', [...shortNames, ['station', codes.join(',')]]),
  }
}

function dayToIso(day: number): string {
  return secondsToIso(day * secondsPerDay).slice(0, 10)
}
