/** The stations in the file names. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { ignoredHeader } from '../http/headers.ts'
import { parseStationsRequest } from './request.ts'
import { negotiate } from '../http/negotiate.ts'
import { renderStation, renderStations } from './page.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import * as schemas from './schema.ts'
import { minuteState, readAvailability } from './availability.ts'
import { parseAvailability } from './series-request.ts'
import { calendarSvg } from './calendar.ts'
import type { Head } from '../../catalogue/records.ts'
import { serialiseStation } from './serialise.ts'

type StationsContext = Pick<
  ApiContext,
  'apiPath' | 'reader' | 'settings' | 'links' | 'tag' | 'limits' | 'nowUs'
>

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
}: StationsContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const query = request.query as Query
    const { filter, kept, ignored, ordering, search } = parseStationsRequest(query)
    reply.headers(ignoredHeader(ignored))
    const head = await reader.head()
    if (isFresh(request, reply, tag(head, representation))) return sendNotModified(reply)
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
    reply.headers({ etag: tag(page.head, representation), ...linkHeader(pages) })
    if (representation === 'html')
      return sendHtml(reply, renderStations({ count, range, kept, ignored, pages, results }))
    return sendJson(reply, { count, next: pages.next, previous: pages.previous, results })
  }
}

function showStation({ reader, links, tag, nowUs }: StationsContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const code = (request.params as { readonly code: string }).code.toUpperCase()
    const nowSeconds = nowUs() / 1e6
    // The page shows the state of the clock.
    const tagOf = (head: Head): string =>
      tag(representation === 'html' ? minuteState(head, nowSeconds) : head, representation)
    if (isFresh(request, reply, tagOf(await reader.head()))) return sendNotModified(reply)
    const { head, station } = await reader.station(code)
    if (station === undefined) throw notFound()
    reply.header('etag', tagOf(head))
    const wire = serialiseStation(station, links())
    if (representation === 'json') return sendJson(reply, wire)
    const daily = await readAvailability(
      { reader },
      { ...parseAvailability({}, nowSeconds), code },
      nowSeconds,
    )
    return sendHtml(reply, renderStation(wire, daily && calendarSvg(daily)))
  }
}
