/** Schemas of the series of the network. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { periods } from '../../series/series.ts'
import { shareClasses } from '../../series/completeness.ts'
import { seriesStates } from '../../series/slot-states.ts'
import { filterParameters } from '../parameters/file-filters.ts'
import { fileTypes } from '../../parse/types.ts'
import { filtersIn } from '../files/schema.ts'
import { currencyHeaderNames, errors, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  flag,
  list,
  moment,
  negotiable,
  number,
  oneOf,
  orNull,
  pageOf,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, paging, parameters, strict } from '../openapi/parameters.ts'

/** Filters that the list of series shares with the list of files. */
export const sharedParameters = new Map(
  [...filterParameters].filter(([name]) => ['station', 'country', 'file_type'].includes(name)),
)

/** Sort keys of the list of series. */
export const seriesOrderKeys = [
  'station',
  'state',
  'since',
  'last_slot',
  'last_arrival',
  'completeness_28d',
  'share_28d',
  'within_target_28d',
] as const
export type SeriesOrderKey = (typeof seriesOrderKeys)[number]

export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

/** What an answer says of how current its states are. */
export const currencyFields = {
  as_of: orNull(
    moment(
      'The time for which the states were computed: now, or the last time at which the catalogue was known to equal the archive. Slots that begin later do not count. Null until the first scan of the archive has ended.',
    ),
  ),
  not_current: orNull(
    text(
      'Why the catalogue does not follow the archive now; null if it does. Meanwhile the states stand still, and nothing turns late.',
    ),
  ),
}

export const exampleCurrency = { as_of: '2026-01-22T06:10:00Z', not_current: null }

export const seriesFields = {
  station: text(
    'The code of the station: 9 characters, or 4 if no long code or more than one begins with them.',
  ),
  country: orNull(text('ISO 3166-1 alpha-3; null if the code has no country.')),
  file_type: oneOf('Type of the files.', fileTypes),
  period: oneOf('Period of the files.', periods),
}

export const seriesSchema = component(
  'Series',
  'A series: the files of one station, with the same type and period.',
  {
    station: seriesFields.station,
    country: seriesFields.country,
    file_type: seriesFields.file_type,
    period: seriesFields.period,
    state: oneOf(
      'The state of the newest slot that has ended and whose limit of lateness has passed: `present` was delivered, `silent` is not expected; else `late`, or `down` if the last delivered slot ended more than a day (01D: 3 days) and the limit ago. `unknown` until the first scan of the archive has ended.',
      seriesStates,
    ),
    since: orNull(
      moment(
        'For `present`, the start of the run of delivered slots, at most 28 days back; otherwise the end of the last delivered slot. Null if nothing was ever delivered.',
      ),
    ),
    ended: flag(
      'True if the series was expected, and has delivered nothing for so long (at most 90 days) that it is not any more. Its figures go to its last file.',
    ),
    usual_s: orNull(
      number(
        'The usual latency in seconds: the median of the last 28 days; null without arrivals.',
      ),
    ),
    late_after_s: number(
      'The limit of lateness in seconds after the end of a slot: 95 of 100 arrivals of the last 28 days were within it. At least 300 (15M), 600 (01H) or 7200 (01D), at most 86400; 3600 (01D: 86400) with few arrivals.',
    ),
    last_slot: orNull(moment('Start of the newest delivered slot.')),
    last_arrival: orNull(
      moment('Arrival of the latest file that was seen arriving in the last 56 days.'),
    ),
    completeness_28d: orNull(
      share(
        'Share of the possible slots of the last 28 days that were delivered. Possible are all slots since the first delivered one whose limit of lateness has passed, expected or not.',
      ),
    ),
    share_28d: orNull(
      share('Share of the expected slots of the last 28 days that were delivered.'),
    ),
    within_target_28d: orNull(
      share(
        'Share of the arrivals of the last 28 days that were within the target: 5 minutes after the end of the slot (15M), 10 minutes (01H), 2 hours (01D).',
      ),
    ),
    class: orNull(
      oneOf(
        'Class of `completeness_28d`: `good` above 0.9, `fair` from 0.8, else `poor`; null for a series that has ended.',
        shareClasses,
      ),
    ),
  },
)

export type WireSeries = Static<typeof seriesSchema>

export const seriesPageSchema = pageOf(
  'SeriesPage',
  'A page of the series.',
  ref(seriesSchema),
  currencyFields,
)

const { api } = exampleLinks

const exampleSeries: WireSeries = {
  station: 'GRAZ00AUT',
  country: 'AUT',
  file_type: 'o',
  period: '01H',
  state: 'late',
  since: '2026-01-22T03:00:00Z',
  ended: false,
  usual_s: 70,
  late_after_s: 600,
  last_slot: '2026-01-22T02:00:00Z',
  last_arrival: '2026-01-22T03:01:10Z',
  completeness_28d: 0.9955,
  share_28d: 0.9955,
  within_target_28d: 0.9941,
  class: 'good',
}

/** The columns of the CSV. */
export const seriesColumns = Object.keys(exampleSeries) as (keyof WireSeries)[]

const exampleCsv = [seriesColumns.join(), Object.values(exampleSeries).join()].join('\n')

const period = list(
  'The periods of the files; by default all.',
  { type: 'string', enum: periods },
  { examples: [['01H']] },
)

/** Parameters that all lists of series have. */
export const seriesQuery = (maxLimit: number) => ({
  ...filtersIn(sharedParameters),
  period,
  ...paging(maxLimit),
  strict,
  format: format(['api', 'json', 'csv']),
})

export const listErrors = {
  ...errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'),
  ...errors('TooManyRequests', 'Unavailable'),
}

/** @param maxLimit maximum number of series on a page */
export const listSeries = (maxLimit: number): RouteSchema => ({
  operationId: 'listSeries',
  tags: ['Stations'],
  summary: 'List series',
  description:
    'The state of each series of the network now, and what it delivered in the last 28 days. The CSV has all series at once. The response depends on the clock, so its `ETag` changes about every minute.',
  querystring: parameters({
    state: list(
      'The states of the series; by default all.',
      { type: 'string', enum: seriesStates },
      { examples: [['late']] },
    ),
    ...seriesQuery(maxLimit),
    ordering: oneOf(
      'The sort key; a minus before it reverses the order. Missing values come last.',
      seriesOrderKeys.flatMap((key) => [key, `-${key}`]),
      { default: 'station', examples: ['completeness_28d'] },
    ),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'A page of the series.',
      {
        ...negotiable(ref(seriesPageSchema), {
          count: 1,
          next: null,
          previous: null,
          ...exampleCurrency,
          results: [exampleSeries],
        }),
        'text/csv': { schema: { type: 'string' }, example: exampleCsv },
      },
      'Link',
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}series/?state=late,down&format=csv`)],
})
