/** Parameters that several resources share. */
import { inFirst } from './area-words.ts'
import type { ParameterSchemas, RouteSchema } from './openapi.ts'
import { curl, exampleLinks } from './openapi.ts'
import { oneOf, text } from './schema.ts'

const formats: Readonly<Record<string, string>> = {
  api: '`api` leaves the choice between JSON and a page to `Accept`',
  json: '`json` forces JSON',
  ndjson: '`ndjson` is the whole list with one JSON record per line',
  csv: '`csv` is a table of all rows, with a header line',
  urls: '`urls` is the whole list with one download URL per line',
}

export function format(names: readonly string[]) {
  const meaning = `${names.map((name) => formats[name] ?? name).join('; ')}.`
  return oneOf(meaning, names, names.at(-1))
}

export const strict = oneOf(
  'With `1` an unknown parameter gets `400`; without it, an unknown parameter is ignored and named in `Ignored-Parameters`.',
  ['1', 'true'],
  '1',
)

export const ifNoneMatch = {
  'If-None-Match': text('The `ETag` of a response that the client has.', 'W/"none"'),
}

/** The file in the examples, its directory, and the parts of it below an area. */
export const filePlace = {
  directory: `${inFirst}2026/022`,
  year: '2026',
  day: '022',
  hour: '05',
  filename: 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
}

const { directory, year, day, hour, filename } = filePlace

/** The words of sample requests, which have `{station}` for a station, and so on. */
export const exampleWords = {
  station: 'GRAZ',
  country: 'AUT',
  /** Of a record. */
  id: '1',
  date: '2026-01-22',
  days: '2026-01-22/2026-01-23',
  /** The first day of a year. */
  from: '2026-01-01',
  obs: filePlace,
  nrt: filePlace,
}

export type SampleWords = typeof exampleWords

/** Fills in the words of a sample; those of a path below `data/` are those of its area. */
export function sampleWith({ obs, nrt, ...words }: SampleWords, sample: string): string {
  const values: Readonly<Record<string, string>> = {
    ...words,
    ...(sample.includes('/data/nrt/') ? nrt : obs),
  }
  return sample.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

const digits = (description: string, count: number, example: string) =>
  text(description, example, { pattern: `^[0-9]{${count}}$` })

const placeParameters: ParameterSchemas = {
  directory: text('Directory below the archive root, of one or more segments.', directory),
  year: digits('Year, four digits.', 4, year),
  day: digits('Day of the year, three digits.', 3, day),
  hour: digits('Hour of the day, two digits.', 2, hour),
  filename: text('File name.', filename, { pattern: '^[A-Za-z0-9_][A-Za-z0-9._]*$' }),
}

interface DataKind extends Pick<
  RouteSchema,
  'description' | 'querystring' | 'headers' | 'response'
> {
  /** The end of the path; empty for a directory. */
  readonly name?: string
  /** What the sample request has after the URL, and before it. */
  readonly query?: string
  readonly options?: string
}

/** Describes GET of one kind of paths below `data/`. @returns what makes one entry */
export function dataPaths({ name = '', query = '', options = '', ...described }: DataKind) {
  return (place: string, operationId: string, summary: string) => {
    const path = `${place}${name}`
    const isInPath = ([key]: readonly [string, unknown]): boolean => path.includes(`{${key}}`)
    const operation: RouteSchema = {
      operationId,
      tags: ['Downloads'],
      summary,
      ...described,
      params: Object.fromEntries(Object.entries(placeParameters).filter(isInPath)),
      'x-codeSamples': [curl(`${exampleLinks.data}${path}${query}`, options)],
    }
    return [`/data/${path}`, operation] as const
  }
}
