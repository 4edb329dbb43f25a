/** Parameters that several resources share. */
import { defaultLimit } from '../http/query.ts'
import { number, oneOf, text } from './openapi.ts'
import type { JsonSchema, ParameterObject, Parameters } from './openapi.ts'

const formats: Readonly<Record<string, string>> = {
  api: '`api` leaves the choice between JSON and a page to `Accept`',
  json: '`json` forces JSON',
  ndjson: '`ndjson` is the whole list with one JSON record per line',
  csv: '`csv` is a table of all rows, with a header line',
  urls: '`urls` is the whole list with one download URL per line',
  txt: '`txt` is plain text',
  atom: '`atom` is the whole list as an Atom feed',
  svg: '`svg` is a picture',
}

export function format(names: readonly string[] = ['api', 'json']) {
  const meaning = `${names.map((name) => formats[name] ?? name).join('; ')}.`
  return oneOf(meaning, names, { examples: [names.at(-1)] })
}

/** @param most the maximum; a larger limit is reduced to it */
export function limit(most: number) {
  return number(
    `Items per page; more than ${most} is answered as ${most}. A value that is not a positive integer is ignored.`,
    { minimum: 1, default: defaultLimit, examples: [5] },
  )
}

/** @param most the maximum; a larger limit is reduced to it */
export function paging(most: number) {
  return {
    limit: limit(most),
    offset: number(
      'Number of items to skip. A value that is not an integer from 0 up is ignored.',
      { default: 0, examples: [0] },
    ),
  }
}

export const strict = oneOf(
  'With `1` an unknown parameter gets `400`; without it, an unknown parameter is ignored and named in `Ignored-Parameters`.',
  ['1', 'true'],
  { examples: ['1'] },
)

/** Makes the schema for the parameters of a route. */
export function parameters<P extends Parameters>(properties: P) {
  return { type: 'object', properties }
}

export const ifNoneMatch = {
  'If-None-Match': text('The `ETag` of a response that the client has.', {
    examples: ['W/"none"'],
  }),
}

/** The file in the examples, and the parts of its directory below an area. */
export const filePlace = {
  year: '2026',
  day: '022',
  hour: '05',
  filename: 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
}

const { year, day, hour } = filePlace

export const yearOf = {
  year: text('Year, four digits.', { pattern: '^[0-9]{4}$', examples: [year] }),
}

export const yearAndDay = {
  ...yearOf,
  day: text('Day of the year, three digits.', { pattern: '^[0-9]{3}$', examples: [day] }),
}

export const yearDayAndHour = {
  ...yearAndDay,
  hour: text('Hour of the day, two digits.', { pattern: '^[0-9]{2}$', examples: [hour] }),
}

/** Makes the parameters of the OpenAPI document, for paths that have no route of their own. */
export function parametersIn(place: ParameterObject['in'], named: Parameters): ParameterObject[] {
  return Object.entries(named as Readonly<Record<string, JsonSchema>>).map(
    ([name, { description, examples, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path',
      schema,
      description: description as string,
      example: (examples as unknown[])[0],
    }),
  )
}
