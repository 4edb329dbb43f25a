/** Parameters of requests. Those of filters follow from the table by which they are read. */
import { filePlace } from './examples.ts'
import { changesFilters, maxChanges, maxWaitSeconds } from '../changes/request.ts'
import { stationOrderKeys } from '../../catalogue/reader.ts'
import { orderKeys } from '../../catalogue/filter.ts'
import { expansions } from '../files/serialise.ts'
import { filterParameters } from '../files/parameters.ts'
import type { FilterParameter } from '../files/parameters.ts'
import { problemNames } from '../problems/problem-list.ts'
import { defaultLimit } from '../http/query.ts'
import type { JsonSchema, ParameterObject } from './openapi.ts'

function inQuery(
  name: string,
  description: string,
  { schema, example }: { readonly schema: JsonSchema; readonly example: unknown },
): ParameterObject {
  return { name, in: 'query', description, schema, example }
}

/** Of a choice several values may be given, with commas between them. */
function filter(
  name: string,
  { meaning, schema, example, isChoice }: FilterParameter,
): ParameterObject {
  if (!isChoice) {
    const value = schema['type'] === 'integer' ? Number(example) : example
    return inQuery(name, meaning, { schema, example: value })
  }
  return {
    ...inQuery(name, meaning, { schema: { type: 'array', items: schema }, example: [example] }),
    style: 'form',
    explode: false,
  }
}

export const filters: readonly ParameterObject[] = Array.from(filterParameters, ([name, row]) =>
  filter(name, row),
)

export function filtersNamed(names: readonly string[]): readonly ParameterObject[] {
  return filters.filter(({ name }) => names.includes(name))
}

const formats: Readonly<Record<string, string>> = {
  api: '`api` leaves the choice between JSON and a page to `Accept`',
  json: '`json` is JSON whatever `Accept` says',
  ndjson: '`ndjson` is the whole list, a record in JSON a line',
  csv: '`csv` the same as a table with a first line of names',
  urls: '`urls` the same as URLs to download',
}

export function format(names: readonly string[] = ['api', 'json']): ParameterObject {
  const meaning = `${names.map((name) => formats[name] ?? name).join('; ')}.`
  return inQuery('format', meaning, {
    schema: { type: 'string', enum: names },
    example: names.at(-1),
  })
}

/** @param most a larger limit is answered as this */
export function paging(most: number): readonly ParameterObject[] {
  return [limit(most), offset]
}

function limit(most: number): ParameterObject {
  return inQuery(
    'limit',
    `How many on a page; more than ${most} is answered as ${most}, and what is no positive whole number as if it were absent.`,
    { schema: { type: 'integer', minimum: 1, default: defaultLimit }, example: 5 },
  )
}

const offset = inQuery('offset', 'How many to skip.', {
  schema: { type: 'integer', minimum: 0, default: 0 },
  example: 0,
})

export const strict = inQuery(
  'strict',
  'With `1` a parameter that means nothing here is refused; without it, it is ignored and named in `Ignored-Parameters`.',
  { schema: { type: 'string', enum: ['1', 'true'] }, example: '1' },
)

const orderKey = `-?(${orderKeys.join('|')})`

export const ordering = inQuery(
  'ordering',
  `The order: ${orderKeys.map((key) => `\`${key}\``).join(', ')}, each turned round by a minus, one or several with commas between them. Files with equal keys are sorted by id, in the direction of the last key.`,
  {
    schema: { type: 'string', pattern: `^${orderKey}(,${orderKey})*$`, default: '-id' },
    example: '-data_date,filename',
  },
)

export const expand = inQuery(
  'expand',
  'With `file` records have an eleventh key `file`: size, mtime, checksum, the parts of the name, and the problem of the file. In CSV these are further columns.',
  { schema: { type: 'string', enum: [...expansions] }, example: 'file' },
)

export const problem: ParameterObject = {
  ...inQuery('problem', 'Which problems; all without it.', {
    schema: { type: 'array', items: { type: 'string', enum: [...problemNames] } },
    example: ['rejected'],
  }),
  style: 'form',
  explode: false,
}

export const stationSearch = inQuery('search', 'A part of a code, in any case.', {
  schema: { type: 'string' },
  example: 'gr',
})

export const stationOrdering = inQuery(
  'ordering',
  'The order, by code without it; a minus turns it round. Stations without a country come last.',
  {
    schema: {
      type: 'string',
      enum: stationOrderKeys.flatMap((key) => [key, `-${key}`]),
      default: 'code',
    },
    example: '-count',
  },
)

export const ifNoneMatch: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The tag of an answer that the client has already.',
  schema: { type: 'string' },
  example: 'W/"none"',
}

/** What the change feed can be asked. */
export const changesParameters: readonly ParameterObject[] = [
  inQuery(
    'since',
    'The number after which to begin; without it the feed begins at its end, with what will change.',
    { schema: { type: 'integer', minimum: 0 }, example: 0 },
  ),
  {
    name: 'epoch',
    in: 'query',
    description:
      'Which database gave that number, as `next` and the status tell: after a rebuilt one the answer is `410`.',
    schema: { type: 'string' },
  },
  inQuery(
    'wait',
    `Seconds to hold an empty answer back until there is something; more than ${maxWaitSeconds} is answered as ${maxWaitSeconds}.`,
    { schema: { type: 'integer', minimum: 0, default: 0 }, example: 0 },
  ),
  limit(maxChanges),
  expand,
  format(),
  strict,
  ...filtersNamed([...changesFilters.keys()]),
]

const { year, day, hour } = filePlace

export const yearOf = [inPath('year', 'The year, four digits.', '^[0-9]{4}$', year)]

export const yearAndDay = [
  ...yearOf,
  inPath('day', 'Day of the year, three digits.', '^[0-9]{3}$', day),
]

export const hourOf = inPath('hour', 'Hour of the day, two digits.', '^[0-9]{2}$', hour)

export function inPath(
  name: string,
  words: string,
  pattern: string,
  example: string,
): ParameterObject {
  return {
    name,
    in: 'path',
    required: true,
    description: words,
    schema: { type: 'string', pattern },
    example,
  }
}
