/** Serves the availability and the latency of a station's series. */
import { distance } from 'fastest-levenshtein'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Asker, CatalogueReader } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { availabilityOf } from '../../series/availability.ts'
import type { Currency } from '../../series/currency.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import { slotAt, slotsPerDay } from '../../series/series.ts'
import { SlotSet } from '../../series/slot-set.ts'
import { isFresh, sendCsv, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext, Requester } from '../http/context.ts'
import { UnknownName } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import type { Representation } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { bannerOf } from '../series/banner.ts'
import type { CurrencyReader } from '../series/currency-reader.ts'
import { currencyHeaders, statesTag } from '../series/known-series.ts'
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
import { maxDays, parseAvailability, parseLatency } from './series-request.ts'
import type { AvailabilityRequest, SeriesRequest } from './series-request.ts'
import * as schemas from './series-schema.ts'

interface SeriesContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'tag' | 'limits' | 'nowUs'
> {
  readonly expected: ExpectedRules
  readonly currency: Pick<CurrencyReader, 'of'>
}

const textFormats = {
  csv: { mediaType: 'text/csv; charset=utf-8', write: availabilityCsv },
  txt: { mediaType: 'text/plain; charset=utf-8', write: availabilityText },
  svg: { mediaType: 'image/svg+xml', write: calendarSvg },
} as const

const textFormatNames = ['csv', 'txt', 'svg'] as const
type Format = (typeof textFormatNames)[number] | Representation

export function addStationSeries(app: FastifyInstance, context: SeriesContext): void {
  const path = `${context.apiPath}station/:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/`
  const { json, html } = mediaTypes
  app.addSchema(schemas.availabilitySchema).addSchema(schemas.latencySchema)
  addResource(app, {
    path: `${path}availability/`,
    get: showAvailability(context),
    schema: schemas.getAvailability,
    config: { faultForm: availabilityForm },
    renders: [json, html, 'text/csv', 'text/plain', 'image/svg+xml'],
    about: {
      name: 'Availability',
      description: 'Which slots of a series are there, missing or late.',
    },
  })
  addResource(app, {
    path: `${path}latency/`,
    get: showLatency(context),
    schema: schemas.getLatency,
    config: { faultForm: latencyForm },
    renders: [json, html, 'text/csv'],
    about: {
      name: 'Latency',
      description: 'How long after the end of their slots the files of a series arrive.',
    },
  })
}

function showAvailability(context: SeriesContext): RouteHandlerMethod {
  const { reader, nowUs } = context
  return async (request, reply) => {
    const format = negotiateFormat(textFormatNames, request, reply)
    const { head, currency, nowSeconds } = await presentOf(context)
    const parsed = parseAvailability(request.query as Query, nowSeconds)
    const cache = () => cacheForMinute(reply, format, nowUs() / 1e6)
    const state = { ...parsed, format, head, currency }
    const asker = await startUnlessFresh(context, request, reply, state)
    if (asker === undefined) return sendNotModified(cache())
    const code = codeOf(request)
    const series = await readAvailability(context, { ...parsed, code, asker }, currency)
    await asker.turn()
    if (series === undefined) throw await unknownStation(reader, code, asker)
    cache()
    const { ignored, measure } = parsed
    if (format === 'html')
      return sendHtml(
        reply,
        renderAvailability(series, { measure, ignored, banner: bannerOf(currency) }),
      )
    if (format === 'json') return sendJson(reply, serialiseAvailability(series))
    const { mediaType, write } = textFormats[format]
    return reply.header('content-type', mediaType).send(Buffer.from(write(series)))
  }
}

function showLatency(context: SeriesContext): RouteHandlerMethod {
  const { reader } = context
  return async (request, reply) => {
    const format = negotiateFormat(['csv'], request, reply)
    const { head, currency, nowSeconds } = await presentOf(context)
    const parsed = parseLatency(request.query as Query, nowSeconds)
    const state = { ...parsed, format, head, currency }
    const asker = await startUnlessFresh(context, request, reply, state)
    if (asker === undefined) return sendNotModified(reply)
    const code = codeOf(request)
    const found = await readArrivals(reader, { ...parsed, code, asker }, nowSeconds)
    if (found === undefined) throw await unknownStation(reader, code, asker)
    const wire = serialiseLatency({ ...parsed, station: code, currency }, found)
    if (format === 'csv') return sendCsv(reply, latencyCsv(wire))
    const { ignored } = parsed
    return format === 'html'
      ? sendHtml(
          reply,
          renderLatency(wire, found.arrivals, { ignored, banner: bannerOf(currency) }),
        )
      : sendJson(reply, wire)
  }
}

/**
 * The state of the catalogue, how current it is, and the time for which states are computed: now,
 * until the first scan has ended.
 */
async function presentOf({ reader, currency: currencyReader, nowUs }: SeriesContext) {
  const head = await reader.head()
  const currency = await currencyReader.of(head)
  return { head, currency, nowSeconds: currency.asOf ?? nowUs() / 1e6 }
}

/**
 * Sets the headers that both resources share. Returns `undefined` if the answer is 304; otherwise
 * waits until the client may have a page.
 */
async function startUnlessFresh(
  { tag, limits }: SeriesContext,
  request: FastifyRequest,
  reply: FastifyReply,
  state: {
    readonly ignored: readonly string[]
    readonly format: Format
    readonly head: Head
    readonly currency: Currency
  },
): Promise<Requester | undefined> {
  const { ignored, format, head, currency } = state
  reply.headers({ ...ignoredHeader(ignored), ...currencyHeaders(currency) })
  if (isFresh(request, reply, tag(`${statesTag(head, currency)}-${format}`, 'text')))
    return undefined
  return limits.page(request, reply)
}

/** Returns the station code in the path, in upper case. */
export function codeOf({ params }: FastifyRequest): string {
  return (params as { readonly code: string }).code.toUpperCase()
}

/**
 * Lets caches keep a response until the end of the running minute. The header is set only for
 * responses with 200 and 304, and not for JSON and HTML, which caches must always revalidate.
 */
function cacheForMinute(reply: FastifyReply, format: Format, nowSeconds: number): FastifyReply {
  if (format === 'json' || format === 'html') return reply
  const seconds = Math.floor(60 - (nowSeconds % 60))
  return reply.header('cache-control', `public, max-age=${seconds}`)
}

export type AvailabilitySource = Pick<SeriesContext, 'reader' | 'expected' | 'nowUs'>

/** Reads a series and computes its availability; `undefined` for an unknown station. */
export async function readAvailability(
  { reader, expected, nowUs }: AvailabilitySource,
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
  reader: Pick<SeriesContext['reader'], 'seriesArrivals'>,
  request: SeriesRequest & { readonly code: string; readonly asker: Asker },
  nowSeconds: number,
): ReturnType<SeriesContext['reader']['seriesArrivals']> {
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

/** Maximum number of codes that are suggested. */
const maxSuggestions = 5

/** Largest edit distance between a code and its suggestion. */
const maxDistance = 2

/**
 * Maximum number of stations that are compared with an unknown code. A network may have thousands
 * of stations.
 */
const maxStations = 20_000

/**
 * The error for a station that the catalogue does not have, with the codes that were probably
 * meant.
 * @param code in upper case, 4 or 9 characters
 */
export async function unknownStation(
  reader: Pick<CatalogueReader, 'stations'>,
  code: string,
  requester: Requester,
): Promise<UnknownName> {
  const { stations } = await reader.stations({ limit: maxStations, offset: 0 }, requester)
  await requester.turn()
  const candidates = stations
    .map((station) => ({
      code: station.code,
      // A code of 4 characters is the beginning of one of 9.
      edits: distance(code, station.code.slice(0, code.length)),
    }))
    .filter(({ edits }) => edits <= maxDistance)
    .sort((a, b) => a.edits - b.edits || (a.code < b.code ? -1 : 1))
  return new UnknownName(candidates.slice(0, maxSuggestions).map((each) => each.code))
}
