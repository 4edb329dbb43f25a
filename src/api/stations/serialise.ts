/** Writes availability and latency as JSON and CSV. Pure. */
import { dayToIso, secondsToIso } from '../../parse/calendar.ts'
import { percentile } from '../../series/ascending.ts'
import { lateAfter, summariseLatencies, usualLatency } from '../../series/latency.ts'
import { endOfSlot, slotsPerDay, startOf } from '../../series/series.ts'
import { stateText } from '../../series/slot-states.ts'
import { csvText } from '../http/send.ts'
import type { Static } from '../openapi/schema.ts'
import { serialiseAsOf } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'
import type { availabilitySchema, latencySchema } from './series-schema.ts'

export function serialiseAvailability(
  series: SeriesAvailability,
): Static<typeof availabilitySchema> {
  const { station, fileType, period, range, asOf, availability, knownFromSeconds } = series
  const { runs, gaps } = availability
  const iso = (slot: number): string => secondsToIso(startOf(slot, period))
  const startOrNull = (slot: number | undefined): string | null =>
    slot === undefined ? null : iso(slot)
  return {
    station,
    file_type: fileType,
    period,
    from: iso(range.from),
    to: iso(range.to + 1),
    ...serialiseAsOf(asOf),
    first: startOrNull(series.first),
    last: startOrNull(series.last),
    ended: availability.ended,
    slots: range.to - range.from + 1,
    possible: availability.possible,
    delivered: availability.delivered,
    half: availability.half,
    completeness: shareOrNull(availability.completeness),
    class: availability.class ?? null,
    states: stateText(runs),
    spans: runs
      .filter(({ state }) => state === 'present')
      .map(({ firstSlot, slots }) => [iso(firstSlot), iso(firstSlot + slots)] as const),
    gaps: gaps.map(
      ({ firstSlot, slots, state }) =>
        [iso(firstSlot), iso(firstSlot + slots), slots, state] as const,
    ),
    ambiguous: series.ambiguous,
    known_from: Number.isFinite(knownFromSeconds)
      ? secondsToIso(Math.floor(knownFromSeconds))
      : null,
    usual_s: availability.usualLatency ?? null,
    late_after_s: availability.lateAfter,
  }
}

/** Writes a line for each run of slots in the same state. */
export function availabilityCsv({ period, availability }: SeriesAvailability): string {
  const columns = ['start', 'end', 'slots', 'state']
  return csvText(
    columns,
    availability.runs.map(({ state, firstSlot, slots }) => [
      secondsToIso(startOf(firstSlot, period)),
      secondsToIso(endOfSlot(firstSlot + slots - 1, period)),
      ...[slots, state],
    ]),
  )
}

/** Latencies as clients get them. */
export type WireLatency = Static<typeof latencySchema>

export function serialiseLatency(series: SeriesLatencies): WireLatency {
  const { station, fileType, period, fromDay, toDay, arrivals, latencies, ambiguous } = series
  const summary = summariseLatencies(arrivals.map(([, latency]) => latency))
  return {
    station,
    file_type: fileType,
    period,
    from: dayToIso(fromDay),
    to: dayToIso(toDay),
    ...serialiseAsOf(series.asOf),
    arrivals: summary.count,
    within: Object.fromEntries(summary.within) as WireLatency['within'],
    median_s: summary.median ?? null,
    p95_s: summary.p95 ?? null,
    usual_s: usualLatency(latencies) ?? null,
    late_after_s: lateAfter(period, latencies),
    histogram: summary.histogram.map(([from, to, count]) => [from, to ?? null, count] as const),
    days: daysOf(arrivals, slotsPerDay(period)),
    ambiguous,
  }
}

/** Writes a line for each day with arrivals. */
export function latencyCsv({ days }: WireLatency): string {
  const columns = ['date', 'n', 'within_600', 'median_s'] as const
  return csvText(
    columns,
    days.map((day) => columns.map((name) => day[name])),
  )
}

/** Summarises the arrivals of each day. An arrival belongs to the day on which its slot starts. */
function daysOf(arrivals: SeriesLatencies['arrivals'], perDay: number): WireLatency['days'] {
  const byDay = Map.groupBy(arrivals, ([slot]) => Math.floor(slot / perDay))
  return Array.from(byDay, ([day, ofDay]) => {
    const latencies = ofDay.map(([, latency]) => latency).sort((a, b) => a - b)
    return {
      date: dayToIso(day),
      n: latencies.length,
      within_600: latencies.filter((latency) => latency <= 600).length,
      median_s: percentile(latencies, 0.5) ?? null,
    }
  })
}
