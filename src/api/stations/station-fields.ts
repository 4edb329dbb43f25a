/** The fields of a station, as the list and the resource of one station have them. */
import { distance } from 'fastest-levenshtein'
import type { FastifyRequest } from 'fastify'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { StationSummary } from '../../catalogue/questions/stations.ts'
import { dayToIso } from '../../parse/calendar.ts'
import { countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'
import type { StationPlace } from '../../series/station-places.ts'
import { UnknownName } from '../http/errors.ts'
import type { Requester } from '../http/limits.ts'
import type { Links, QueryPair } from '../http/links.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import { allAreas, firstArea, otherArea } from '../openapi/area-words.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import type { SlotMark } from '../pages/marks.ts'
import { codesQuery } from '../pages/station-tabs.ts'
import type { Wire } from '../resources/fields.ts'
import { fieldOf } from '../resources/fields.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { KnownStation } from './how-words.ts'

/** A station with its state and its main series, if the states are in memory and it has one. */
export interface ListedStation extends StationSummary {
  readonly series?: SeriesStatus | undefined
  /** Its state, and what the list says of it. */
  readonly known?: KnownStation | undefined
  /** Where it is, if the answer needs to know and it is known. */
  readonly place?: StationPlace | undefined
}

const field = fieldOf<ListedStation>()

/** Numbers of files by value; values without files are missing. */
function counts<Word extends string>(
  description: string,
  words: readonly Word[],
  example: Readonly<Partial<Record<Word, number>>>,
) {
  const each = words.map((word) => [word, schema.integer(`Number of files with \`${word}\`.`)])
  const counted: schema.Schema = schema.object(description, {}, Object.fromEntries(each))
  return schema.withExample(counted as schema.Schema<typeof example>, example)
}

const { api } = exampleLinks

/** ISO 3166-1 alpha-3 of a station, from one of its codes. */
function countryOfStation({ code, codes }: StationSummary): string | null {
  return [code, ...codes].map(countryOf).find((country) => country !== undefined) ?? null
}

/** The files of all codes of a station. */
export function filesUrl(
  links: Pick<Links, 'api'>,
  codes: readonly string[],
  more: readonly QueryPair[] = [],
): string {
  return pageUrl(links, 'rinex-file', [...codesQuery(codes), ...more])
}

/** Where days of a station lead: to their files, or to what is missing or half. */
export function hrefOfDays(
  links: Pick<Links, 'api'>,
  codes: readonly string[],
  more: readonly QueryPair[] = [],
) {
  return (first: number, last: number, mark: SlotMark = 'present'): string => {
    const days = [...new Set([dayToIso(first), dayToIso(last)])].join('/')
    if (mark !== 'present')
      return pageUrl(links, 'missing', [
        ['station', codes.join()],
        ...(mark === 'half' ? ([['state', 'half']] as const) : []),
        ['when', days],
      ])
    return filesUrl(links, codes, [...more, ['when', days]])
  }
}

export const stationFields = {
  code: field(
    schema.text(
      'Station code in upper case: 4 characters, or 9 with monument, receiver and country.',
      'GRAZ00AUT',
    ),
    ({ code }) => code,
  ),
  codes: field(
    schema.list(
      'All codes whose files are counted: the list merges a code of 4 characters with the only code of 9 characters that begins with it.',
      schema.text('A station code.', 'GRAZ00AUT'),
    ),
    ({ codes }) => codes,
  ),
  url: field(
    schema.url('The URL of this station.', `${api}station/GRAZ00AUT/?format=api`),
    (station, links) => stationUrl(links, station.code),
  ),
  country: field(
    schema.textOrNull(
      'ISO 3166-1 alpha-3; null for codes without a country, and for projects such as `IGS`.',
      'AUT',
    ),
    countryOfStation,
  ),
  merged: field(
    schema.boolean('True for merged navigation data of many stations: `BRDC`, `HOUR`.', false),
    ({ code }) => isMergedNavigation(code),
  ),
  first_data_date: field(
    schema.day('The day on which the earliest data start.', '2026-01-01'),
    ({ firstDay }) => dayToIso(firstDay),
  ),
  last_data_date: field(
    schema.day('The day on which the latest data start.', '2026-01-22'),
    ({ lastDay }) => dayToIso(lastDay),
  ),
  count: field(schema.integer('Number of files.', 46), ({ files }) => files),
  area: field(
    counts('Files by area.', allAreas, { [firstArea]: 22, [otherArea]: 24 }),
    ({ byArea }) => byArea,
  ),
  file_type: field(counts('Files by type.', fileTypes, { o: 45, n: 1 }), ({ byType }) => byType),
  file_duration: field(
    counts('Files by period.', fileDurations, { d: 22, h: 24 }),
    ({ byDuration }) => byDuration,
  ),
  file_version: field(
    counts('Files by form of the name.', fileVersions, { r3: 46 }),
    ({ byVersion }) => byVersion,
  ),
  files: field(
    schema.url(
      'The URL of the list of its files.',
      `${api}rinex-file/?format=api&station=GRAZ00AUT`,
    ),
    ({ codes }, links) => filesUrl(links, codes),
  ),
}

export const stationItem = {
  name: 'Station',
  description: 'A station, with the metadata from the names of its files.',
  fields: stationFields,
}

/** A station as clients get it. */
export type WireStation = Wire<typeof stationFields>

/** The path of a station below the API. */
export const stationPath = 'station/:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/'

/** Its parameter in the OpenAPI document. */
export const stationParams = {
  code: schema.text('Station code, in upper or lower case.', 'GRAZ', {
    pattern: '^(?:[A-Za-z0-9]{4}|[A-Za-z0-9]{9})$',
  }),
}

/** Returns the station code in the path, in upper case. */
export function codeOf({ params }: FastifyRequest): string {
  return (params as { readonly code: string }).code.toUpperCase()
}

/** Maximum number of codes that are suggested. */
const maxSuggestions = 5

/** Largest edit distance between a code and its suggestion. */
const maxDistance = 2

/** Maximum number of stations that are compared; a network may have thousands. */
const maxStations = 20_000

/** The error for an unknown station. @param code in upper case, 4 or 9 characters */
export async function unknownStation(
  reader: Pick<CatalogueReader, 'stations'>,
  code: string,
  requester: Requester,
): Promise<UnknownName> {
  return new UnknownName(await similarStations(reader, code, requester))
}

/**
 * The codes of stations that are similar to one, the most similar ones first.
 * @param code in upper case, 4 or 9 characters
 */
export async function similarStations(
  reader: Pick<CatalogueReader, 'stations'>,
  code: string,
  requester: Requester,
  mostEdits = maxDistance,
): Promise<readonly string[]> {
  const { stations } = await reader.stations({ limit: maxStations, offset: 0 }, requester)
  await requester.turn()
  const candidates = stations
    .map((station) => ({
      code: station.code,
      // A code of 4 characters is the beginning of one of 9.
      edits: distance(code, station.code.slice(0, code.length)),
    }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((a, b) => a.edits - b.edits || (a.code < b.code ? -1 : 1))
  return candidates.slice(0, maxSuggestions).map((each) => each.code)
}
