/** Schemas of the availability and the latency of a station's series. */
import Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { measures, shareClasses } from '../../series/completeness.ts'
import { periods } from '../../series/series.ts'
import { fileTypes } from '../../parse/types.ts'
import { currencyHeaderNames, errors, negotiated } from '../openapi/responses.ts'
import { currencyFields, exampleCurrency, share } from '../series/schema.ts'
import {
  component,
  curl,
  exampleLinks,
  flag,
  list,
  moment,
  negotiable,
  number,
  object,
  oneOf,
  orNull,
  ref,
  text,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, parameters, strict } from '../openapi/parameters.ts'

const day = (description: string) => text(description, { format: 'date' })

/** An array with one schema for each place; OpenAPI 3.1 has JSON Schema's `prefixItems`. */
function tuple<T extends readonly unknown[]>(description: string, ...items: readonly TSchema[]) {
  return Type.Unsafe<T>({
    type: 'array',
    description,
    prefixItems: items,
    minItems: items.length,
    maxItems: items.length,
  })
}

const series = {
  station: text('The code of the request, in upper case.'),
  file_type: oneOf('Type of the files.', fileTypes),
  period: oneOf('Period of the files.', periods),
}

const ambiguous = list(
  'Long codes that begin with the same short code, if there are several: files with short names are then a series of their own. Otherwise empty.',
  text('A code.'),
)

export const availabilitySchema = component(
  'Availability',
  'Which slots of a series are there. A slot is the period of one file; names of both forms, any source, interval and content fill it.',
  {
    ...series,
    from: moment('Start of the first slot.'),
    to: moment('End of the last slot.'),
    ...currencyFields,
    first: orNull(
      moment(
        'Start of the first delivered slot, wherever the range is; a slot with no other one within the 28 days after it is passed over, because its name has a wrong date. Null if there is none.',
      ),
    ),
    last: orNull(moment('Start of the last delivered slot, wherever the range is.')),
    ended: flag(
      'True if the series was expected, and has delivered nothing for so long (at most 90 days) that it is not any more. Its figures go to its last file.',
    ),
    slots: number('Number of slots in the range.'),
    possible: number(
      'Number of slots since `first` that have ended and whose limit of lateness has passed, expected or not; with `measure=archived` without those whose file was removed.',
    ),
    present: number('Number of the possible slots that are filled, as `measure` counts.'),
    completeness: orNull(
      share('Share of the possible slots that are filled; null if no slot is possible.'),
    ),
    expected: number(
      'Number of slots that are expected and whose limit of lateness has passed. A series is expected on a day by the 90 days up to its last delivery before it: one of them must be steady, and the day must be at most as many days later as of these had a delivery (at least 3). A day is steady if, in the 28 days that end with it, at least 96 (15M), 24 (01H) or 3 (01D) slots were delivered, and at least half of the slots since the first delivered one.',
    ),
    delivered: number('Number of the expected slots that were delivered.'),
    share: orNull(
      share('Share of the expected slots that were delivered; null if no slot is expected.'),
    ),
    class: orNull(
      oneOf(
        'Class of `completeness`: `good` above 0.9, `fair` from 0.8, else `poor`; null for a series that has ended.',
        shareClasses,
      ),
    ),
    states: text(
      'States of the slots as run-length text (`P365M2`): P present, R removed, D due, L late, M missing, S silent (not expected), F future, - unknown (only with `measure=delivered`: not delivered before `known_from`).',
      { pattern: '^(?:[PRDLMSF-][0-9]+)+$' },
    ),
    spans: list(
      'Runs of present slots.',
      tuple<readonly [string, string]>('A run.', moment('Its start.'), moment('Its end.')),
    ),
    gaps: list(
      'Runs of slots from `first` on that are not filled and neither due nor future; those of a series that has ended go to its last file.',
      tuple<readonly [string, string, number, string]>(
        'A run.',
        moment('Its start.'),
        moment('Its end.'),
        number('Number of its slots.'),
        oneOf('The state of its slots.', ['removed', 'late', 'missing', 'silent']),
      ),
    ),
    ambiguous,
    known_from: orNull(
      moment(
        'Time from which deliveries are recorded, at most 400 days ago. For earlier slots without a file, it is unknown if a file was ever delivered.',
      ),
    ),
    usual_s: orNull(
      number(
        'The usual latency in seconds: the median of the last 28 days; null without arrivals.',
      ),
    ),
    late_after_s: number(
      'The limit of lateness in seconds: 95 of 100 arrivals of the last 28 days were within it. At least 300 (15M), 600 (01H) or 7200 (01D), at most 86400; 3600 (01D: 86400) with few arrivals.',
    ),
  },
)

export const latencySchema = component(
  'Latency',
  'How long after the end of their slots the files of a series arrived, as far as they were seen arriving.',
  {
    ...series,
    from: day('The first day.'),
    to: day('The last day.'),
    ...currencyFields,
    arrivals: number('Number of recorded arrivals.'),
    within: object('Number of arrivals within 300, 600, 3600 and 7200 seconds.', {
      '300': number('Within 5 minutes.'),
      '600': number('Within 10 minutes.'),
      '3600': number('Within an hour.'),
      '7200': number('Within two hours.'),
    }),
    median_s: orNull(number('Median latency in seconds; null without arrivals.')),
    p95_s: orNull(number('95th percentile of the latency in seconds; null without arrivals.')),
    usual_s: orNull(
      number(
        'The usual latency in seconds: the median of the last 28 days; null without arrivals.',
      ),
    ),
    late_after_s: number('The limit of lateness in seconds.'),
    histogram: list(
      'Classes of latencies.',
      tuple<readonly [number, number | null, number]>(
        'A class.',
        number('Latency in seconds above which the class begins.'),
        orNull(number('Latency in seconds at which the class ends; null for the last class.')),
        number('Number of arrivals.'),
      ),
    ),
    days: list(
      'Days with arrivals, by the start of the slots.',
      object('A day.', {
        date: day('The day.'),
        n: number('Number of arrivals.'),
        within_600: number('Number of these arrivals within 10 minutes.'),
        median_s: orNull(number('Median latency of these arrivals in seconds.')),
      }),
    ),
    ambiguous,
  },
)

const { api } = exampleLinks

const exampleAvailability: Static<typeof availabilitySchema> = {
  station: 'GRAZ',
  file_type: 'o',
  period: '01D',
  from: '2026-01-01T00:00:00Z',
  to: '2026-01-23T00:00:00Z',
  ...exampleCurrency,
  first: '2025-11-02T00:00:00Z',
  last: '2026-01-21T00:00:00Z',
  ended: false,
  slots: 22,
  possible: 21,
  present: 20,
  completeness: 0.9524,
  expected: 21,
  delivered: 20,
  share: 0.9524,
  class: 'good',
  states: 'P10M1P10F1',
  spans: [
    ['2026-01-01T00:00:00Z', '2026-01-11T00:00:00Z'],
    ['2026-01-12T00:00:00Z', '2026-01-22T00:00:00Z'],
  ],
  gaps: [['2026-01-11T00:00:00Z', '2026-01-12T00:00:00Z', 1, 'missing']],
  ambiguous: [],
  known_from: '2025-11-02T09:30:00Z',
  usual_s: 3900,
  late_after_s: 7200,
}

const exampleLatency: Static<typeof latencySchema> = {
  station: 'GRAZ',
  file_type: 'o',
  period: '01H',
  from: '2026-01-22',
  to: '2026-01-22',
  ...exampleCurrency,
  arrivals: 2,
  within: { '300': 1, '600': 2, '3600': 2, '7200': 2 },
  median_s: 140,
  p95_s: 420,
  usual_s: 120,
  late_after_s: 600,
  histogram: [
    [0, 300, 1],
    [300, 600, 1],
    [600, null, 0],
  ],
  days: [{ date: '2026-01-22', n: 2, within_600: 2, median_s: 140 }],
  ambiguous: [],
}

const exampleRuns = [
  'start,end,slots,state',
  '2026-01-01T00:00:00Z,2026-01-11T00:00:00Z,10,present',
  '2026-01-11T00:00:00Z,2026-01-12T00:00:00Z,1,missing',
].join('\n')
const exampleText = '2026 PPPPPPPPPPMPPPPPPPPPPF'
const exampleDays = ['date,n,within_600,median_s', '2026-01-22,2,2,140'].join('\n')

const code = text('The station code, in upper or lower case.', {
  pattern: '^(?:[A-Za-z0-9]{4}|[A-Za-z0-9]{9})$',
  examples: ['GRAZ'],
})

const seriesQuery = (period: string) => ({
  file_type: oneOf('Type of the files.', fileTypes, { default: 'o', examples: ['o'] }),
  period: oneOf('Period of the files.', periods, { default: period, examples: [period] }),
  from: day(
    'The first day. Without it daily availability begins with the first file, everything else 27 days before `to`. A range has at most 40 years and 100,000 slots.',
  ),
  to: day('The last day; by default today.'),
})

const errorResponses = errors(
  ...(['NotModified', 'BadParameters', 'NotFound', 'NotAcceptable'] as const),
  ...(['TooManyRequests', 'Unavailable'] as const),
)

export const getAvailability: RouteSchema = {
  operationId: 'getAvailability',
  tags: ['Stations'],
  summary: 'Availability of a station',
  description:
    'Also as CSV (a line for each run of slots in the same state), as text (a line for each day with a character for each slot, or for daily files a line for each year with a character for each day), and as a calendar in SVG. The response depends on the clock, so its `ETag` changes about every minute. Caches may keep CSV, text and SVG until the end of the running minute (`Cache-Control: public, max-age=…`).',
  params: parameters({ code }),
  querystring: parameters({
    ...seriesQuery('01D'),
    measure: oneOf(
      '`archived` counts files that are in the archive now. `delivered` counts all files that were delivered, also those that were removed since.',
      measures,
      { default: 'archived', examples: ['archived'] },
    ),
    strict,
    format: format(['api', 'json', 'csv', 'txt', 'svg']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The availability.',
      {
        ...negotiable(ref(availabilitySchema), exampleAvailability),
        'text/csv': { schema: { type: 'string' }, example: exampleRuns },
        'text/plain': { schema: { type: 'string' }, example: exampleText },
        'image/svg+xml': { schema: { type: 'string' } },
      },
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...errorResponses,
  },
  'x-codeSamples': [
    curl(`${api}station/GRAZ/availability/?from=2026-01-01`),
    curl(`${api}station/GRAZ/availability/?period=01H&format=txt`),
  ],
}

export const getLatency: RouteSchema = {
  operationId: 'getLatency',
  tags: ['Stations'],
  summary: 'Latency of a station',
  description:
    'The latency is the time from the end of a slot until its first file is listed. Files that a scan found do not count. The CSV has a line for each day with arrivals. The response depends on the clock, so its `ETag` changes about every minute.',
  params: parameters({ code }),
  querystring: parameters({
    ...seriesQuery('01H'),
    strict,
    format: format(['api', 'json', 'csv']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The latencies.',
      {
        ...negotiable(ref(latencySchema), exampleLatency),
        'text/csv': { schema: { type: 'string' }, example: exampleDays },
      },
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...errorResponses,
  },
  'x-codeSamples': [curl(`${api}station/GRAZ/latency/?from=2026-01-01`)],
}
