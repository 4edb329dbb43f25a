/** Schemas of the files that are expected and not delivered. */
import type { Static } from 'typebox'
import {
  currencyFields,
  exampleCurrency,
  listErrors,
  seriesFields,
  seriesQuery,
} from '../series/schema.ts'
import { currencyHeaderNames, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  list,
  moment,
  negotiable,
  oneOf,
  pageOf,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { ifNoneMatch, parameters } from '../openapi/parameters.ts'

export const missingStates = ['late', 'missing'] as const
export type MissingState = (typeof missingStates)[number]

export const missingOrderKeys = ['start', 'station', 'expected_by', 'since'] as const
export type MissingOrderKey = (typeof missingOrderKeys)[number]

export const missingSchema = component(
  'MissingFile',
  'A slot of a series whose expected file was not delivered.',
  {
    station: seriesFields.station,
    file_type: seriesFields.file_type,
    period: seriesFields.period,
    start: moment('Start of the slot.'),
    end: moment('End of the slot.'),
    expected_by: moment('The end of the slot plus the limit of lateness of the series.'),
    state: oneOf(
      '`late` until 3 days after the end of the slot (01D: 7 days), then `missing`.',
      missingStates,
    ),
    since: moment('Time since which the slot has this state.'),
    name: text(
      'A pattern of the names of the file in the syntax of the shell, to look for it elsewhere.',
    ),
  },
)

export type WireMissing = Static<typeof missingSchema>

export const missingPageSchema = pageOf(
  'MissingFilePage',
  'A page of the missing files.',
  ref(missingSchema),
  currencyFields,
)

const { api } = exampleLinks

const example: WireMissing = {
  station: 'GRAZ00AUT',
  file_type: 'o',
  period: '01H',
  start: '2026-01-22T03:00:00Z',
  end: '2026-01-22T04:00:00Z',
  expected_by: '2026-01-22T04:10:00Z',
  state: 'late',
  since: '2026-01-22T04:10:00Z',
  name: 'GRAZ00AUT_?_20260220300_01H_*O.*',
}

/** The columns of the CSV. */
export const missingColumns = Object.keys(example) as (keyof WireMissing)[]

const exampleCsv = [missingColumns.join(), Object.values(example).join()].join('\n')

/** The parameters of a range of days. */
export const dayQuery = {
  from: text(
    'The first day, by the start of the slots; without it 27 days before `to`. A range has at most 62 days; with one station in `station` it has at most 40 years.',
    {
      format: 'date',
      examples: ['2026-01-16'],
    },
  ),
  to: text(
    'The last day; without it today, but at most the last day that a range from `from` may have.',
    {
      format: 'date',
      examples: ['2026-01-22'],
    },
  ),
}

/** @param maxLimit maximum number of rows on a page */
export const listMissing = (maxLimit: number): RouteSchema => ({
  operationId: 'listMissingFiles',
  tags: ['Stations'],
  summary: 'List missing files',
  description:
    'One row for each slot that is expected and not delivered: late, or missing. The CSV has all rows at once, as a worklist for backfilling. The response depends on the clock, so its `ETag` changes about every minute.',
  querystring: parameters({
    state: list(
      'The states of the slots; by default both.',
      { type: 'string', enum: missingStates },
      { examples: [['late']] },
    ),
    ...dayQuery,
    ...seriesQuery(maxLimit),
    ordering: oneOf(
      'The sort key; a minus before it reverses the order.',
      missingOrderKeys.flatMap((key) => [key, `-${key}`]),
      { default: '-start', examples: ['station'] },
    ),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the missing files.',
      {
        ...negotiable(ref(missingPageSchema), {
          count: 1,
          next: null,
          previous: null,
          ...exampleCurrency,
          results: [example],
        }),
        'text/csv': { schema: { type: 'string' }, example: exampleCsv },
      },
      'Link',
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}missing/?station=GRAZ&period=01H&format=csv`)],
})
