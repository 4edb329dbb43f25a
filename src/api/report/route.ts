/** Serves the report of a week. */
import type { FastifyInstance } from 'fastify'
import type { Week } from '../../parse/calendar.ts'
import { gpsWeek, gpsWeekOf, secondsPerDay } from '../../parse/calendar.ts'
import type { SeriesKey } from '../../series/series.ts'
import { layOut } from '../pages/layout.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { usPerDay } from '../parameters/when.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { asOfMembers, networkState } from '../series/network-context.ts'
import { renderReport, weekForm } from './page.ts'
import { weekReportSchema } from './schema.ts'
import { reportCsv, serialiseReport } from './serialise.ts'
import { weekReport } from './week-report.ts'

/** The UTC day now, as days since 1970. */
const today = ({ nowUs }: NetworkContext): number => Math.floor(nowUs() / usPerDay)

/** A week; by default the last whole GPS week. */
const week = (context: NetworkContext): Parameter<Week> => ({
  schema: {
    type: 'string',
    description: 'A GPS week (Sunday to Saturday); without it, the last whole one.',
    pattern: '^[0-9]{1,4}$',
    examples: ['2402'],
  },
  takes: 'last',
  read: ([text]) => {
    if (text === undefined) return { value: gpsWeekOf(today(context) - 7) }
    if (!/^\d{1,4}$/.test(text)) return { fault: 'Enter a GPS week such as 2402.' }
    const value = gpsWeek(Number(text))
    if (value.fromDay > today(context)) return { fault: 'This week has not begun.' }
    return { value }
  },
})

export function addReport(app: FastifyInstance, context: NetworkContext): void {
  const parameters = { week: week(context) }
  addAnswer(app, context, {
    path: 'report/',
    formats: ['json', 'html', 'csv'],
    accepts: { parameters },
    form: weekForm,
    operation: {
      id: 'getWeekReport',
      tag: 'Stations',
      name: 'Week Report',
      summary: 'Report of a week',
      about: 'The deliveries of each station in a week.',
      description: `Completeness of daily and hourly observation files, timeliness and missing files. Files that were removed count for 400 days. The CSV has a line for each station. ${asOfMembers.clock}`,
      returns: 'The report.',
      headers: asOfMembers.headers,
      samples: ['report/?week=2402&format=csv'],
    },
    bodies: { json: weekReportSchema },
    state: async ({ values }) => {
      const state = await networkState(context)
      // The default week changes with the clock.
      return { ...state, version: `${state.version}-${values.week.number}` }
    },
    read: async ({ values, ignored }, current, requester) => {
      const isWanted = ({ fileType, period }: SeriesKey): boolean =>
        fileType === 'o' && period !== '15M'
      const days = { isWanted, withLatencies: true }
      const series = await context.network.days(current, { ...values.week, ...days }, requester)
      const { asOf, states, banner } = current
      const report = weekReport(values.week, series)
      const firstStarts = states.map(({ firstStart = Infinity }) => firstStart)
      const first = Math.floor(Math.min(...firstStarts) / secondsPerDay)
      const bounds = { first, today: today(context) }
      return {
        bodies: {
          json: () => serialiseReport(report, asOf),
          html: () => {
            const page = renderReport(report, { ...bounds, ignored, banner })
            return layOut(page, context.site())
          },
          csv: () => reportCsv(serialiseReport(report, asOf)),
        },
      }
    },
  })
}
