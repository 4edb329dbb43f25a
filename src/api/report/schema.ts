/** Schemas of the report of a week. */
import { flagCounts } from '../openapi/flags.ts'
import * as schema from '../openapi/schema.ts'
import { asOfMembers } from '../series/network-context.ts'
import { classOf, halfMeaning, seriesFields } from '../series/series-fields.ts'

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
      half: schema.integer(halfMeaning('of the week'), 0),
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

const notAlways =
  'without the flags that its station always has: on at least nine tenths of three or more files'

const oneFlag = [{ flag: 'short', files: 2 }] as const

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
    flagged: schema.object(
      'What is wrong with the observation files of these stations by what is inside them.',
      {
        read: schema.integer('Number of files of the week that were read for that.', 168),
        files: schema.integer(`Number of these with a flag, ${notAlways}.`, 2),
        flags: flagCounts('The files with a flag', oneFlag),
        days: schema.list(
          'The days with such files.',
          schema.object('A day.', {
            date: schema.day('The UTC day on which the data begin.', '2026-01-22'),
            files: schema.integer('Number of files with a flag.', 2),
            flags: flagCounts('These files', oneFlag),
          }),
        ),
        worst: schema.list(
          'Codes of the stations with such files, those with most first.',
          schema.text('A station.'),
          ['GRAZ00AUT'],
        ),
      },
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
        read: schema.integer('Number of its files that were read for what is inside.', 168),
        flagged: schema.integer(`Number of these with a flag, ${notAlways}.`, 2),
        flags: flagCounts('These files', oneFlag),
        always: flagCounts('The flags that it always has', []),
      }),
    ),
  },
)

export type WireReport = schema.Static<typeof weekReportSchema>
export type WireReportStation = WireReport['stations'][number]
export type WireReportShare = NonNullable<WireReportStation['daily']>
