/** Serves the report of a week. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import type { SeriesKey } from '../../series/series.ts'
import { gpsWeekOf, parseWeek, weekBeside } from '../../series/weeks.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { isFresh, sendCsv, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { everywhere, findUnknown } from '../parameters/unknown.ts'
import type { Faults } from '../parameters/unknown.ts'
import { currencyHeaders, statesTag } from '../series/known-series.ts'
import type { NetworkContext } from '../series/route.ts'
import { renderReport, weekForm } from './page.ts'
import { getReport, weekReportSchema } from './schema.ts'
import { reportCsv, reportText, weekReport } from './week-report.ts'

type ReportContext = NetworkContext & Pick<ApiContext, 'reader'>

const usPerDay = secondsPerDay * 1e6

export function addReport(app: FastifyInstance, context: ReportContext): void {
  app.addSchema(weekReportSchema)
  addResource(app, {
    path: `${context.apiPath}report/`,
    get: showReport(context),
    schema: getReport,
    config: { faultForm: weekForm },
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv', 'text/plain'],
    about: {
      name: 'Week Report',
      description: 'The deliveries of each station in a week.',
    },
  })
}

function showReport({ network, reader, tag, limits, nowUs }: ReportContext): RouteHandlerMethod {
  return async (request, reply) => {
    const format = negotiateFormat(['csv', 'txt'], request, reply)
    const query = request.query as Query
    const today = Math.floor(nowUs() / usPerDay)
    const { week, ignored } = parseReportRequest(query, today)
    reply.headers(ignoredHeader(ignored))
    const requester = await limits.page(request, reply)
    const current = await network.currentFor(requester)
    const { head, currency } = current
    reply.headers(currencyHeaders(currency))
    if (isFresh(request, reply, tag(`${statesTag(head, currency)}-${week.name}-${format}`, 'text')))
      return sendNotModified(reply)
    const isWanted = ({ fileType, period }: SeriesKey): boolean =>
      fileType === 'o' && period !== '15M'
    const days = { isWanted, withLatencies: true }
    const series = await network.days(current, { ...week, ...days }, requester)
    const before = await network.days(current, { ...weekBeside(week, -1), isWanted }, requester)
    const modified = { fromUs: week.fromDay * usPerDay, toUs: (week.toDay + 1) * usPerDay - 1 }
    const replaced = await reader.replacedFiles(modified, requester)
    await requester.turn()
    const firstStarts = current.states.map(({ firstStart = Infinity }) => firstStart)
    const first = Math.floor(Math.min(...firstStarts) / secondsPerDay)
    const bounds = { first, today }
    const report = weekReport({ week, currency, series, before, replaced })
    if (format === 'html')
      return sendHtml(reply, renderReport(report, week, { ...bounds, ignored, currency }))
    if (format === 'json') return sendJson(reply, report)
    if (format === 'csv') return sendCsv(reply, reportCsv(report))
    const text = Buffer.from(reportText(report))
    return reply.header('content-type', 'text/plain; charset=utf-8').send(text)
  }
}

/**
 * Parses a request; its week is the last whole GPS week by default.
 * @throws HttpError 400 for a text that is no week, for a week that has not begun, and for unknown
 * parameters with `strict=1`
 */
function parseReportRequest(query: Query, today: number) {
  const faults: Faults = new Map()
  const ignored = findUnknown(query, [...everywhere, 'week'], faults)
  const text = (lastValue(query, 'week') ?? '').trim()
  const week = text === '' ? gpsWeekOf(today - 7) : parseWeek(text)
  if (week === undefined)
    faults.set('week', ['Enter a GPS week such as 2402, or an ISO week such as 2026-W04.'])
  else if (text !== '' && week.fromDay > today) faults.set('week', ['This week has not begun.'])
  if (week === undefined || faults.size > 0) throw badFields(Object.fromEntries(faults))
  return { week, ignored }
}
