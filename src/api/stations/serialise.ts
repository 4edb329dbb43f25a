import type Type from 'typebox'
import type { StationSummary } from '../../catalogue/records.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { Links, Parameter } from '../http/links.ts'
import { secondsToIso } from '../files/serialise.ts'
import type { stationSchema } from './schema.ts'

export type WireStation = Type.Static<typeof stationSchema>

export function serialiseStation(station: StationSummary, links: Links): WireStation {
  const { code, codes } = station
  // Without `file_version`, a code of 4 characters also matches all long codes that begin with it.
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
