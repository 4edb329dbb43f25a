/** Schemas of the report of a week. */
import * as schema from '../openapi/schema.ts'
import { asOfMembers } from '../series/network-context.ts'
import { classOf, seriesFields } from '../series/series-fields.ts'

type Shares = readonly [possible: number, delivered: number, completeness: number]

/** The files of one period, with the figures of the example. */
const shares = (files: string, [possible, delivered, completeness]: Shares) =>
  schema.orNull(
    schema.object(`${files} of the week; null if none is expected or delivered.`, {
      possible: schema.integer(
        'Number of slots since the first delivered one that have ended and whose limit of lateness has passed.',
        possible,
      ),
      delivered: schema.integer('Number of these slots that were delivered.', delivered),
      completeness: schema.shareOrNull(
        'Share of the possible slots that were delivered.',
        completeness,
      ),
      class: classOf('completeness'),
      ended: schema.boolean(
        'True if the series had ended by the end of this week: it then counts in no sum and has no class.',
        false,
      ),
    }),
  )

export const weekReportSchema = schema.component(
  'WeekReport',
  'The observation files that each station delivered in a week.',
  {
    week: schema.text('The GPS week.', '2402', { pattern: '^[0-9]{1,4}$' }),
    from: schema.day('The first day of the week.', '2026-01-18'),
    to: schema.day('The last day of the week.', '2026-01-24'),
    ...asOfMembers.fields,
    as_of: schema.withExample(asOfMembers.fields.as_of, '2026-01-27T06:10:00Z'),
    ended: schema.integer(
      'Number of series that had ended by the end of this week; they are in no sum.',
      0,
    ),
    stations: schema.list(
      'Stations with expected or delivered files, by code.',
      schema.object('A station.', {
        station: seriesFields.station.schema,
        country: seriesFields.country.schema,
        daily: shares('Daily files', [7, 7, 1]),
        hourly: shares('Hourly files', [168, 166, 0.9881]),
        within_600: schema.shareOrNull(
          'Share of the hourly files that arrived within 10 minutes, of those that were seen arriving.',
          0.994,
        ),
        timeliness: classOf('within_600'),
        missing: schema.list(
          'Patterns of the names of expected files that were not delivered, or are damaged; a day on which all files are missing has one pattern.',
          schema.text('A file name pattern in the syntax of the shell.'),
          ['GRAZ00AUT_?_202602203??_01H_*O.*', 'GRAZ00AUT_?_202602204??_01H_*O.*'],
        ),
      }),
    ),
  },
)

export type WireReport = schema.Static<typeof weekReportSchema>
export type WireReportStation = WireReport['stations'][number]
export type WireReportShare = NonNullable<WireReportStation['daily']>
