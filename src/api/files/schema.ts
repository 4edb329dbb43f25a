/** The list of files and its records. */
import { problems } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import type { Links } from '../http/links.ts'
import { lineFormats } from './stream.ts'
import type { WireFile, WireRecord } from './serialise.ts'
import { errors } from '../openapi/errors.ts'
import { examples, file } from '../openapi/examples.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
import {
  curl,
  list,
  moment,
  negotiable,
  number,
  object,
  orNull,
  schemaRef,
  text,
  url,
} from '../openapi/openapi.ts'
import type {
  Content,
  JsonSchema,
  OperationObject,
  Part,
  Surroundings,
} from '../openapi/openapi.ts'
import {
  expand,
  filters,
  format,
  ifNoneMatch,
  ordering,
  paging,
  strict,
} from '../openapi/parameters.ts'
import { registerFile } from '../admin/schema.ts'

const fields = object<Omit<WireRecord, 'file'>>(
  'A file of the archive. What its name does not tell is null.',
  {
    id: number('Grows, is never reused and never changes.', { minimum: 1 }),
    url: url('The record itself.'),
    filename: text('The name of the file.'),
    data_date: orNull(moment('Start of the data, by the name; UTC, no fraction.')),
    file_duration: orNull(
      text('Period of the file: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified.', {
        enum: ['m', 'h', 'd', 'y', 'u'],
      }),
    ),
    file_version: orNull(text('Form of the name: `r2` short, `r3` long.', { enum: ['r2', 'r3'] })),
    file_type: orNull(
      text('`o` observation, `n` navigation, `m` meteorological.', { enum: ['o', 'n', 'm'] }),
    ),
    download_path: url('Where the file is downloaded.'),
    created: moment('When the record came into the catalogue; microseconds. Never changes.'),
    modified: moment('When the size or time of the file was last seen to change; microseconds.'),
  },
)

const fileDetails = object<WireFile>(
  'With `expand=file`: what is known of the file besides, null where it is not known. Size, mtime, checksum and problem may become known, or change, without a change of the record.',
  {
    size: orNull(number('Bytes.')),
    mtime: orNull(moment('When the file was last written; microseconds.')),
    sha256: orNull(
      text('SHA-256 in hexadecimal; null until the file was hashed as it is.', {
        pattern: '^[0-9a-f]{64}$',
      }),
    ),
    station: orNull(text('The code of the station, in upper case.')),
    area: orNull(text('The area of the archive.', { enum: [...areas] })),
    country: orNull(text('ISO 3166-1 alpha-3, as a long name tells it.')),
    interval: orNull(text('The sampling interval of a long name.')),
    content: orNull(text('The content code of a long name.')),
    source: orNull(text('The data source of a long name.')),
    problem: orNull(
      text(
        '`incomplete`: its gzip stream has no end; `broken`: it is damaged before its end; `misplaced`: the file is in the directory of another date. The first that applies.',
        { enum: [...problems] },
      ),
    ),
  },
)

const record = {
  ...fields,
  properties: { ...(fields['properties'] as object), file: schemaRef('FileDetails') },
}

/** A page of a collection, whatever it holds. */
export function pageOf(description: string, item: JsonSchema): JsonSchema {
  return object<Record<'count' | 'next' | 'previous' | 'results', unknown>>(description, {
    count: number('How many there are on all pages.'),
    next: orNull(url('The next page; null on the last.')),
    previous: orNull(url('The page before; null on the first.')),
    results: list('What is on this page.', item),
  })
}

export function describeFiles(surroundings: Surroundings): Part {
  const { api } = surroundings.links
  return {
    schemas: {
      Record: record,
      FileDetails: fileDetails,
      RecordPage: pageOf('A page of the list.', schemaRef('Record')),
    },
    paths: {
      '/api/rinex-file/': { get: listFiles(surroundings), post: registerFile(surroundings) },
      '/api/rinex-file/{id}/': {
        get: {
          operationId: 'getFile',
          tags: ['Files'],
          summary: 'One file',
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              description: 'The id of the record.',
              schema: { type: 'integer', minimum: 1 },
              example: 1,
            },
            expand,
            format(),
            ifNoneMatch,
          ],
          responses: {
            '200': {
              description: 'The record.',
              headers: withHeaders(...negotiated),
              content: negotiable(schemaRef('Record'), examples(surroundings.links).record),
            },
            ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Unavailable'),
          },
          'x-codeSamples': [curl(`${api}rinex-file/1/`)],
        },
      },
    },
  }
}

function listFiles({ links, maxLimit }: Surroundings): OperationObject {
  const shown = examples(links)
  return {
    operationId: 'listFiles',
    tags: ['Files'],
    summary: 'The list of files',
    description: [
      'Highest id first, a page at a time; `count` is exact, and of the same moment as the page. All filters must hold. Several values with commas between them, or the same parameter given several times, mean any of these values.',
      'With `format=ndjson`, `csv` or `urls` the whole filtered list comes as one stream in the order of `ordering` (one of `id`, `data_date`, `created` and `filename`, either way), up to `limit` records, of which there is no highest number. `offset` is refused there, and so is every parameter that means nothing, so that a mistyped filter does not download the whole archive. A stream has no `ETag`, and is compressed for clients that offer it.',
    ].join('\n\n'),
    parameters: [
      ...filters,
      ordering,
      expand,
      ...paging(maxLimit),
      strict,
      format(['api', 'json', ...lineFormats.keys()]),
      ifNoneMatch,
    ],
    responses: {
      '200': {
        description: 'A page of the list, or all of it as a stream.',
        headers: {
          ...withHeaders('Link', 'Allow', 'Ignored-Parameters', 'Catalogue-Seq'),
          ...withHeaders('ETag', 'Vary'),
        },
        content: { ...negotiable(schemaRef('RecordPage'), shown.records), ...streams(links) },
      },
      ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'TooManyRequests'),
      ...errors('Unavailable'),
    },
    'x-codeSamples': [
      curl(`${links.api}rinex-file/?station=graz&limit=5`),
      curl(`${links.api}rinex-file/?area=obs&overlaps=2026-01-22/2026-01-23&ordering=-data_date`),
      curl(`${links.api}rinex-file/?format=urls`),
      curl(`${links.api}rinex-file/?format=csv&expand=file`),
    ],
  }
}

/** The formats of lines, with what the record looks like in them. */
function streams(links: Links): Content {
  const entries = Array.from(lineFormats.values(), ({ mediaType, header, line }) => {
    const example = `${header === undefined ? '' : `${header(false)}\n`}${line(file, links)}\n`
    const [type = ''] = mediaType.split(';')
    const schema = { type: 'string', description: 'Lines, each with a line feed at its end.' }
    return [type, { schema, example }] as const
  })
  return Object.fromEntries(entries)
}
