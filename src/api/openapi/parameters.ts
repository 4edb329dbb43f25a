/** Parameters that several resources have. */
import { defaultLimit } from '../http/query.ts'
import { number, oneOf, text } from './openapi.ts'
import type { JsonSchema, ParameterObject, Parameters } from './openapi.ts'

const formats: Readonly<Record<string, string>> = {
  api: '`api` leaves the choice between JSON and a page to `Accept`',
  json: '`json` is JSON whatever `Accept` says',
  ndjson: '`ndjson` is the whole list, a record in JSON a line',
  csv: '`csv` the same as a table with a first line of names',
  urls: '`urls` the same as URLs to download',
  txt: '`txt` text, a character a slot',
  svg: '`svg` a picture',
}

export function format(names: readonly string[] = ['api', 'json']) {
  const meaning = `${names.map((name) => formats[name] ?? name).join('; ')}.`
  return oneOf(meaning, names, { examples: [names.at(-1)] })
}

/** @param most a larger limit is answered as this */
export function limit(most: number) {
  return number(
    `How many on a page; more than ${most} is answered as ${most}, and what is no positive whole number as if it were absent.`,
    { minimum: 1, default: defaultLimit, examples: [5] },
  )
}

/** @param most a larger limit is answered as this */
export function paging(most: number) {
  return { limit: limit(most), offset: number('How many to skip.', { default: 0, examples: [0] }) }
}

export const strict = oneOf(
  'With `1` a parameter that means nothing here is refused; without it, it is ignored and named in `Ignored-Parameters`.',
  ['1', 'true'],
  { examples: ['1'] },
)

/** Parameters by name, as the schema of a route has them. */
export function parameters<P extends Parameters>(properties: P) {
  return { type: 'object', properties }
}

export const ifNoneMatch = {
  'If-None-Match': text('The tag of an answer that the client has already.', {
    examples: ['W/"none"'],
  }),
}

/** The file of the examples, and where it lies below its area. */
export const filePlace = {
  year: '2026',
  day: '022',
  hour: '05',
  filename: 'GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz',
}

const { year, day, hour } = filePlace

export const yearOf = {
  year: text('The year, four digits.', { pattern: '^[0-9]{4}$', examples: [year] }),
}

export const yearAndDay = {
  ...yearOf,
  day: text('Day of the year, three digits.', { pattern: '^[0-9]{3}$', examples: [day] }),
}

export const yearDayAndHour = {
  ...yearAndDay,
  hour: text('Hour of the day, two digits.', { pattern: '^[0-9]{2}$', examples: [hour] }),
}

/** Parameters as the description has them, for paths that have no route of their own. */
export function parametersIn(place: ParameterObject['in'], named: Parameters): ParameterObject[] {
  return Object.entries(named as Readonly<Record<string, JsonSchema>>).map(
    ([name, { description, examples, ...schema }]) => ({
      ...{ name, in: place, required: place === 'path', schema },
      description: description as string,
      example: (examples as unknown[])[0],
    }),
  )
}
