/** Schemas of the stations that the file names contain. */
import Type from 'typebox'
import { stationOrderKeys } from '../../catalogue/reader.ts'
import { seriesStates } from '../../series/slot-states.ts'
import { areas } from '../../parse/archive-path.ts'
import { stationParameters } from '../parameters/file-filters.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'
import { filtersIn } from '../files/schema.ts'
import { errors, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  flag,
  list,
  negotiable,
  number,
  object,
  oneOf,
  orNull,
  pageOf,
  ref,
  text,
  url,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, paging, parameters, strict } from '../openapi/parameters.ts'

/**
 * The schema of an object with the number of files for each value. Values without files are
 * missing.
 */
function counts<Word extends string>(description: string, words: readonly Word[]) {
  const each = words.map((word) => [
    word,
    Type.Optional(number(`Number of files with \`${word}\`.`)),
  ])
  const fields = Object.fromEntries(each) as Record<Word, ReturnType<typeof number>>
  return Type.Unsafe<Readonly<Partial<Record<Word, number>>>>(object(description, fields))
}

const date = (description: string) => text(description, { format: 'date' })

export const stationSchema = component(
  'Station',
  'A station, with the metadata from the names of its files.',
  {
    code: text(
      'Station code in upper case: 4 characters, or 9 with monument, receiver and country.',
    ),
    codes: list(
      'All codes whose files are counted: the list merges a code of 4 characters with the only code of 9 characters that begins with it.',
      text('A station code.'),
    ),
    url: url('The URL of this station.'),
    country: orNull(
      text('ISO 3166-1 alpha-3; null for codes without a country, and for projects such as `IGS`.'),
    ),
    merged: flag('True for merged navigation data of many stations: `BRDC`, `HOUR`.'),
    first_data_date: date('The day on which the earliest data start.'),
    last_data_date: date('The day on which the latest data start.'),
    count: number('Number of files.'),
    area: counts('Files by area.', areas),
    file_type: counts('Files by type.', fileTypes),
    file_duration: counts('Files by period.', fileDurations),
    file_version: counts('Files by form of the name.', fileVersions),
    files: url('The URL of the list of its files.'),
  },
)

export const stationPageSchema = pageOf(
  'StationPage',
  'A page of the stations.',
  ref(stationSchema),
)

const { api } = exampleLinks

const example: Type.Static<typeof stationSchema> = {
  code: 'GRAZ00AUT',
  codes: ['GRAZ00AUT'],
  url: `${api}station/GRAZ00AUT/?format=api`,
  country: 'AUT',
  merged: false,
  first_data_date: '2026-01-01',
  last_data_date: '2026-01-22',
  count: 46,
  area: { obs: 22, nrt: 24 },
  file_type: { o: 45, n: 1 },
  file_duration: { d: 22, h: 24 },
  file_version: { r3: 46 },
  files: `${api}rinex-file/?format=api&station=GRAZ00AUT`,
}

const examplePage: Type.Static<typeof stationPageSchema> = {
  count: 6,
  next: `${api}station/?format=api&limit=1&offset=1`,
  previous: null,
  results: [example],
}

const search = text('Part of a station code, in upper or lower case.', { examples: ['gr'] })

const state = list(
  'Only stations whose main series is in one of these states. The main series has the hourly observation files, or the daily ones if only these are expected, or if there are no hourly ones. The response then depends on the clock.',
  { type: 'string', enum: seriesStates },
  { examples: [['late']] },
)

const ordering = oneOf(
  'The sort key; a minus before it reverses the order. Stations without a country come last.',
  stationOrderKeys.flatMap((key) => [key, `-${key}`]),
  { default: 'code', examples: ['-count'] },
)

/** @param maxLimit maximum number of stations on a page */
export const listStations = (maxLimit: number): RouteSchema => ({
  operationId: 'listStations',
  tags: ['Stations'],
  summary: 'List stations',
  description: 'Returns a page with one row per site, by default sorted by code.',
  querystring: parameters({
    ...filtersIn(stationParameters),
    search,
    state,
    ordering,
    ...paging(maxLimit),
    strict,
    format: format(),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the stations.',
      negotiable(ref(stationPageSchema), examplePage),
      'Link',
      'Ignored-Parameters',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'TooManyRequests'),
    ...errors('Unavailable'),
  },
  'x-codeSamples': [curl(`${api}station/?country=AUT`)],
})

export const getStation: RouteSchema = {
  operationId: 'getStation',
  tags: ['Stations'],
  summary: 'Get a station',
  description:
    'A code of 4 characters matches both forms of file names, a code of 9 characters only itself.',
  params: parameters({
    code: text('Station code, in upper or lower case.', {
      pattern: '^(?:[A-Za-z0-9]{4}|[A-Za-z0-9]{9})$',
      examples: ['GRAZ'],
    }),
  }),
  querystring: parameters({ strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The station.',
      negotiable(ref(stationSchema), example),
      'Ignored-Parameters',
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'TooManyRequests'),
    ...errors('Unavailable'),
  },
  'x-codeSamples': [curl(`${api}station/GRAZ/`)],
}
