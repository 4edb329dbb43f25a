/** Serves the availability and the latency of a station's series. */
import type { FastifyInstance } from 'fastify'
import type { Asker } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { availabilityOf } from '../../series/availability.ts'
import type { Currency } from '../../series/currency.ts'
import { slotAt, slotsPerDay } from '../../series/series.ts'
import { SlotSet } from '../../series/slot-set.ts'
import type { Format } from '../http/negotiate.ts'
import { addAnswer } from '../resources/answer.ts'
import type { State } from '../resources/answer.ts'
import { currencyMembers, stateOf } from '../series/network-context.ts'
import type { NetworkContext } from '../series/network-context.ts'
import { calendarSvg } from './pictures.ts'
import {
  availabilityCsv,
  availabilityText,
  latencyCsv,
  serialiseAvailability,
  serialiseLatency,
} from './series-formats.ts'
import type { SeriesAvailability } from './series-formats.ts'
import { availabilityForm, latencyForm, renderAvailability, renderLatency } from './series-pages.ts'
import {
  availabilityParameters,
  daysOfAvailability,
  daysOfLatency,
  latencyParameters,
  maxDays,
  rangeCheck,
} from './series-parameters.ts'
import type { AvailabilityRequest, SeriesRequest } from './series-parameters.ts'
import * as described from './series-schema.ts'
import { codeOf, stationParams, stationPath, unknownStation } from './station-code.ts'

export function addAvailability(app: FastifyInstance, context: NetworkContext): void {
  const { nowUs } = context
  addAnswer(app, context, {
    path: `${stationPath}availability/`,
    formats: ['json', 'html', 'csv', 'txt', 'svg'],
    accepts: {
      parameters: availabilityParameters,
      check: rangeCheck(nowUs, daysOfAvailability),
    },
    form: availabilityForm,
    operation: {
      id: 'getAvailability',
      tag: 'Stations',
      name: 'Availability',
      summary: 'Availability of a station',
      about: 'Which slots of a series are there, missing or late.',
      description:
        'Also as CSV (a line for each run of slots in the same state), as text (a line for each day with a character for each slot, or for daily files a line for each year with a character for each day), and as a calendar in SVG. The response depends on the clock, so its `ETag` changes about every minute. Caches may keep CSV, text and SVG until the end of the running minute (`Cache-Control: public, max-age=…`).',
      returns: 'The availability.',
      headers: currencyMembers.headers,
      params: stationParams,
      samples: [
        'station/GRAZ/availability/?from=2026-01-01',
        'station/GRAZ/availability/?period=01H&format=txt',
      ],
    },
    bodies: described.availabilityBodies,
    state: async ({ format }) => {
      const present = await presentOf(context)
      const { headers, ...state } = present
      return { ...state, headers: { ...headers, ...cacheForMinute(format, nowUs() / 1e6) } }
    },
    read: async ({ request, values, ignored }, { currency, nowSeconds, banner }, asker) => {
      const code = codeOf(request)
      const days = daysOfAvailability(values, nowSeconds)
      const series = await readAvailability(context, { ...days, code, asker }, currency)
      if (series === undefined) throw await unknownStation(context.reader, code, asker)
      return {
        bodies: {
          json: () => serialiseAvailability(series),
          html: () => renderAvailability(series, { measure: values.measure, ignored, banner }),
          csv: () => availabilityCsv(series),
          txt: () => availabilityText(series),
          svg: () => calendarSvg(series),
        },
      }
    },
  })
}

export function addLatency(app: FastifyInstance, context: NetworkContext): void {
  const { reader, nowUs } = context
  addAnswer(app, context, {
    path: `${stationPath}latency/`,
    formats: ['json', 'html', 'csv'],
    accepts: { parameters: latencyParameters, check: rangeCheck(nowUs, daysOfLatency) },
    form: latencyForm,
    operation: {
      id: 'getLatency',
      tag: 'Stations',
      name: 'Latency',
      summary: 'Latency of a station',
      about: 'How long after the end of their slots the files of a series arrive.',
      description:
        'The latency is the time from the end of a slot until its first file is listed. Files that a scan found do not count. The CSV has a line for each day with arrivals. The response depends on the clock, so its `ETag` changes about every minute.',
      returns: 'The latencies.',
      headers: currencyMembers.headers,
      params: stationParams,
      samples: ['station/GRAZ/latency/?from=2026-01-01'],
    },
    bodies: described.latencyBodies,
    state: () => presentOf(context),
    read: async ({ request, values, ignored }, { currency, nowSeconds, banner }, asker) => {
      const code = codeOf(request)
      const days = daysOfLatency(values, nowSeconds)
      const found = await readArrivals(reader, { ...days, code, asker }, nowSeconds)
      if (found === undefined) throw await unknownStation(reader, code, asker)
      const wire = serialiseLatency({ ...days, station: code, currency }, found)
      return {
        bodies: {
          json: () => wire,
          html: () => renderLatency(wire, found.arrivals, { ignored, banner }),
          csv: () => latencyCsv(wire),
        },
      }
    },
  })
}

interface Present extends State {
  readonly head: Head
  readonly currency: Currency
  readonly banner: readonly string[]
  /** The time for which states are computed: now, until the first scan has ended. */
  readonly nowSeconds: number
}

/** The state of the catalogue, and how current it is. */
async function presentOf({ reader, currency: reading, nowUs }: NetworkContext): Promise<Present> {
  const head = await reader.head()
  const currency = await reading.of(head)
  const { version, headers, banner } = stateOf({ head, currency })
  return { version, headers, banner, head, currency, nowSeconds: currency.asOf ?? nowUs() / 1e6 }
}

/**
 * Lets caches keep a response until the end of the running minute, but not JSON and HTML, which
 * caches must always revalidate.
 */
function cacheForMinute(format: Format, nowSeconds: number): Readonly<Record<string, string>> {
  if (format === 'json' || format === 'html') return {}
  const seconds = Math.floor(60 - (nowSeconds % 60))
  return { 'cache-control': `public, max-age=${seconds}` }
}

/** Reads a series and computes its availability; `undefined` for an unknown station. */
export async function readAvailability(
  { reader, expected, nowUs }: NetworkContext,
  request: AvailabilityRequest & { readonly code: string; readonly asker: Asker },
  currency: Currency,
): Promise<SeriesAvailability | undefined> {
  const { code, fileType, period, measure, fromDay, toDay } = request
  const perDay = slotsPerDay(period)
  const now = slotAt(currency.asOf ?? nowUs() / 1e6, period)
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
    request.asker,
  )
  if (slots === undefined) return undefined
  const { from, first, last, latencies } = slots
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
  return {
    station: code,
    fileType,
    period,
    range,
    currency,
    first,
    last,
    ambiguous: slots.ambiguous,
    knownFromSeconds,
    availability: availabilityOf(
      { range, live, delivered, first, last, latencies, knownFromSeconds, rules },
      measure,
      currency.asOf,
    ),
  }
}

/** Reads the recorded arrivals of a series; `undefined` for an unknown station. */
export function readArrivals(
  reader: Pick<NetworkContext['reader'], 'seriesArrivals'>,
  request: SeriesRequest & { readonly code: string; readonly asker: Asker },
  nowSeconds: number,
): ReturnType<NetworkContext['reader']['seriesArrivals']> {
  const { code, fileType, period, fromDay, toDay } = request
  const perDay = slotsPerDay(period)
  return reader.seriesArrivals(
    {
      code,
      fileType,
      period,
      from: fromDay * perDay,
      to: (toDay + 1) * perDay - 1,
      now: slotAt(nowSeconds, period),
    },
    request.asker,
  )
}
