/** Parses requests for the list of stations, and serialises stations. Pure. */
import type Type from 'typebox'
import { stationOrderKeys } from '../../catalogue/reader.ts'
import type { StationOrdering } from '../../catalogue/reader.ts'
import type { FileFilter } from '../../catalogue/filter.ts'
import type { StationSummary } from '../../catalogue/records.ts'
import { seriesStates } from '../../series/slot-states.ts'
import type { SeriesState } from '../../series/slot-states.ts'
import { dayToIso } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { badFields } from '../http/errors.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { Links, Parameter } from '../http/links.ts'
import { lastValue, listedValues } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { invalidChoice } from '../parameters/filter-values.ts'
import { stationParameters } from '../parameters/file-filters.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'
import type { stationSchema } from './schema.ts'

export interface StationsRequest {
  readonly filter: FileFilter
  /** The part of a code that is searched, in upper case. */
  readonly search: string
  /** Only stations whose main series is in one of these states; `undefined` for all stations. */
  readonly states: readonly SeriesState[] | undefined
  readonly ordering: StationOrdering
  /** Parameters that links to other pages repeat. The links sort them. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
}

/** @throws HttpError 400 with all faults */
export function parseStationsRequest(query: Query): StationsRequest {
  const { faults, ...parsed } = readFilters(query, {
    parameters: stationParameters,
    known: [...commonParameters, 'search', 'state', 'ordering'],
  })
  const valueOf = (key: string): string => (lastValue(query, key) ?? '').trim()
  const texts = { search: valueOf('search'), ordering: valueOf('ordering') }
  const words = listedValues(query, 'state')
  const states = seriesStates.filter((state) => words.includes(state))
  const bad = words.find((word) => !seriesStates.some((state) => state === word))
  if (bad !== undefined) faults.set('state', [invalidChoice(bad).fault])
  const ordering = parseStationOrdering(texts.ordering)
  if (ordering === undefined) faults.set('ordering', [invalidChoice(texts.ordering).fault])
  if (faults.size > 0 || ordering === undefined) throw badFields(Object.fromEntries(faults))
  const kept = Object.entries({ ...texts, state: words.join() }).filter(([, value]) => value !== '')
  return {
    ...parsed,
    kept: [...parsed.kept, ...kept],
    search: texts.search.toUpperCase(),
    states: words.length === 0 ? undefined : states,
    ordering,
  }
}

function parseStationOrdering(text: string): StationOrdering | undefined {
  if (text === '') return { key: 'code', descending: false }
  const descending = text.startsWith('-')
  const key = stationOrderKeys.find((name) => name === text.slice(descending ? 1 : 0))
  return key && { key, descending }
}

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
    country: [code, ...codes].map(countryOf).find((country) => country !== undefined) ?? null,
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
