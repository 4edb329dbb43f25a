/** Schemas of the report of a week. */
import type { Static } from 'typebox'
import { shareClasses } from '../../series/completeness.ts'
import { currencyHeaderNames, negotiated } from '../openapi/responses.ts'
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
import {
  currencyFields,
  exampleCurrency,
  listErrors,
  seriesFields,
  share,
} from '../series/schema.ts'

const day = (description: string) => text(description, { format: 'date' })
const classOf = (name: string) =>
  orNull(
    oneOf(
      `Class of \`${name}\`: \`good\` above 0.9, \`fair\` from 0.8, else \`poor\`.`,
      shareClasses,
    ),
  )

const shares = (files: string) =>
  orNull(
    object(`${files} of the week; null if none is expected or delivered.`, {
      possible: number(
        'Number of slots since the first delivered one that have ended and whose limit of lateness has passed.',
      ),
      present: number('Number of these slots that were delivered.'),
      completeness: orNull(share('Share of the possible slots that were delivered.')),
      expected: number('Number of slots that are expected and whose limit of lateness has passed.'),
      delivered: number('Number of these slots that were delivered.'),
      share: orNull(share('Share of the expected slots that were delivered.')),
      class: classOf('completeness'),
      ended: flag(
        'True if the series had ended by the end of this week: it then counts in no sum and has no class.',
      ),
    }),
  )

export const weekReportSchema = component(
  'WeekReport',
  'The observation files that each station delivered in a week.',
  {
    week: text('The GPS week (`2393`), or the ISO week (`2026-W47`).', {
      pattern: '^(?:[0-9]{1,4}|[0-9]{4}-W[0-9]{2})$',
    }),
    from: day('The first day of the week.'),
    to: day('The last day of the week.'),
    ...currencyFields,
    summary: list(
      'At most three sentences: the total, the series below 80 %, and the change against the week before.',
      text('A sentence.'),
    ),
    ended: number('Number of series that had ended by the end of this week; they are in no sum.'),
    stations: list(
      'Stations with expected or delivered files, by code.',
      object('A station.', {
        station: seriesFields.station,
        country: seriesFields.country,
        daily: shares('Daily files'),
        hourly: shares('Hourly files'),
        within_600: orNull(
          share(
            'Share of the hourly files that arrived within 10 minutes, of those that were seen arriving.',
          ),
        ),
        timeliness: classOf('within_600'),
        missing: list(
          'Patterns of the names of expected files that were not delivered; a day on which all files are missing has one pattern.',
          text('A file name pattern in the syntax of the shell.'),
        ),
      }),
    ),
    replaced: list(
      'Files whose content was replaced in the week, at most 1000.',
      object('A file.', {
        path: text('The path below the archive root.'),
        modified: moment('Time of the latest replacement.'),
      }),
    ),
    replaced_complete: flag(
      'False if there are more replaced files than listed, or if not all files could be examined.',
    ),
  },
)

export type WireReport = Static<typeof weekReportSchema>
export type WireReportStation = WireReport['stations'][number]
export type WireReportShare = NonNullable<WireReportStation['daily']>

const example: WireReport = {
  week: '2402',
  from: '2026-01-18',
  to: '2026-01-24',
  ...exampleCurrency,
  as_of: '2026-01-27T06:10:00Z',
  summary: [
    '98.9 % complete: 173 of 175 files of 2 series were delivered.',
    'No series is below 80 %.',
    '0.6 percentage points more than in the week before (98.3 %).',
  ],
  ended: 0,
  stations: [
    {
      station: 'GRAZ00AUT',
      country: 'AUT',
      daily: {
        possible: 7,
        present: 7,
        completeness: 1,
        expected: 7,
        delivered: 7,
        share: 1,
        class: 'good',
        ended: false,
      },
      hourly: {
        possible: 168,
        present: 166,
        completeness: 0.9881,
        expected: 168,
        delivered: 166,
        share: 0.9881,
        class: 'good',
        ended: false,
      },
      within_600: 0.994,
      timeliness: 'good',
      missing: ['GRAZ00AUT_?_20260220300_01H_*O.*', 'GRAZ00AUT_?_20260220400_01H_*O.*'],
    },
  ],
  replaced: [
    {
      path: 'obs/2026/019/GRAZ00AUT_R_20260190000_01D_30S_MO.crx.gz',
      modified: '2026-01-20T09:15:02.118203Z',
    },
  ],
  replaced_complete: true,
}

const { api } = exampleLinks

export const getReport: RouteSchema = {
  operationId: 'getWeekReport',
  tags: ['Stations'],
  summary: 'Report of a week',
  description:
    'Completeness of daily and hourly observation files, timeliness, missing and replaced files. Files that were removed count for 400 days. `format=txt` is the report as text, for a mail; the CSV has a line for each station. The response depends on the clock, so its `ETag` changes about every minute.',
  querystring: parameters({
    week: text(
      'A GPS week (Sunday to Saturday) or an ISO week (Monday to Sunday); without it, the last whole GPS week.',
      { pattern: '^(?:[0-9]{1,4}|[0-9]{4}-?[Ww][0-9]{2})$', examples: ['2402'] },
    ),
    strict,
    format: format(['api', 'json', 'csv', 'txt']),
  }),
  headers: parameters(ifNoneMatch),
  response: {
    '200': negotiated(
      'The report.',
      {
        ...negotiable(ref(weekReportSchema), example),
        'text/csv': { schema: { type: 'string' } },
        'text/plain': { schema: { type: 'string' } },
      },
      'Ignored-Parameters',
      ...currencyHeaderNames,
    ),
    ...listErrors,
  },
  'x-codeSamples': [curl(`${api}report/?week=2402&format=txt`)],
}
