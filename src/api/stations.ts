import type { StationSummary } from '../catalogue/catalogue.ts'
import { secondsPerDay } from '../parse/calendar.ts'
import { pageUrl, stationUrl } from './links.ts'
import type { Links } from './links.ts'
import { secondsToIso } from './serialise.ts'

/** A station as clients get it: what its files tell by their names. */
export interface WireStation {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  readonly url: string
  /** ISO 3166-1 alpha-3, or null of a code that does not tell. */
  readonly country: string | null
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
  const { code } = station
  return {
    code,
    url: stationUrl(links, code),
    country: code.length === 9 ? code.slice(6) : null,
    first_data_date: dayToIso(station.firstDay),
    last_data_date: dayToIso(station.lastDay),
    count: station.files,
    area: station.byArea,
    file_type: station.byType,
    file_duration: station.byDuration,
    file_version: station.byVersion,
    files: pageUrl(links, 'rinex-file', [['station', code]]),
  }
}

function dayToIso(day: number): string {
  return secondsToIso(day * secondsPerDay).slice(0, 10)
}
