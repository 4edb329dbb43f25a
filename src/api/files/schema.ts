/** Schemas of the list of files, of single records, and of the registration of a file. */
import Type from 'typebox'
import { orderKeys, problems } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'
import { registration, writeErrors, curlPost } from '../admin/schema.ts'
import { errors, negotiated, withHeaders } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  json,
  list,
  moment,
  negotiable,
  number,
  oneOf,
  orNull,
  pageOf,
  ref,
  text,
  url,
} from '../openapi/openapi.ts'
import type { Content, RouteSchema } from '../openapi/openapi.ts'
import {
  filePlace,
  format,
  ifNoneMatch,
  paging,
  parameters,
  strict,
} from '../openapi/parameters.ts'
import { expansions, filterParameters } from '../parameters/file-filters.ts'
import type { FilterParameter } from '../parameters/file-filters.ts'

const fields = {
  id: number('Identifies the record. Ids grow, never change and are never reused.', { minimum: 1 }),
  url: url('The URL of this record.'),
  filename: text('The name of the file.'),
  data_date: orNull(moment('Start of the data, from the file name; UTC, whole seconds.')),
  file_duration: orNull(
    oneOf(
      'Period of the file: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified.',
      fileDurations,
    ),
  ),
  file_version: orNull(oneOf('Form of the name: `r2` short, `r3` long.', fileVersions)),
  file_type: orNull(oneOf('`o` observation, `n` navigation, `m` meteorological.', fileTypes)),
  download_path: url('The download URL.'),
  created: moment('The time at which the record was inserted, with microseconds. Never changes.'),
  modified: moment(
    'The time at which a change of the size or modification time of the file was last seen, with microseconds. Equal to `created` if no change was seen.',
  ),
}

const details = {
  size: orNull(number('Size in bytes.')),
  mtime: orNull(moment('Modification time of the file, with microseconds.')),
  sha256: orNull(
    text(
      'SHA-256 in hexadecimal; null until this version of the file is hashed: new files within seconds, old files in the background, if the server hashes them.',
      {
        pattern: '^[0-9a-f]{64}$',
      },
    ),
  ),
  station: orNull(text('Station code, in upper case.')),
  area: orNull(oneOf('The area of the archive.', areas)),
  country: orNull(text('ISO 3166-1 alpha-3, from a long name.')),
  interval: orNull(text('Sampling interval, from a long name.')),
  content: orNull(text('Content code, from a long name.')),
  source: orNull(text('Data source, from a long name.')),
  problem: orNull(
    oneOf(
      '`incomplete`: the gzip stream has no end; `broken`: the gzip stream is damaged before its end; `misplaced`: the file is in the directory of another date. The first problem that applies.',
      problems,
    ),
  ),
}

/** The fields of a record, and of its `file`, in their order. */
export const wireFields = Object.keys(fields) as (keyof typeof fields)[]
export const wireFileFields = Object.keys(details) as (keyof typeof details)[]

export const fileSchema = component(
  'FileDetails',
  'Only with `expand=file`: further metadata of the file, null where unknown. Size, mtime, checksum and problem may become known, or change, without a change of the record.',
  details,
)

/**
 * The ten fields of a record, in a fixed order (docs/decisions/0005). Metadata from the name are
 * null only if this release rejects a name that an older release catalogued. The next scan removes
 * that record; until then, one record must not make its whole page fail.
 */
export const recordSchema = component(
  'Record',
  'A file of the archive. Metadata that the name does not contain is null.',
  { ...fields, file: Type.Optional(ref(fileSchema)) },
)

export const recordPageSchema = pageOf('RecordPage', 'A page of the list.', ref(recordSchema))

const { api, data } = exampleLinks
const { year, day, filename } = filePlace
const createdAt = '2026-01-23T00:12:40.518203Z'

export const exampleRecord: Type.Static<typeof recordSchema> = {
  id: 72,
  url: `${api}rinex-file/72/?format=api`,
  filename,
  data_date: '2026-01-22T00:00:00Z',
  file_duration: 'd',
  file_version: 'r3',
  file_type: 'o',
  download_path: `${data}obs/${year}/${day}/${filename}`,
  created: createdAt,
  modified: createdAt,
}

const examplePage: Type.Static<typeof recordPageSchema> = {
  count: 72,
  next: `${api}rinex-file/?format=api&limit=1&offset=1`,
  previous: null,
  results: [exampleRecord],
}

/** Schemas of filter parameters, from the table that also parses them. */
export function filtersIn(table: ReadonlyMap<string, FilterParameter>) {
  return Object.fromEntries(Array.from(table, ([name, row]) => [name, filterSchema(row)] as const))
}

/** The schema of a filter parameter. A choice accepts several values, separated by commas. */
function filterSchema({ meaning, schema, example, isChoice }: FilterParameter): object {
  if (isChoice) return list(meaning, schema, { examples: [[example]] })
  const value = schema['type'] === 'integer' ? Number(example) : example
  return { ...schema, description: meaning, examples: [value] }
}

export const expand = oneOf(
  'With `file`, records have an eleventh key `file`: size, mtime, checksum, the parts of the name, and the problem of the file. In CSV they are further columns.',
  expansions,
  { examples: ['file'] },
)

const orderKey = `-?(${orderKeys.join('|')})`

const ordering = text(
  `The sort keys, separated by commas: ${orderKeys.map((key) => `\`${key}\``).join(', ')}. A minus before a key reverses its order. Files with equal keys are sorted by id, in the direction of the last key.`,
  {
    pattern: `^${orderKey}(,${orderKey})*$`,
    default: '-id',
    examples: ['-data_date,filename'],
  },
)

/** The line formats, each with the example record. */
const lines: Content = Object.fromEntries(
  Object.entries({
    'application/x-ndjson': JSON.stringify(exampleRecord),
    'text/csv': `${wireFields.join()}\n${wireFields.map((field) => exampleRecord[field]).join()}`,
    'text/plain': exampleRecord.download_path,
  }).map(([type, line]) => [
    type,
    {
      schema: { type: 'string', description: 'Lines, each ends with a line feed.' },
      example: `${line}\n`,
    },
  ]),
)

/** @param maxLimit maximum number of records on a page */
export const listFiles = (maxLimit: number): RouteSchema => ({
  operationId: 'listFiles',
  tags: ['Files'],
  summary: 'List files',
  description: [
    'Returns a page, by default in descending order of ids; `count` is exact and from the same moment as the page. A file must match all filters. A list takes several values, separated by commas or in a repeated parameter, and a file must match one of them. If any other parameter is repeated, a file must match all its values.',
    'With `format=ndjson`, `csv` or `urls` the response is a stream of the whole filtered list, in the order of `ordering` (only one of `id`, `data_date`, `created` and `filename`, ascending or descending). `limit` ends the stream and has no maximum. `offset` gets `400`, and so does an unknown parameter: a mistyped filter must not download the whole archive. A stream has no `ETag`; it is compressed if `Accept-Encoding` allows it.',
  ].join('\n\n'),
  querystring: parameters({
    ...filtersIn(filterParameters),
    ordering,
    expand,
    ...paging(maxLimit),
    strict,
    format: format(['api', 'json', 'ndjson', 'csv', 'urls']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the list, or the whole list as a stream.',
      { ...negotiable(ref(recordPageSchema), examplePage), ...lines },
      ...(['Link', 'Ignored-Parameters', 'Catalogue-Seq'] as const),
    ),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'TooManyRequests'),
    ...errors('Unavailable'),
  },
  'x-codeSamples': [
    curl(`${api}rinex-file/?station=graz&limit=5`),
    curl(`${api}rinex-file/?area=obs&overlaps=2026-01-22/2026-01-23&ordering=-data_date`),
    curl(`${api}rinex-file/?format=urls`),
    curl(`${api}rinex-file/?format=csv&expand=file`),
  ],
})

export const getFile: RouteSchema = {
  operationId: 'getFile',
  tags: ['Files'],
  summary: 'Get a file',
  params: parameters({ id: number('Id of the record.', { minimum: 1, examples: [1] }) }),
  querystring: parameters({ expand, strict, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The record.',
      negotiable(ref(recordSchema), exampleRecord),
      'Ignored-Parameters',
    ),
    ...errors(
      'NotModified',
      'BadParameters',
      'NotFound',
      'NotAcceptable',
      'TooManyRequests',
      'Unavailable',
    ),
  },
  'x-codeSamples': [curl(`${api}rinex-file/1/`)],
}

const allow = withHeaders('Allow')

export const registerFile: RouteSchema = {
  operationId: 'registerFile',
  tags: ['Administration'],
  summary: 'Announce a file',
  description:
    'Makes the indexer read the file now. This is useful on network file systems, which do not report new files.',
  security: [{ administrator: [] }],
  body: ref(registration),
  response: {
    '200': {
      description: 'The file was already in the catalogue.',
      headers: allow,
      content: json(ref(recordSchema), exampleRecord),
    },
    '201': {
      description: 'The file was added to the catalogue.',
      headers: { ...allow, ...withHeaders('Location') },
      content: json(ref(recordSchema), exampleRecord),
    },
    ...writeErrors,
  },
  'x-codeSamples': [curlPost(`${api}rinex-file/`, registration.examples[0])],
}
