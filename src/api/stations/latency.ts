/** How long after the end of their slots the files of a station's series arrive. */
import { unknownStation } from './unknown-station.ts'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { learningSlots } from '../../insight/availability.ts'
import { slotsPerDay } from '../../insight/series.ts'
import { getLatency, latencySchema } from './series-schema.ts'
import { isFresh, sendCsv, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { minuteState } from './availability.ts'
import { renderLatency } from './latency-page.ts'
import { parseLatency } from './series-request.ts'
import type { SeriesRequest } from './series-request.ts'
import { latencyCsv, serialiseLatency } from './latency-formats.ts'

type LatencyContext = Pick<ApiContext, 'apiPath' | 'reader' | 'tag' | 'limits' | 'nowUs'>

export function addLatency(app: FastifyInstance, context: LatencyContext): void {
  app.addSchema(latencySchema)
  addResource(app, {
    path: `${context.apiPath}station/:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/latency/`,
    get: showLatency(context),
    schema: getLatency,
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv'],
    about: {
      name: 'Latency',
      description: 'How long after the end of their slots the files of a series arrive.',
    },
  })
}

function showLatency({ reader, tag, limits, nowUs }: LatencyContext): RouteHandlerMethod {
  return async (request, reply) => {
    const format = negotiateFormat(['csv'], request, reply)
    const nowSeconds = nowUs() / 1e6
    const latencyRequest = parseLatency(request.query as Query, nowSeconds)
    reply.headers(ignoredHeader(latencyRequest.ignored))
    const state = minuteState(await reader.head(), nowSeconds)
    if (isFresh(request, reply, tag(`${state}-${format}`, 'text'))) return sendNotModified(reply)
    await limits.page(request, reply)
    const code = (request.params as { readonly code: string }).code.toUpperCase()
    const found = await readArrivals(reader, { ...latencyRequest, code }, nowSeconds)
    if (found === undefined) throw await unknownStation(reader, code)
    const wire = serialiseLatency({ ...latencyRequest, station: code }, found)
    if (format === 'csv') return sendCsv(reply, latencyCsv(wire))
    return format === 'html'
      ? sendHtml(reply, renderLatency(wire, found.arrivals))
      : sendJson(reply, wire)
  }
}

/** Reads the recorded arrivals of a series; `undefined` for an unknown station. */
export function readArrivals(
  reader: Pick<LatencyContext['reader'], 'seriesArrivals'>,
  { code, fileType, period, fromDay, toDay }: SeriesRequest & { readonly code: string },
  nowSeconds: number,
): ReturnType<LatencyContext['reader']['seriesArrivals']> {
  const perDay = slotsPerDay(period)
  return reader.seriesArrivals({
    ...{ code, fileType, period },
    ...{ from: fromDay * perDay, to: (toDay + 1) * perDay - 1 },
    learning: learningSlots(period, nowSeconds),
  })
}
