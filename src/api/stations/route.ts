/** Serves the stations that the file names contain. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { SeriesArrivals } from '../../catalogue/series-queries.ts'
import type { Head } from '../../catalogue/records.ts'
import type { ExpectedRules } from '../../series/expectation.ts'
import type { Currency } from '../../series/currency.ts'
import type { SeriesState } from '../../series/slot-states.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext, Requester } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { negotiate } from '../http/negotiate.ts'
import { catalogueOffset, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { checkParameters } from '../parameters/unknown.ts'
import { renderCollection, sendCollection } from '../pages/collection.ts'
import { bannerOf } from '../series/banner.ts'
import { currencyHeaders, mainSeries, statesTag } from '../series/known-series.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { NetworkStatusCache } from '../series/network-status.ts'
import { renderStation, stationsView } from './page.ts'
import type { StationSection } from './page.ts'
import { calendarSvg, dotsSvg } from './pictures.ts'
import * as schemas from './schema.ts'
import { serialiseLatency } from './series-formats.ts'
import type { SeriesAvailability, WireLatency } from './series-formats.ts'
import { availabilitySentence, latencySentence } from './series-pages.ts'
import { parseAvailability, parseLatency } from './series-request.ts'
import { codeOf, readArrivals, readAvailability, unknownStation } from './series-routes.ts'
import type { AvailabilitySource } from './series-routes.ts'
import { parseStationsRequest, serialiseStation } from './station-list.ts'

interface StationsContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'settings' | 'links' | 'tag' | 'limits' | 'nowUs'
> {
  readonly expected: ExpectedRules
  readonly network: Pick<NetworkStatusCache, 'current' | 'currentFor' | 'ifLoaded'>
}

export function addStation(app: FastifyInstance, context: StationsContext): void {
  const path = `${context.apiPath}station/`
  app.addSchema(schemas.stationSchema).addSchema(schemas.stationPageSchema)
  addResource(app, {
    path,
    get: listStations(context),
    schema: schemas.listStations(context.settings.maxLimit),
    config: { faultForm: stationsView },
    about: {
      name: 'Station List',
      description: 'The stations of the files, with their first and last dates, a page at a time.',
    },
  })
  addResource(app, {
    path: `${path}:code(^[A-Za-z0-9]{4}$|^[A-Za-z0-9]{9}$)/`,
    get: showStation(context),
    schema: schemas.getStation,
    about: {
      name: 'Station Instance',
      description: 'One station; a code of 4 characters matches both forms of file names.',
    },
  })
}

function listStations(context: StationsContext): RouteHandlerMethod {
  const { reader, settings, links, tag, limits, network } = context
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const query = request.query as Query
    const { filter, kept, ignored, ordering, search, states } = parseStationsRequest(query)
    reply.headers(ignoredHeader(ignored))
    // The HTML page shows the states of the series only if they are in memory; a filter by state
    // waits for them.
    const known =
      states !== undefined
        ? await network.current()
        : representation === 'html'
          ? await network.ifLoaded()
          : undefined
    const tagOf = (head: Head): string =>
      tag(known === undefined ? head : statesTag(known.head, known.currency), representation)
    if (known !== undefined) reply.headers(currencyHeaders(known.currency))
    if (isFresh(request, reply, tagOf(await reader.head()))) return sendNotModified(reply)
    const requester = await limits.page(request, reply)
    const range = parsePageRange(query, settings.maxLimit)
    const series = mainSeries(known?.states ?? [])
    const { countries, areas } = filter
    const stationsQuery = {
      limit: range.limit,
      offset: catalogueOffset(range.offset),
      ...(countries && { countries }),
      ...(areas && { areas }),
      ...(states && { codes: codesIn(states, series) }),
      search,
      ordering,
    }
    const page = await reader.stations(stationsQuery, requester)
    await requester.turn()
    const { count } = page
    const results = page.stations.map((station) => serialiseStation(station, links()))
    reply.header('etag', tagOf(page.head))
    const list = { name: 'station', count, range, kept, ignored, ordering, results } as const
    const rows = results.map((station) => ({ ...station, series: series.get(station.code) }))
    return sendCollection(
      reply,
      links(),
      list,
      representation === 'html'
        ? (shown) =>
            renderCollection(
              stationsView,
              { ...shown, results: rows },
              { banner: known === undefined ? [] : bannerOf(known.currency) },
            )
        : undefined,
    )
  }
}

function codesIn(
  states: readonly SeriesState[],
  series: ReadonlyMap<string, SeriesStatus>,
): readonly string[] {
  return Array.from(series)
    .filter(([, { summary }]) => states.includes(summary.state))
    .map(([code]) => code)
}

function showStation(context: StationsContext): RouteHandlerMethod {
  const { reader, links, tag, limits } = context
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    checkParameters(request, reply)
    const code = codeOf(request)
    if (representation === 'html') return showStationPage(context, request, reply)
    const tagOf = (head: Head): string => tag(head, representation)
    if (isFresh(request, reply, tagOf(await reader.head()))) return sendNotModified(reply)
    const requester = await limits.page(request, reply)
    const { head, station } = await reader.station(code)
    if (station === undefined) throw await unknownStation(reader, code, requester)
    reply.header('etag', tagOf(head))
    return sendJson(reply, serialiseStation(station, links()))
  }
}

/** The page has states, so all of it is as current as they are. */
async function showStationPage(
  context: StationsContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { reader, links, tag, limits, network, nowUs } = context
  const code = codeOf(request)
  const requester = await limits.page(request, reply)
  const { head, currency, states } = await network.currentFor(requester)
  reply.headers(currencyHeaders(currency))
  if (isFresh(request, reply, tag(statesTag(head, currency), 'html'))) return sendNotModified(reply)
  const { station } = await reader.station(code)
  if (station === undefined) throw await unknownStation(reader, code, requester)
  const nowSeconds = currency.asOf ?? nowUs() / 1e6
  const sections = await readSections({ ...context, requester }, code, { currency, nowSeconds })
  const own = states.filter((each) => each.station === code || station.codes.includes(each.station))
  return sendHtml(
    reply,
    renderStation(serialiseStation(station, links()), {
      sections,
      states: own,
      nowSeconds,
      banner: bannerOf(currency),
    }),
  )
}

/**
 * Reads the sections of a station's page: the calendar of daily files, the calendar of hourly files
 * of the last four weeks, and the latencies of these hourly files. A section with nothing to show
 * is left out.
 */
async function readSections(
  { requester, ...context }: AvailabilitySource & { readonly requester: Requester },
  code: string,
  { currency, nowSeconds }: { readonly currency: Currency; readonly nowSeconds: number },
): Promise<readonly StationSection[]> {
  const availability = (query: Query) =>
    readAvailability(
      context,
      { ...parseAvailability(query, nowSeconds), code, asker: requester },
      currency,
    )
  const request = { ...parseLatency({}, nowSeconds), station: code, currency }
  const [daily, hourly, arrivals] = await Promise.all([
    availability({}),
    availability({ period: '01H' }),
    readArrivals(context.reader, { ...request, code, asker: requester }, nowSeconds),
  ])
  return [
    ...calendarSection(daily, 'Daily observation files'),
    ...calendarSection(hourly, 'Hourly observation files of the last four weeks'),
    ...(arrivals === undefined || arrivals.arrivals.length === 0
      ? []
      : [latencySection(serialiseLatency(request, arrivals), arrivals.arrivals)]),
  ]
}

function calendarSection(series: SeriesAvailability | undefined, title: string): StationSection[] {
  if (series === undefined) return []
  const { availability, period } = series
  const isEmpty = availability.runs.every(({ state }) =>
    ['silent', 'future', 'unknown', 'due'].includes(state),
  )
  if (isEmpty) return []
  const href = `availability/?period=${period}&format=api`
  const sentence = availabilitySentence(availability)
  return [{ title, sentence, href, picture: calendarSvg(series) }]
}

function latencySection(wire: WireLatency, arrivals: SeriesArrivals['arrivals']): StationSection {
  const title = 'Arrival of hourly observation files'
  const href = 'latency/?format=api'
  return { title, sentence: latencySentence(wire), href, picture: dotsSvg(wire, arrivals) }
}
