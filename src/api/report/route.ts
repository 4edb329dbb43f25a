/** Serves the report of a week. */
import type { FastifyInstance } from 'fastify'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { SeriesKey } from '../../series/series.ts'
import { gpsWeekOf, parseWeek, weekBeside } from '../../series/weeks.ts'
import type { Week } from '../../series/weeks.ts'
import { addAnswer } from '../resources/answer.ts'
import { currencyMembers, networkState } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { usPerDay } from '../parameters/filter-values.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { renderReport, weekForm } from './page.ts'
import { weekReportSchema } from './schema.ts'
import { reportCsv, reportText, weekReport } from './week-report.ts'

/** The UTC day now, as days since 1970. */
const today = ({ nowUs }: NetworkContext): number => Math.floor(nowUs() / usPerDay)

/** A week; by default the last whole GPS week. */
const week = (context: NetworkContext): Parameter<Week> => ({
  schema: {
    type: 'string',
    description:
      'A GPS week (Sunday to Saturday) or an ISO week (Monday to Sunday); without it, the last whole GPS week.',
    pattern: '^(?:[0-9]{1,4}|[0-9]{4}-?[Ww][0-9]{2})$',
    examples: ['2402'],
  },
  takes: 'last',
  read: ([text]) => {
    if (text === undefined) return { value: gpsWeekOf(today(context) - 7) }
    const value = parseWeek(text)
    if (value === undefined)
      return { fault: 'Enter a GPS week such as 2402, or an ISO week such as 2026-W04.' }
    if (value.fromDay > today(context)) return { fault: 'This week has not begun.' }
    return { value }
  },
})

export function addReport(app: FastifyInstance, context: NetworkContext): void {
  const parameters = { week: week(context) }
  addAnswer(app, context, {
    path: 'report/',
    formats: ['json', 'html', 'csv', 'txt'],
    accepts: { parameters },
    form: weekForm,
    operation: {
      id: 'getWeekReport',
      tag: 'Stations',
      name: 'Week Report',
      summary: 'Report of a week',
      about: 'The deliveries of each station in a week.',
      description: `Completeness of daily and hourly observation files, timeliness, missing and replaced files. Files that were removed count for 400 days. \`format=txt\` is the report as text, for a mail; the CSV has a line for each station. ${currencyMembers.clock}`,
      returns: 'The report.',
      headers: currencyMembers.headers,
      samples: ['report/?week=2402&format=txt'],
    },
    bodies: { json: weekReportSchema },
    state: async ({ values }) => {
      const state = await networkState(context)
      // The default week changes with the clock.
      return { ...state, version: `${state.version}-${values.week.name}` }
    },
    read: async ({ values, ignored }, current, requester) => {
      const { network, reader } = context
      const isWanted = ({ fileType, period }: SeriesKey): boolean =>
        fileType === 'o' && period !== '15M'
      const days = { isWanted, withLatencies: true }
      const series = await network.days(current, { ...values.week, ...days }, requester)
      const last = weekBeside(values.week, -1)
      const before = await network.days(current, { ...last, isWanted }, requester)
      const { fromDay, toDay } = values.week
      const modified = { fromUs: fromDay * usPerDay, toUs: (toDay + 1) * usPerDay - 1 }
      const replaced = await reader.replacedFiles(modified, requester)
      const { currency, states, banner } = current
      const report = weekReport({ week: values.week, currency, series, before, replaced })
      const firstStarts = states.map(({ firstStart = Infinity }) => firstStart)
      const first = Math.floor(Math.min(...firstStarts) / secondsPerDay)
      const bounds = { first, today: today(context) }
      return {
        bodies: {
          json: () => report,
          html: () => renderReport(report, values.week, { ...bounds, ignored, banner }),
          csv: () => reportCsv(report),
          txt: () => reportText(report),
        },
      }
    },
  })
}
