/** Reads what a series of a station delivered, and how current the catalogue is. */
import { availabilityOf } from '../../series/availability.ts'
import type { Currency } from '../../series/currency.ts'
import { slotAt, slotsPerDay } from '../../series/series.ts'
import { SlotSet } from '../../series/slot-set.ts'
import type { Requester } from '../http/limits.ts'
import type { Values } from '../parameters/request.ts'
import { stateOf } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { slotsOf } from '../series/network-days.ts'
import { daysOfAvailability, daysOfLatency, maxDays } from './series-parameters.ts'
import type { availabilityParameters, latencyParameters } from './series-parameters.ts'
import { unknownStation } from './station-fields.ts'

interface Present {
  readonly currency: Currency
  /** The time for which states are computed: now, until the first scan has ended. */
  readonly nowSeconds: number
}

/** A request for a series of a station, whose code is in upper case. */
interface Wanted<Values> {
  readonly code: string
  readonly values: Values
  readonly asker: Requester
}

export async function presentOf({ reader, currency: reading, nowUs }: NetworkContext) {
  const head = await reader.head()
  const currency = await reading.of(head)
  return { ...stateOf({ head, currency }), currency, nowSeconds: currency.asOf ?? nowUs() / 1e6 }
}

export type SeriesAvailability = Awaited<ReturnType<typeof readAvailability>>

/**
 * Reads a series and computes its availability.
 * @throws UnknownName for an unknown station
 */
export async function readAvailability(
  { reader, expected }: NetworkContext,
  { code, values, asker }: Wanted<Values<typeof availabilityParameters>>,
  { currency, nowSeconds }: Present,
) {
  const { fileType, period, measure, fromDay, toDay } = daysOfAvailability(values, nowSeconds)
  const perDay = slotsPerDay(period)
  const now = slotAt(nowSeconds, period)
  const to = (toDay + 1) * perDay - 1
  const slots = await reader.seriesSlots(
    {
      code,
      fileType,
      period,
      to,
      now,
      from: fromDay === undefined ? undefined : fromDay * perDay,
      mostSlots: maxDays * perDay,
    },
    asker,
  )
  if (slots === undefined) throw await unknownStation(reader, code, asker)
  const { from, first, last, latencies, ambiguous } = slots
  const station = slots.codes.find((each) => each.length === 9) ?? code
  const ends = [from, slots.live[0] ?? from, slots.recorded[0] ?? from]
  const days = {
    firstDay: Math.floor(Math.min(...ends) / perDay),
    lastDay: Math.floor(now / perDay),
  }
  const live = SlotSet.of(period, slots.live, days).upTo(now)
  const delivered = SlotSet.of(period, slots.recorded, days).upTo(now)
  delivered.addAll(live)
  const knownFromSeconds = slots.knownFromUs / 1e6
  const rules = expected.of({ station, fileType, period })
  const range = { from, to }
  const known = { range, live, delivered, first, last, latencies, knownFromSeconds, rules }
  const availability = availabilityOf(known, measure, currency.asOf)
  const series = { station: code, fileType, period, range, currency, first, last, ambiguous }
  return { ...series, knownFromSeconds, availability }
}

export type SeriesLatencies = Awaited<ReturnType<typeof readLatencies>>

/**
 * Reads the recorded arrivals of a series.
 * @throws UnknownName for an unknown station
 */
export async function readLatencies(
  { reader }: NetworkContext,
  { code, values, asker }: Wanted<Values<typeof latencyParameters>>,
  { currency, nowSeconds }: Present,
) {
  const request = daysOfLatency(values, nowSeconds)
  const { fileType, period } = request
  const slots = { ...slotsOf(request, request), now: slotAt(nowSeconds, period) }
  const found = await reader.seriesArrivals({ code, fileType, period, ...slots }, asker)
  if (found === undefined) throw await unknownStation(reader, code, asker)
  return { ...found, ...request, station: code, currency }
}
