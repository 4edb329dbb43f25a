/** Schemas of the list of files and of single records. */
import { problems } from '../../catalogue/filter.ts'
import type { FacetName } from '../../catalogue/sums.ts'
import { facetNames } from '../../catalogue/sums.ts'
import { fileDurations, fileTypes, fileVersions } from '../../parse/types.ts'
import { allAreas } from '../openapi/area-words.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import { filePlace } from '../openapi/parameters.ts'
import * as schema from '../openapi/schema.ts'
import { problemMeanings } from '../pages/labels.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { paging } from '../parameters/paging.ts'
import { operationOf } from '../resources/answer.ts'
import { factsSchema } from './facts.ts'
import { listParameters } from './list-request.ts'

const { api, data } = exampleLinks
const { directory, filename } = filePlace
const createdAt = '2026-01-23T00:12:40.518203Z'

const fields = {
  id: schema.integer('Identifies the record. Ids grow, never change and are never reused.', 72, {
    minimum: 1,
  }),
  url: schema.url('The URL of this record.', `${api}rinex-file/72/?format=api`),
  filename: schema.text('The name of the file.', filename),
  data_date: schema.momentOrNull(
    'Start of the data, from the file name; UTC, whole seconds.',
    '2026-01-22T00:00:00Z',
  ),
  file_duration: schema.orNull(
    schema.oneOf(
      'Period of the file: `m` minutes, `h` hours, `d` days, `y` years, `u` unspecified.',
      fileDurations,
      'd',
    ),
  ),
  file_version: schema.orNull(
    schema.oneOf('Whether the name is short (`r2`) or long (`r3`).', fileVersions, 'r3'),
  ),
  file_type: schema.orNull(
    schema.oneOf('`o` observation, `n` navigation, `m` meteorological.', fileTypes, 'o'),
  ),
  download_path: schema.url('The download URL.', `${data}${directory}/${filename}`),
  created: schema.moment(
    'The time at which the record was inserted, with microseconds. Never changes.',
    createdAt,
  ),
  modified: schema.moment(
    'The time at which a change of the size or modification time of the file was last seen, with microseconds. Equal to `created` if no change was seen.',
    createdAt,
  ),
}

const details = {
  size: schema.integer('Size in bytes.'),
  mtime: schema.moment('Modification time of the file, with microseconds.'),
  sha256: schema.textOrNull(
    'SHA-256 in hexadecimal; null until this version of the file is hashed: new files within seconds, old files in the background, if the server hashes them.',
    '24d52f18bf9f3b1f0e4b2a4d4a7e8c0c2a6a56a9ee2a0d7c3d1ef2dcb6c1a3f5',
    { pattern: '^[0-9a-f]{64}$' },
  ),
  md5: schema.textOrNull(
    'MD5 in hexadecimal, for those who check by it; null as `sha256` is.',
    '5d41402abc4b2a76b9719d911017c592',
    { pattern: '^[0-9a-f]{32}$' },
  ),
  station: schema.textOrNull('Station code, in upper case.'),
  area: schema.orNull(schema.oneOf('The area of the archive.', allAreas)),
  country: schema.textOrNull('ISO 3166-1 alpha-3, from a long name.'),
  interval: schema.textOrNull('Sampling interval, from a long name.'),
  content: schema.textOrNull('Content code, from a long name.'),
  source: schema.textOrNull('Data source, from a long name.'),
  problem: schema.orNull(
    schema.oneOf(`${problemMeanings} The first problem that applies.`, problems),
  ),
}

/** The fields of a record, and of its `file`, in their order. */
export const wireFields = Object.keys(fields) as (keyof typeof fields)[]
export const wireFileFields = Object.keys(details) as (keyof typeof details)[]

export const fileSchema = schema.component(
  'FileDetails',
  'Only with `expand=file`: further metadata of the file, null where unknown. Checksums and problem may become known, or change, without a change of the record.',
  details,
)

/**
 * The ten fields of a record, in a fixed order (docs/decisions/0005). Metadata are null only until
 * the next scan removes a record whose name this release rejects.
 */
export const recordSchema = schema.component(
  'Record',
  'A file of the archive. Metadata that the name does not contain is null.',
  fields,
  { file: fileSchema, facts: schema.orNull(factsSchema) },
)

const facetSchema = (name: FacetName) =>
  schema.orNull(
    schema.list(
      facetTexts[name],
      schema.object('A value, and the number of files that have it.', {
        value: schema.textOrNull('The value, as the filter takes it; null for files without one.'),
        count: schema.integer('The number of files.'),
      }),
    ),
  )

const facetTexts: Readonly<Record<FacetName, string>> = {
  type: 'By `file_type`.',
  period: 'By `file_duration`.',
  year: 'By `year`, the latest first.',
  country: 'By `country`.',
  area: 'By `area`.',
  form: 'By `file_version`.',
  problem: 'By `problem`; a file may have several.',
  flag: 'By `flag`; a file may have several.',
}

const facetsSchema = schema.object(
  'Only with `facets`: for each property, how many files have each value under all filters but those on this property. Values without files are left out; a property that was not counted is null.',
  Object.fromEntries(facetNames.map((name) => [name, facetSchema(name)])) as Record<
    FacetName,
    ReturnType<typeof facetSchema>
  >,
)

const recordPageSchema = schema.pageOf(
  'RecordPage',
  'A page of the list.',
  recordSchema,
  {},
  {
    bytes: schema.integerOrNull(
      'Only with `expand=file` or `facets`: the sum of the sizes of all matching files, in bytes; null if it was not counted.',
    ),
    facets: facetsSchema,
  },
)

export const exampleRecord = schema.exampleOf(recordSchema)

const examplePage = {
  ...schema.exampleOf(recordPageSchema),
  count: 72,
  next: `${api}rinex-file/?format=api&limit=1&offset=1`,
}

const lines = (line: string) => schema.text('Lines, each ends with a line feed.', `${line}\n`)

const columns = wireFields.map((field) => exampleRecord[field])

/** The formats of the list: pages, and streams of all of it. */
export const listFormats = ['json', 'html', 'ndjson', 'csv', 'urls'] as const

/** @param maxLimit maximum number of records on a page */
export const listFiles = (maxLimit: number, filters: FilterParameters): RouteSchema =>
  operationOf(
    {
      id: 'listFiles',
      tag: 'Files',
      name: 'Rinex File List',
      summary: 'List files',
      about: 'The RINEX files of the archive, by default the newest record first.',
      description: [
        'Returns a page, by default in descending order of ids; `count` is exact and from the same moment as the page. A file must match all filters. A list takes several values, separated by commas or in a repeated parameter, and a file must match one of them. If any other parameter is repeated, a file must match all its values.',
        'With `format=ndjson`, `csv` or `urls` the response is a stream of the whole filtered list, in the order of `ordering` (only one of `id`, `data_date`, `created` and `filename`, ascending or descending). `limit` ends the stream and has no maximum. `offset` gets `400`, and so does an unknown parameter: a mistyped filter must not download the whole archive. A stream has no `ETag`; it is compressed if `Accept-Encoding` allows it.',
      ].join('\n\n'),
      returns: 'A page of the list, or the whole list as a stream.',
      headers: ['Catalogue-Seq'],
      samples: [
        'rinex-file/?station={station}&limit=5',
        'rinex-file/?area={area}&overlaps={days}&ordering=-data_date',
        'rinex-file/?format=urls',
        'rinex-file/?format=csv&expand=file',
        'rinex-file/?station={station}&expand=facts',
        'rinex-file/?station={station}&facets=1&limit=1',
      ],
    },
    { parameters: { ...listParameters, ...paging(maxLimit) }, filters },
    {
      formats: listFormats,
      bodies: {
        json: schema.withExample(recordPageSchema, examplePage),
        ndjson: lines(JSON.stringify(exampleRecord)),
        csv: lines(`${wireFields.join()}\n${columns.join()}`),
        urls: lines(exampleRecord.download_path),
      },
    },
  )
