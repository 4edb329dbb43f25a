/** Reads a series of a station: its parameters, what it delivered, how current that is. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { fileTypes } from '../../parse/types.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { AsOf } from '../../series/as-of.ts'
import { availabilityOf } from '../../series/availability.ts'
import type { Period, SeriesKey } from '../../series/series.ts'
import { periods, recentDays, slotAt, slotsPerDay } from '../../series/series.ts'
import { SlotSet } from '../../series/slot-set.ts'
import type { Format } from '../http/formats.ts'
import type { Requester } from '../http/limits.ts'
import { periodNoun } from '../pages/date-words.ts'
import { typeLabel } from '../pages/labels.ts'
import { choice, endsBeforeItBegins, firstDay, lastDay } from '../parameters/parameter.ts'
import type { ParameterValues } from '../parameters/request.ts'
import { periodWords, typeWords } from '../parameters/words.ts'
import { halfOf } from '../series/half-slots.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { networkState, stateOf } from '../series/network-context.ts'
import { slotsOf } from '../series/network-days.ts'
import { unknownStation } from './station-fields.ts'

/** Maximum number of years, and of slots, in a range. */
const maxYears = 40
export const maxDays = maxYears * 366
const maxSlots = 100_000

function seriesParameters(usual: Period) {
  return {
    file_type: choice(fileTypes, {
      meaning: 'Type of the files.',
      default: 'o',
      example: 'o',
      label: 'Type',
      textOf: typeLabel,
      also: typeWords,
    }),
    period: choice(periods, {
      meaning: 'Period of the files.',
      default: usual,
      example: usual,
      label: 'Period',
      textOf: (each) => periodNoun(each),
      also: periodWords,
    }),
    from: firstDay({
      meaning:
        'The first day. Without it daily availability begins with the first file, everything else 27 days before `to`. A range has at most 40 years and 100,000 slots.',
      field: { label: 'From', hint: '2026-022, 2026-01-22' },
    }),
    to: lastDay({
      meaning: 'The last day; by default today.',
      field: { label: 'To', hint: '2026-023, 2026-01-23' },
    }),
  }
}

/** By default of daily observation files. */
export const availabilityParameters = seriesParameters('01D')

/** By default of the hourly observation files of the last 28 days. */
export const latencyParameters = seriesParameters('01H')

/** UTC days since 1970, both included. */
interface SeriesRequest extends SeriesKey {
  readonly fromDay: number
  readonly toDay: number
}

interface AvailabilityRequest extends Omit<SeriesRequest, 'fromDay'> {
  /** `undefined` means the day of the first file, at most `maxDays` before `toDay`. */
  readonly fromDay: number | undefined
}

type SeriesValues = ParameterValues<typeof latencyParameters>

/**
 * The days of a request for availability: without `from`, a daily series begins with its first
 * file, others 27 days before `to`.
 */
export function daysOfAvailability(
  values: ParameterValues<typeof availabilityParameters>,
  nowSeconds: number,
): AvailabilityRequest {
  const series = daysOfLatency(values, nowSeconds)
  const isWhole = values.from === undefined && values.period === '01D'
  return { ...series, fromDay: isWhole ? undefined : series.fromDay }
}

/** The days of a request for latency; by default the 28 days up to `to`. */
export function daysOfLatency(values: SeriesValues, nowSeconds: number): SeriesRequest {
  const { file_type: fileType, period, from, to } = values
  const toDay = to ?? Math.floor(nowSeconds / secondsPerDay)
  return { fileType, period, toDay, fromDay: from ?? toDay - recentDays + 1 }
}

/** Checks the range that the parameters have together. */
export function rangeCheck<Given extends SeriesValues>(
  nowUs: Clock,
  daysOf: (values: Given, nowSeconds: number) => AvailabilityRequest,
) {
  return {
    of: ['from', 'to', 'period'] as const,
    fault: (values: Given): string | undefined => rangeFault(daysOf(values, nowUs() / 1e6)),
  }
}

/** The fault of a range of days; `undefined` if it has none. */
export function rangeFault({
  fromDay,
  toDay,
  period,
}: Pick<AvailabilityRequest, 'fromDay' | 'toDay' | 'period'>): string | undefined {
  if (fromDay === undefined) return undefined
  const days = toDay - fromDay + 1
  const slots = days * slotsPerDay(period)
  if (days < 1) return endsBeforeItBegins
  if (days > maxDays) return `A range has at most ${maxYears} years.`
  return slots > maxSlots
    ? `A range has at most ${maxSlots} slots; this one has ${slots}.`
    : undefined
}

export interface Present {
  readonly asOf: AsOf
  /** The time for which states are computed: now, until the first scan has ended. */
  readonly nowSeconds: number
}

/** A request for a series of a station, whose code is in upper case. */
interface Wanted<Values> {
  readonly code: string
  readonly values: Values
  readonly asker: Requester
}

/** How current answers are; only pages show the states of series. */
export async function presentOf(context: NetworkContext, format: Format) {
  const { reader, asOfReader, nowUs } = context
  if (format === 'html') {
    const network = await networkState(context)
    return { ...network, network, nowSeconds: network.asOf.seconds ?? nowUs() / 1e6 }
  }
  const head = await reader.head()
  const asOf = await asOfReader.of(head)
  const nowSeconds = asOf.seconds ?? nowUs() / 1e6
  return { ...stateOf({ head, asOf }), asOf, nowSeconds, network: undefined }
}

export type SeriesAvailability = Awaited<ReturnType<typeof readAvailability>>

/** Reads a series and computes its availability. @throws UnknownName */
export async function readAvailability(
  context: NetworkContext,
  { code, values, asker }: Wanted<ParameterValues<typeof availabilityParameters>>,
  present: Present,
) {
  const days = daysOfAvailability(values, present.nowSeconds)
  const { known, ...series } = await readKnownSlots(context, { code, ...days, asker }, present)
  const availability = availabilityOf(known, { ...known, asOf: present.asOf.seconds })
  return { ...series, asOf: present.asOf, availability, half: known.half }
}

/** A series of a station, and the days of which its slots are read. */
interface WantedSlots extends AvailabilityRequest {
  readonly code: string
  readonly asker: Requester
}

/** Reads the slots of a series on some days. @throws UnknownName */
export async function readKnownSlots(
  { reader, expected, network }: NetworkContext,
  { code, fileType, period, fromDay, toDay, asker }: WantedSlots,
  { nowSeconds }: Present,
) {
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
      mostSlots: Math.min(maxDays * perDay, maxSlots),
    },
    asker,
  )
  if (slots === undefined) throw await unknownStation(reader, code, asker)
  const { from, first, last, latencies, ambiguous, codes } = slots
  const damaged = new Map(slots.damaged)
  const station = codes.find((each) => each.length === 9) ?? code
  const ends = [from, slots.live[0] ?? from, slots.recorded[0] ?? from]
  const days = {
    firstDay: Math.floor(Math.min(...ends) / perDay),
    lastDay: Math.floor(now / perDay),
  }
  const live = SlotSet.of(period, slots.live, days).upTo(now)
  const delivered = SlotSet.of(period, slots.recorded, days).upTo(now)
  delivered.addAll(live)
  const knownFromSeconds = slots.knownFromUs / 1e6
  const key = { station, fileType, period }
  const rules = expected.of(key)
  const half = halfOf(await network.halfAt(slots.head), key, nowSeconds)
  const range = { from, to }
  const known = {
    range,
    live,
    delivered,
    damaged,
    half,
    first,
    latencies,
    rules,
  }
  const facts = { first, last, ambiguous, codes, knownFromSeconds }
  return { station: code, fileType, period, range, ...facts, known }
}

export type SeriesLatencies = Awaited<ReturnType<typeof readLatencies>>

/** Reads the recorded arrivals of a series. @throws UnknownName */
export async function readLatencies(
  { reader }: NetworkContext,
  { code, values, asker }: Wanted<ParameterValues<typeof latencyParameters>>,
  { asOf, nowSeconds }: Present,
) {
  const request = daysOfLatency(values, nowSeconds)
  const { fileType, period } = request
  const slots = { ...slotsOf(request, request), now: slotAt(nowSeconds, period) }
  const found = await reader.seriesArrivals({ code, fileType, period, ...slots }, asker)
  if (found === undefined) throw await unknownStation(reader, code, asker)
  return { ...found, ...request, station: code, asOf }
}
