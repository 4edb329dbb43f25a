/** The stations in the file names. */
import { unknownStation } from './unknown-station.ts'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { parseStationsRequest } from './request.ts'
import { negotiate } from '../http/negotiate.ts'
import { renderStation, renderStations } from './page.ts'
import type { SeriesPicture } from './page.ts'
import { latencyPicture } from './latency-page.ts'
import { readArrivals } from './latency.ts'
import { serialiseLatency } from './latency-formats.ts'
import { readableNumber } from '../pages/labels.ts'
import type { SeriesAvailability } from './availability-formats.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { mainSeries } from '../series/main-series.ts'
import { networkTag } from '../series/network-states.ts'
import type { NetworkStates } from '../series/network-states.ts'
import * as schemas from './schema.ts'
import { minuteState, readAvailability } from './availability.ts'
import { parseAvailability, parseLatency } from './series-request.ts'
import { calendarSvg } from './calendar.ts'
import type { ExpectedRules } from '../../insight/expectation.ts'
import type { Head } from '../../catalogue/records.ts'
import { serialiseStation } from './serialise.ts'

interface StationsContext extends Pick<
  ApiContext,
  'apiPath' | 'reader' | 'settings' | 'links' | 'tag' | 'limits' | 'nowUs'
> {
  readonly expected: ExpectedRules
  readonly network: Pick<NetworkStates, 'current'>
}

export function addStation(app: FastifyInstance, context: StationsContext): void {
  const path = `${context.apiPath}station/`
  app.addSchema(schemas.stationSchema).addSchema(schemas.stationPageSchema)
  addResource(app, {
    path,
    get: listStations(context),
    schema: schemas.listStations(context.settings.maxLimit),
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

function listStations({
  reader,
  settings,
  links,
  tag,
  limits,
  network,
}: StationsContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const query = request.query as Query
    const { filter, kept, ignored, ordering, search } = parseStationsRequest(query)
    reply.headers(ignoredHeader(ignored))
    // The page shows the states of the series.
    const states = representation === 'html' ? await network.current() : undefined
    const tagOf = (head: Head): string =>
      tag(states === undefined ? head : networkTag(states), representation)
    if (isFresh(request, reply, tagOf(await reader.head()))) return sendNotModified(reply)
    await limits.page(request, reply)
    const range = parsePageRange(query, settings.maxLimit)
    const { countries, areas } = filter
    const page = await reader.stations({
      limit: range.limit,
      offset: catalogueOffset(range.offset),
      ...(countries && { countries }),
      ...(areas && { areas }),
      search,
      ordering,
    })
    const { count } = page
    const pages = pageLinks(links(), range, { name: 'station', kept, count })
    const results = page.stations.map((station) => serialiseStation(station, links()))
    reply.headers({ etag: tagOf(page.head), ...linkHeader(pages) })
    if (states !== undefined) {
      const list = { count, range, kept, ignored, pages, results, ordering }
      return sendHtml(reply, renderStations(list, mainSeries(states.states)))
    }
    return sendJson(reply, { count, next: pages.next, previous: pages.previous, results })
  }
}

function showStation({ reader, links, tag, nowUs, expected }: StationsContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const code = (request.params as { readonly code: string }).code.toUpperCase()
    const nowSeconds = nowUs() / 1e6
    // The page shows the state of the clock.
    const tagOf = (head: Head): string =>
      tag(representation === 'html' ? minuteState(head, nowSeconds) : head, representation)
    if (isFresh(request, reply, tagOf(await reader.head()))) return sendNotModified(reply)
    const { head, station } = await reader.station(code)
    if (station === undefined) throw await unknownStation(reader, code)
    reply.header('etag', tagOf(head))
    const wire = serialiseStation(station, links())
    if (representation === 'json') return sendJson(reply, wire)
    const { calendars, latency } = await readPictures({ reader, expected }, code, nowSeconds)
    return sendHtml(reply, renderStation(wire, calendars, latency))
  }
}

/** The pictures of a station's page: the calendar of all years, the hours of four weeks, and the latencies of these. */
async function readPictures(
  { reader, expected }: Pick<StationsContext, 'reader' | 'expected'>,
  code: string,
  nowSeconds: number,
) {
  const availability = (query: Query) =>
    readAvailability(
      { reader, expected },
      { ...parseAvailability(query, nowSeconds), code },
      nowSeconds,
    )
  const request = { ...parseLatency({}, nowSeconds), station: code }
  const [daily, hourly, arrivals] = await Promise.all([
    availability({}),
    availability({ period: '01H' }),
    readArrivals(reader, { ...request, code }, nowSeconds),
  ])
  const picturesOf = (series: SeriesAvailability | undefined, title: string): SeriesPicture[] =>
    series === undefined || isEmpty(series) ? [] : [seriesPicture(series, title)]
  return {
    calendars: [
      ...picturesOf(daily, 'Daily observation files'),
      ...picturesOf(hourly, 'Hourly observation files of the last four weeks'),
    ],
    latency: arrivals && latencyPicture(serialiseLatency(request, arrivals), arrivals.arrivals),
  }
}

function isEmpty({ availability }: SeriesAvailability): boolean {
  return availability.runs.every(({ state }) => ['silent', 'future', 'unknown'].includes(state))
}

function seriesPicture(series: SeriesAvailability, title: string): SeriesPicture {
  const { share, expected, delivered, class: shareClass } = series.availability
  const sentence =
    share === undefined
      ? 'What is expected is learned from deliveries, which are recorded since the catalogue was made.'
      : `${readableNumber(delivered)} of ${readableNumber(expected)} expected files are there: ${(100 * share).toFixed(1)} % (${shareClass ?? ''}).`
  const href = `availability/?period=${series.period}&format=api`
  return { title, sentence, href, picture: calendarSvg(series) }
}
