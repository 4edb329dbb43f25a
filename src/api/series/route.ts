/** The series of the network, a page at a time or all as CSV. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { seriesStates } from '../../insight/series-summary.ts'
import { isFresh, sendCsv, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { addResource } from '../http/resource.ts'
import { networkTag } from './network-states.ts'
import type { NetworkStates } from './network-states.ts'
import { renderSeries } from './page.ts'
import * as schemas from './schema.ts'
import { matchesSeries, parseSeriesList } from './series-filter.ts'
import { seriesCsv, serialiseSeries, sortSeries } from './series-rows.ts'

/** What the resources of the network need. */
export interface NetworkContext extends Pick<
  ApiContext,
  'apiPath' | 'settings' | 'links' | 'tag' | 'limits'
> {
  readonly network: Pick<NetworkStates, 'current' | 'days'>
}

export function addSeries(app: FastifyInstance, context: NetworkContext): void {
  app.addSchema(schemas.seriesSchema).addSchema(schemas.seriesPageSchema)
  addResource(app, {
    path: `${context.apiPath}series/`,
    get: listSeries(context),
    schema: schemas.listSeries(context.settings.maxLimit),
    renders: [mediaTypes.json, mediaTypes.html, 'text/csv'],
    about: {
      name: 'Series List',
      description: 'The state of each series now, and what it delivered in the last 28 days.',
    },
  })
}

function listSeries(context: NetworkContext): RouteHandlerMethod {
  const { network, settings, links, tag, limits } = context
  return async (request, reply) => {
    const format = negotiateFormat(['csv'], request, reply)
    const query = request.query as Query
    const { filter, states, ordering, kept, ignored } = parseSeriesList(query, {
      states: seriesStates,
      orderKeys: schemas.seriesOrderKeys,
      defaultOrdering: 'station',
    })
    reply.headers(ignoredHeader(ignored))
    await limits.page(request, reply)
    const current = await network.current()
    if (isFresh(request, reply, tag(`${networkTag(current)}-${format}`, 'text')))
      return sendNotModified(reply)
    const found = current.states.filter(
      (each) => states.includes(each.summary.state) && matchesSeries(each, filter),
    )
    const sorted = sortSeries(found.map(serialiseSeries), ordering)
    if (format === 'csv') return sendCsv(reply, seriesCsv(sorted))
    const count = sorted.length
    const range = parsePageRange(query, settings.maxLimit)
    const offset = catalogueOffset(range.offset)
    const results = sorted.slice(offset, offset + range.limit)
    const pages = pageLinks(links(), range, { name: 'series', kept, count })
    reply.headers(linkHeader(pages))
    return format === 'html'
      ? sendHtml(reply, renderSeries({ count, range, kept, ignored, pages, results, ordering }))
      : sendJson(reply, { count, next: pages.next, previous: pages.previous, results })
  }
}
