import type { SeriesArrivals } from '../../catalogue/reader.ts'
import { percentile, summariseLatencies, usualLatency } from '../../insight/latency.ts'
import { slotsPerDay } from '../../insight/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Static } from 'typebox'
import type { latencySchema } from './series-schema.ts'
import { secondsToIso } from '../files/serialise.ts'
import type { SeriesRequest } from './series-request.ts'

/** Latencies as clients get them. */
export type WireLatency = Static<typeof latencySchema>

export function serialiseLatency(
  series: SeriesRequest & { readonly station: string },
  { arrivals, latencies, ambiguous }: SeriesArrivals,
): WireLatency {
  const { station, fileType, period, fromDay, toDay } = series
  const summary = summariseLatencies(arrivals.map(([, latency]) => latency))
  return {
    ...{ station, file_type: fileType, period, from: dateOf(fromDay), to: dateOf(toDay) },
    arrivals: summary.count,
    within: Object.fromEntries(summary.within) as WireLatency['within'],
    median_s: summary.median ?? null,
    p95_s: summary.p95 ?? null,
    usual_s: usualLatency(period, latencies),
    histogram: summary.histogram.map(([from, to, count]) => [from, to ?? null, count] as const),
    days: daysOf(arrivals, slotsPerDay(period)),
    ambiguous,
  }
}

/** One line for each day with arrivals. */
export function latencyCsv({ days }: WireLatency): string {
  const lines = days.map(({ date, n, within_600: inTime, median_s: median }) =>
    [date, n, inTime, median ?? ''].join(),
  )
  return `${['date,n,within_600,median_s', ...lines].join('\r\n')}\r\n`
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
