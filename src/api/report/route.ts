/** Serves the report of a week. */
import type { FastifyInstance } from 'fastify'
import type { FileFilter } from '../../catalogue/filter.ts'
import type { Week } from '../../parse/calendar.ts'
import { gpsWeek, gpsWeekOf, secondsPerDay } from '../../parse/calendar.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import type { FormView } from '../pages/filter-form.ts'
import { layOut } from '../pages/layout.ts'
import { placeFilters } from '../parameters/file-filters.ts'
import type { InvalidValue, Parameter, ReadValue } from '../parameters/parameter.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { Parameters } from '../parameters/request.ts'
import { usPerDay, whenDays } from '../parameters/when.ts'
import type { RequestOf } from '../resources/answer.ts'
import { addAnswer } from '../resources/answer.ts'
import type { NetworkKey } from '../series/known-series.ts'
import { matchesSeries } from '../series/known-series.ts'
import type { NetworkContext, NetworkState } from '../series/network-context.ts'
import { asOfMembers, networkState } from '../series/network-context.ts'
import { renderReport } from './page.ts'
import { weekReportSchema } from './schema.ts'
import { reportCsv, serialiseReport } from './serialise.ts'
import type { WeekReport } from './week-report.ts'
import { weekReport } from './week-report.ts'

/** The UTC day now, as days since 1970. */
const today = ({ nowUs }: NetworkContext): number => Math.floor(nowUs() / usPerDay)

/** A week; `undefined` for a request without the parameter. */
const week = (context: NetworkContext): Parameter<Week | undefined> => ({
  schema: {
    type: 'string',
    description: 'A GPS week (Sunday to Saturday); without it, the last whole one.',
    pattern: '^[0-9]{1,4}$',
    examples: ['2402'],
  },
  takes: 'last',
  field: { label: 'GPS week', hint: '2402', isRare: true },
  read: ([text]) => {
    if (text === undefined) return { value: undefined }
    if (!/^\d{1,4}$/.test(text)) return { fault: 'Enter a GPS week such as 2402.' }
    return begun(gpsWeek(Number(text)), context)
  },
})

function begun(value: Week, context: NetworkContext): ReadValue<Week> | InvalidValue {
  return value.fromDay > today(context) ? { fault: 'This week has not begun.' } : { value }
}

const days = whenDays('A day or a GPS week, in place of `week`: the report is of its week.')

/** The same by days of the week. */
const when = (context: NetworkContext): Parameter<Week | undefined> => ({
  ...days,
  schema: { ...days.schema, examples: ['2026-01-22'] },
  field: { label: 'When', hint: 'week 2402, 2026-022' },
  read: (words) => {
    const asked = days.read(words)
    if ('fault' in asked) return asked
    if (asked.value === undefined) return { value: undefined }
    const { from = -Infinity, to = Infinity } = asked.value
    const value = gpsWeekOf(from)
    if (to > value.toDay) return { fault: 'A report is of one GPS week: give a day or a week.' }
    return begun(value, context)
  },
})

function formOf(parameters: Parameters): FormView {
  return {
    fields: formFieldsOf([...placeFilters, ...Object.entries(parameters)]),
    all: 'Last week',
  }
}

interface WantedReport {
  readonly week: Week
  readonly current: NetworkState
  readonly filter: FileFilter
}

async function readReport(
  { network, reader }: NetworkContext,
  { week, current, filter }: WantedReport,
  requester: Requester,
): Promise<WeekReport> {
  const isWanted = (series: NetworkKey): boolean =>
    series.fileType === 'o' && series.period !== '15M' && matchesSeries(series, filter)
  const days = { ...week, isWanted, withLatencies: true }
  const series = await network.days(current, days, requester)
  return weekReport(week, series, await reader.flaggedFiles(week, requester))
}

export function addReport(app: FastifyInstance, context: NetworkContext): void {
  const parameters = { week: week(context), when: when(context) }
  const form = formOf(parameters)
  const weekOf = ({ values }: RequestOf<typeof parameters, Format>): Week =>
    values.when ?? values.week ?? gpsWeekOf(today(context) - 7)
  addAnswer(app, context, {
    path: 'report/',
    formats: ['json', 'html', 'csv'],
    accepts: {
      parameters,
      filters: placeFilters,
      check: {
        of: ['when', 'week'],
        fault: (values) => values.when && values.week && 'Give `when` or `week`.',
      },
    },
    hasForm: true,
    operation: {
      id: 'getWeekReport',
      tag: 'Stations',
      name: 'Week Report',
      summary: 'Report of a week',
      about: 'The deliveries of each station in a week.',
      description: `Completeness of daily and hourly observation files, timeliness and missing files, and which files are flagged by what is inside them. Files that were removed count for 400 days, but not as flagged. The CSV has a line for each station. ${asOfMembers.clock}`,
      returns: 'The report.',
      headers: asOfMembers.headers,
      samples: ['report/?week=2402&format=csv'],
    },
    bodies: { json: weekReportSchema },
    state: async (asked) => {
      const state = await networkState(context)
      // The default week changes with the clock.
      return { ...state, version: `${state.version}-${weekOf(asked).number}` }
    },
    read: async (asked, current, requester) => {
      const { filter, ignored, refused } = asked
      const { asOf, states, banner } = current
      const wanted = { week: weekOf(asked), current, filter }
      const report = await readReport(context, wanted, requester)
      const firstStarts = states.map(({ firstStart = Infinity }) => firstStart)
      const first = Math.floor(Math.min(...firstStarts) / secondsPerDay)
      const said = { first, today: today(context), ignored, refused, banner, asOf: asOf.seconds }
      return {
        bodies: {
          json: () => serialiseReport(report, asOf),
          html: () => {
            const place = asked.kept.filter(([name]) => placeFilters.has(name))
            const view = { ...form, countries: context.site().countries }
            return layOut(renderReport(report, { ...said, place, form: view }), context.site())
          },
          csv: () => reportCsv(serialiseReport(report, asOf)),
        },
      }
    },
  })
}
