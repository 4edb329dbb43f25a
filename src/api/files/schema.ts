/** The list of files and its records. */
import Type from 'typebox'
import { orderKeys, problems } from '../../catalogue/filter.ts'
import { areas } from '../../parse/archive-path.ts'
import { registration, refusals, curlPost } from '../admin/schema.ts'
import { errors } from '../openapi/errors.ts'
import { negotiated, withHeaders } from '../openapi/headers.ts'
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
import { expansions, filterParameters } from './parameters.ts'
import type { Parameter } from './parameters.ts'

export const fileDurations = ['m', 'h', 'd', 'y', 'u'] as const
export const fileVersions = ['r2', 'r3'] as const
export const fileTypes = ['o', 'n', 'm'] as const

const fields = {
  id: number('Grows, is never reused and never changes.', { minimum: 1 }),
  url: url('The record itself.'),
  filename: text('The name of the file.'),
  data_date: orNull(moment('Start of the data, by the name; UTC, no fraction.')),
  file_duration: orNull(
    oneOf(
      'Period of the file: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified.',
      fileDurations,
    ),
  ),
  file_version: orNull(oneOf('Form of the name: `r2` short, `r3` long.', fileVersions)),
  file_type: orNull(oneOf('`o` observation, `n` navigation, `m` meteorological.', fileTypes)),
  download_path: url('Where the file is downloaded.'),
  created: moment('When the record came into the catalogue; microseconds. Never changes.'),
  modified: moment('When the size or time of the file was last seen to change; microseconds.'),
}

const details = {
  size: orNull(number('Bytes.')),
  mtime: orNull(moment('When the file was last written; microseconds.')),
  sha256: orNull(
    text('SHA-256 in hexadecimal; null until the file was hashed as it is.', {
      pattern: '^[0-9a-f]{64}$',
    }),
  ),
  station: orNull(text('The code of the station, in upper case.')),
  area: orNull(oneOf('The area of the archive.', areas)),
  country: orNull(text('ISO 3166-1 alpha-3, as a long name tells it.')),
  interval: orNull(text('The sampling interval of a long name.')),
  content: orNull(text('The content code of a long name.')),
  source: orNull(text('The data source of a long name.')),
  problem: orNull(
    oneOf(
      '`incomplete`: its gzip stream has no end; `broken`: it is damaged before its end; `misplaced`: the file is in the directory of another date. The first that applies.',
      problems,
    ),
  ),
}

/** The fields of a record, and of its `file`, in their order. */
export const wireFields = Object.keys(fields) as (keyof typeof fields)[]
export const wireFileFields = Object.keys(details) as (keyof typeof details)[]

export const fileSchema = component(
  'FileDetails',
  'With `expand=file`: what is known of the file besides, null where it is not known. Size, mtime, checksum and problem may become known, or change, without a change of the record.',
  details,
)

/**
 * The ten fields of the service's specification ("Resource: rinex-file record"), in its order. What the name tells is null
 * only where a newer release no longer reads a name that an older one catalogued, until the next scan removes it: one such
 * record must not take its whole page down.
 */
export const recordSchema = component(
  'Record',
  'A file of the archive. What its name does not tell is null.',
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

/** Parameters of filters, from the table by which they are read. */
export function filtersIn(table: ReadonlyMap<string, Parameter>) {
  return Object.fromEntries(Array.from(table, ([name, row]) => [name, filterSchema(row)] as const))
}

/** Of a choice several values may be given, with commas between them. */
function filterSchema({ meaning, schema, example, isChoice }: Parameter): object {
  if (isChoice) return list(meaning, schema, { examples: [[example]] })
  const value = schema['type'] === 'integer' ? Number(example) : example
  return { ...schema, description: meaning, examples: [value] }
}

export const expand = oneOf(
  'With `file` records have an eleventh key `file`: size, mtime, checksum, the parts of the name, and the problem of the file. In CSV these are further columns.',
  expansions,
  { examples: ['file'] },
)

const orderKey = `-?(${orderKeys.join('|')})`

const ordering = text(
  `The order: ${orderKeys.map((key) => `\`${key}\``).join(', ')}, each turned round by a minus, one or several with commas between them. Files with equal keys are sorted by id, in the direction of the last key.`,
  {
    pattern: `^${orderKey}(,${orderKey})*$`,
    default: '-id',
    examples: ['-data_date,filename'],
  },
)

/** The formats of lines, with what the record looks like in them. */
const lines: Content = Object.fromEntries(
  Object.entries({
    'application/x-ndjson': JSON.stringify(exampleRecord),
    'text/csv': `${wireFields.join()}\n${wireFields.map((field) => exampleRecord[field]).join()}`,
    'text/plain': exampleRecord.download_path,
  }).map(([type, line]) => [
    type,
    {
      schema: { type: 'string', description: 'Lines, each with a line feed at its end.' },
      example: `${line}\n`,
    },
  ]),
)

/** @param maxLimit most records on a page */
export const listFiles = (maxLimit: number): RouteSchema => ({
  operationId: 'listFiles',
  tags: ['Files'],
  summary: 'The list of files',
  description: [
    'Highest id first, a page at a time; `count` is exact, and of the same moment as the page. All filters must hold. Several values with commas between them, or the same parameter given several times, mean any of these values.',
    'With `format=ndjson`, `csv` or `urls` the whole filtered list comes as one stream in the order of `ordering` (one of `id`, `data_date`, `created` and `filename`, either way), up to `limit` records, of which there is no highest number. `offset` is refused there, and so is every parameter that means nothing, so that a mistyped filter does not download the whole archive. A stream has no `ETag`, and is compressed for clients that offer it.',
  ].join('\n\n'),
  querystring: parameters({
    ...filtersIn(filterParameters),
    ...{ ordering, expand, ...paging(maxLimit), strict },
    format: format(['api', 'json', 'ndjson', 'csv', 'urls']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the list, or all of it as a stream.',
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
  summary: 'One file',
  params: parameters({ id: number('The id of the record.', { minimum: 1, examples: [1] }) }),
  querystring: parameters({ expand, format: format() }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated('The record.', negotiable(ref(recordSchema), exampleRecord)),
    ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable', 'Unavailable'),
  },
  'x-codeSamples': [curl(`${api}rinex-file/1/`)],
}

const allow = withHeaders('Allow')

export const registerFile: RouteSchema = {
  operationId: 'registerFile',
  tags: ['Administration'],
  summary: 'Announce a file',
  description:
    'The indexer looks at the file now: for network file systems, where nothing tells it that a file has come.',
  security: [{ administrator: [] }],
  body: ref(registration),
  response: {
    '200': {
      description: 'The file was known already.',
      headers: allow,
      content: json(ref(recordSchema), exampleRecord),
    },
    '201': {
      description: 'The file is in the catalogue now.',
      headers: { ...allow, ...withHeaders('Location') },
      content: json(ref(recordSchema), exampleRecord),
    },
    ...refusals,
  },
  'x-codeSamples': [curlPost(`${api}rinex-file/`, registration.examples[0])],
}
