/** Serves the open alerts: in pages, or all at once as an Atom feed. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { openAlerts } from '../../series/alerts.ts'
import { periods } from '../../series/series.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'
import { secondsToIso } from '../http/times.ts'
import { isFresh, sendNotModified } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { catalogueOffset, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { throwFaults } from '../parameters/unknown.ts'
import { addResource } from '../http/resource.ts'
import { sendCollection } from '../pages/collection.ts'
import { bannerOf } from '../series/banner.ts'
import { currencyHeaders, serialiseCurrency, statesTag } from '../series/known-series.ts'
import type { NetworkContext } from '../series/route.ts'
import { sharedParameters } from '../series/schema.ts'
import { matchesSeries } from '../series/series-list.ts'
import { alertFeed } from './atom.ts'
import { alertsView, renderAlerts } from './page.ts'
import * as schemas from './schema.ts'

export function addAlerts(app: FastifyInstance, context: NetworkContext): void {
  app.addSchema(schemas.alertSchema).addSchema(schemas.alertPageSchema)
  addResource(app, {
    path: `${context.apiPath}alerts/`,
    get: listAlerts(context),
    schema: schemas.listAlerts(context.settings.maxLimit),
    config: { faultForm: alertsView },
    renders: [mediaTypes.json, mediaTypes.html, mediaTypes.atom],
    about: { name: 'Alert List', description: 'The alerts that are open now.' },
  })
}

function listAlerts(context: NetworkContext): RouteHandlerMethod {
  const { network, settings, links, tag, limits, nowUs } = context
  return async (request, reply) => {
    const format = negotiateFormat(['atom'], request, reply)
    const query = request.query as Query
    const { filter, faults, kept, ignored } = readFilters(query, {
      parameters: sharedParameters,
      known: commonParameters,
    })
    throwFaults(faults)
    reply.headers(ignoredHeader(ignored))
    const current = await network.currentFor(await limits.page(request, reply))
    const { head, currency, states } = current
    reply.headers(currencyHeaders(currency))
    if (isFresh(request, reply, tag(`${statesTag(head, currency)}-${format}`, 'text')))
      return sendNotModified(reply)
    // While the catalogue is not current, the alerts are those of the last time at which it was.
    const { asOf } = currency
    const found = (asOf === undefined ? [] : openAlerts(states, asOf)).filter(({ series }) =>
      series.some((each) =>
        matchesSeries({ ...each, fileType: each.file_type }, { ...filter, periods }),
      ),
    )
    if (format === 'atom') {
      const nowIso = secondsToIso(asOf ?? Math.floor(nowUs() / 1e6))
      const feed = alertFeed(found, { links: links(), kept, nowIso })
      return reply.header('content-type', mediaTypes.atom).send(Buffer.from(feed))
    }
    const range = parsePageRange(query, settings.maxLimit)
    const offset = catalogueOffset(range.offset)
    const results = found.slice(offset, offset + range.limit)
    const further = serialiseCurrency(currency)
    const count = found.length
    const list = { name: 'alerts', count, range, kept, ignored, results, further } as const
    return sendCollection(
      reply,
      links(),
      list,
      format === 'html' ? (page) => renderAlerts(page, bannerOf(currency)) : undefined,
    )
  }
}
