/** The stations that file names tell of. */
import { areas } from '../../parse/archive-path.ts'
import { stationParameters } from '../files/parameters.ts'
import type { WireStation } from './serialise.ts'
import { errors } from '../openapi/errors.ts'
import { examples } from '../openapi/examples.ts'
import { pageOf } from '../files/schema.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
import {
  curl,
  flag,
  list,
  negotiable,
  number,
  object,
  orNull,
  partial,
  schemaRef,
  text,
  url,
} from '../openapi/openapi.ts'
import type { JsonSchema, Part, Surroundings } from '../openapi/openapi.ts'
import {
  filtersNamed,
  format,
  ifNoneMatch,
  paging,
  stationOrdering,
  stationSearch,
  strict,
} from '../openapi/parameters.ts'

/** Numbers of files by a word; words without files are absent. */
function counts(description: string, words: readonly string[]): JsonSchema {
  const entries = words.map((word) => [word, number(`Files of \`${word}\`.`)] as const)
  return partial(description, Object.fromEntries(entries))
}

const date = (description: string): JsonSchema => text(description, { format: 'date' })

const station = object<WireStation>('A station, as the names of its files tell of it.', {
  code: text('In upper case: 4 characters, or 9 with monument, receiver and country.'),
  codes: list(
    'All codes whose files are counted: in the list a code of 4 characters is joined to the one of 9 that alone begins with it.',
    text('A code.'),
  ),
  url: url('The station itself.'),
  country: orNull(
    text('ISO 3166-1 alpha-3; null for codes that do not tell, and for projects such as `IGS`.'),
  ),
  merged: flag('Whether it is no station but merged navigation data of many: `BRDC`, `HOUR`.'),
  first_data_date: date('The day on which its earliest data start.'),
  last_data_date: date('The day on which its latest data start.'),
  count: number('How many files it has.'),
  area: counts('Files by area.', areas),
  file_type: counts('Files by type.', ['o', 'n', 'm']),
  file_duration: counts('Files by period.', ['m', 'h', 'd', 'y', 'u']),
  file_version: counts('Files by form of the name.', ['r2', 'r3']),
  files: url('The list of its files.'),
})

export function describeStations({ links, maxLimit }: Surroundings): Part {
  const shown = examples(links)
  return {
    schemas: {
      Station: station,
      StationPage: pageOf('A page of the stations.', schemaRef('Station')),
    },
    paths: {
      '/api/station/': {
        get: {
          operationId: 'listStations',
          tags: ['Stations'],
          summary: 'The stations',
          description: 'One a site, by code, a page at a time.',
          parameters: [
            ...filtersNamed([...stationParameters.keys()]),
            stationSearch,
            stationOrdering,
            ...paging(maxLimit),
            strict,
            format(),
            ifNoneMatch,
          ],
          responses: {
            '200': {
              description: 'A page of the stations.',
              headers: withHeaders(...negotiated, 'Link', 'Ignored-Parameters'),
              content: negotiable(schemaRef('StationPage'), shown.stations),
            },
            ...errors(
              'NotModified',
              'BadParameters',
              'NotFound',
              'NotAcceptable',
              'TooManyRequests',
            ),
            ...errors('Unavailable'),
          },
          'x-codeSamples': [curl(`${links.api}station/?country=AUT`)],
        },
      },
      '/api/station/{code}/': {
        get: {
          operationId: 'getStation',
          tags: ['Stations'],
          summary: 'One station',
          description:
            'A code of 4 characters stands for both forms of file names, one of 9 for itself alone.',
          parameters: [
            {
              name: 'code',
              in: 'path',
              required: true,
              description: 'In any case.',
              schema: { type: 'string', pattern: '^(?:[A-Za-z0-9]{4}|[A-Za-z0-9]{9})$' },
              example: 'GRAZ',
            },
            format(),
            ifNoneMatch,
          ],
          responses: {
            '200': {
              description: 'The station.',
              headers: withHeaders(...negotiated),
              content: negotiable(schemaRef('Station'), shown.station),
            },
            ...errors('NotModified', 'NotFound', 'NotAcceptable', 'Unavailable'),
          },
          'x-codeSamples': [curl(`${links.api}station/GRAZ/`)],
        },
      },
    },
  }
}
