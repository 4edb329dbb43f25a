/** How long after the end of their slots the files of a station's series arrive. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import type { SeriesArrivals } from '../../catalogue/reader.ts'
import { learningSlots } from '../../insight/availability.ts'
import { percentile, summariseLatencies, usualLatency } from '../../insight/latency.ts'
import { slotsPerDay } from '../../insight/series.ts'
import type { SeriesKey } from '../../insight/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { secondsToIso } from '../files/serialise.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { negotiate } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { minuteState } from './availability.ts'
import { renderLatency } from './latency-page.ts'
import { parseLatency } from './series-request.ts'
import type { SeriesRequest } from './series-request.ts'

/** Latencies of the arrivals of a series; times in seconds. */
export interface WireLatency extends WireSeries {
  /** Recorded arrivals in the range: files that were seen arriving. */
  readonly arrivals: number
  /** Arrivals within this many seconds. */
  readonly within: Readonly<Record<string, number>>
  readonly median_s: number | null
  readonly p95_s: number | null
  /** The 95th percentile of the last 28 days within the bounds of the period. */
  readonly usual_s: number
  /** Lower bound, upper bound (null for the last class), arrivals. */
  readonly histogram: readonly (readonly [from: number, to: number | null, arrivals: number])[]
  readonly days: readonly {
    readonly date: string
    readonly n: number
    readonly within_600: number
    readonly median_s: number | null
  }[]
  readonly ambiguous: readonly string[]
}

interface WireSeries {
  readonly station: string
  readonly file_type: SeriesKey['fileType']
  readonly period: SeriesKey['period']
  /** First and last day. */
  readonly from: string
  readonly to: string
}

type LatencyContext = Pick<ApiContext, 'apiPath' | 'reader' | 'tag' | 'limits' | 'nowUs'>

export function addLatency(app: FastifyInstance, context: LatencyContext): void {
  addResource(app, {
    path: `${context.apiPath}station/:id(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/latency/`,
    get: showLatency(context),
    about: {
      name: 'Latency',
      description: 'How long after the end of their slots the files of a series arrive.',
    },
  })
}

function showLatency({ reader, tag, limits, nowUs }: LatencyContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const nowSeconds = nowUs() / 1e6
    const asked = parseLatency(request.query as Query, nowSeconds)
    reply.headers(ignoredHeader(asked.ignored))
    const state = minuteState(await reader.head(), nowSeconds)
    if (isFresh(request, reply, tag(state, representation))) return sendNotModified(reply)
    await limits.page(request, reply)
    const { fileType, period, fromDay, toDay } = asked
    const code = (request.params as { readonly id: string }).id.toUpperCase()
    const perDay = slotsPerDay(period)
    const found = await reader.seriesArrivals({
      ...{ code, fileType, period },
      ...{ from: fromDay * perDay, to: (toDay + 1) * perDay - 1 },
      learning: learningSlots(period, nowSeconds),
    })
    if (found === undefined) throw notFound()
    const wire = serialiseLatency({ ...asked, station: code }, found)
    return representation === 'html'
      ? sendHtml(reply, renderLatency(wire, found.arrivals))
      : sendJson(reply, wire)
  }
}

function serialiseLatency(
  series: SeriesRequest & { readonly station: string },
  { arrivals, latencies, ambiguous }: SeriesArrivals,
): WireLatency {
  const { station, fileType, period, fromDay, toDay } = series
  const summary = summariseLatencies(arrivals.map(([, latency]) => latency))
  return {
    ...{ station, file_type: fileType, period, from: dateOf(fromDay), to: dateOf(toDay) },
    arrivals: summary.count,
    within: Object.fromEntries(summary.within),
    median_s: summary.median ?? null,
    p95_s: summary.p95 ?? null,
    usual_s: usualLatency(period, latencies),
    histogram: summary.histogram.map(([from, to, count]) => [from, to ?? null, count] as const),
    days: daysOf(arrivals, slotsPerDay(period)),
    ambiguous,
  }
}

/** Days with arrivals, by the start of the slots. */
function daysOf(arrivals: SeriesArrivals['arrivals'], perDay: number): WireLatency['days'] {
  const byDay = new Map<number, number[]>()
  for (const [slot, latency] of arrivals) {
    const day = Math.floor(slot / perDay)
    byDay.set(day, [...(byDay.get(day) ?? []), latency])
  }
  return Array.from(byDay, ([day, latencies]) => ({
    date: dateOf(day),
    n: latencies.length,
    within_600: latencies.filter((latency) => latency <= 600).length,
    median_s:
      percentile(
        latencies.toSorted((a, b) => a - b),
        0.5,
      ) ?? null,
  }))
}

function dateOf(day: number): string {
  return secondsToIso(day * secondsPerDay).slice(0, 10)
}
