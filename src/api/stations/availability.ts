/** The availability of a station's series: JSON, CSV, text and a calendar as SVG. */
import { unknownStation } from './unknown-station.ts'
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify'
import type { Head } from '../../catalogue/records.ts'
import { availabilityOf, learningSlots } from '../../insight/availability.ts'
import type { ExpectedRules } from '../../insight/expectation.ts'
import { slotsPerDay } from '../../insight/series.ts'
import { availabilitySchema, getAvailability } from './series-schema.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import type { Representation } from '../http/negotiate.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { renderAvailability } from './availability-page.ts'
import { availabilityCsv, availabilityText, serialiseAvailability } from './availability-formats.ts'
import type { SeriesAvailability } from './availability-formats.ts'
import { parseAvailability } from './series-request.ts'
import type { AvailabilityRequest } from './series-request.ts'
import { calendarSvg } from './calendar.ts'

interface AvailabilityContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'tag' | 'limits' | 'nowUs'
> {
  readonly expected: ExpectedRules
}

const textFormats = {
  csv: { mediaType: 'text/csv; charset=utf-8', write: availabilityCsv },
  txt: { mediaType: 'text/plain; charset=utf-8', write: availabilityText },
  svg: { mediaType: 'image/svg+xml', write: calendarSvg },
} as const

const textFormatNames = ['csv', 'txt', 'svg'] as const
type Format = (typeof textFormatNames)[number] | Representation

export function addAvailability(app: FastifyInstance, context: AvailabilityContext): void {
  app.addSchema(availabilitySchema)
  addResource(app, {
    path: `${context.apiPath}station/:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/availability/`,
    get: showAvailability(context),
    schema: getAvailability,
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv', 'text/plain', 'image/svg+xml'],
    about: {
      name: 'Availability',
      description: 'Which slots of a series are there, missing or late.',
    },
  })
}

function showAvailability(context: AvailabilityContext): RouteHandlerMethod {
  const { reader, tag, limits, nowUs } = context
  return async (request, reply) => {
    const format = negotiateFormat(textFormatNames, request, reply)
    const nowSeconds = nowUs() / 1e6
    const availabilityRequest = parseAvailability(request.query as Query, nowSeconds)
    reply.headers(ignoredHeader(availabilityRequest.ignored))
    const state = `${minuteState(await reader.head(), nowSeconds)}-${format}`
    if (isFresh(request, reply, tag(state, 'text')))
      return sendNotModified(cacheForMinute(reply, format, nowSeconds))
    await limits.page(request, reply)
    const { code } = request.params as { readonly code: string }
    const series = await readAvailability(
      context,
      { ...availabilityRequest, code: code.toUpperCase() },
      nowSeconds,
    )
    if (series === undefined) throw await unknownStation(reader, code.toUpperCase())
    return sendSeries(cacheForMinute(reply, format, nowSeconds), series, format)
  }
}

/** The state of answers that depend on the clock: they change with the catalogue and every minute. */
export function minuteState({ epoch, seq }: Head, nowSeconds: number): string {
  return `${epoch}-${seq}-${Math.floor(nowSeconds / 60)}`
}

/**
 * Lets caches keep an answer until the end of the running minute, when its ETag changes. JSON and HTML must be revalidated
 * always (contract 1, "Representations"). To be called only for 200 and 304.
 */
function cacheForMinute(reply: FastifyReply, format: Format, nowSeconds: number): FastifyReply {
  if (format === 'json' || format === 'html') return reply
  const seconds = Math.floor(60 - (nowSeconds % 60))
  return reply.header('cache-control', `public, max-age=${seconds}`)
}

function sendSeries(reply: FastifyReply, series: SeriesAvailability, format: Format): FastifyReply {
  if (format === 'html') return sendHtml(reply, renderAvailability(series))
  if (format === 'json') return sendJson(reply, serialiseAvailability(series))
  const { mediaType, write } = textFormats[format]
  return reply.header('content-type', mediaType).send(Buffer.from(write(series)))
}

/** Reads a series and computes its availability; `undefined` for an unknown station. */
export async function readAvailability(
  { reader, expected }: Pick<AvailabilityContext, 'reader' | 'expected'>,
  request: AvailabilityRequest & { readonly code: string },
  nowSeconds: number,
): Promise<SeriesAvailability | undefined> {
  const { code, fileType, period, measure, fromDay, toDay } = request
  const perDay = slotsPerDay(period)
  const slots = await reader.seriesSlots({
    ...{ code, fileType, period },
    from: fromDay === undefined ? undefined : fromDay * perDay,
    to: (toDay + 1) * perDay - 1,
    learning: learningSlots(period, nowSeconds),
  })
  if (slots === undefined) return undefined
  const knownFromSeconds = slots.knownFromUs / 1e6
  const station = slots.codes.find((each) => each.length === 9) ?? code
  const rules = expected.of({ station, fileType, period })
  const known = { ...slots, period, to: (toDay + 1) * perDay - 1, knownFromSeconds, rules }
  return {
    ...{ station: code, fileType, period, from: slots.from, to: known.to },
    ambiguous: slots.ambiguous,
    knownFromSeconds,
    availability: availabilityOf(known, measure, nowSeconds),
  }
}
