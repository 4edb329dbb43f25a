/** Serves the open alerts: in pages, or all at once as an Atom feed. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { openAlerts } from '../../series/alerts.ts'
import { periods } from '../../series/series.ts'
import { commonParameters, readFilters } from '../files/list-request.ts'
import { secondsToIso } from '../files/serialise.ts'
import { isFresh, sendNotModified } from '../http/context.ts'
import { ignoredHeader } from '../http/headers.ts'
import { mediaTypes, negotiateFormat } from '../http/negotiate.ts'
import { catalogueOffset, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { throwFaults } from '../http/unknown-parameters.ts'
import { addResource } from '../http/resource.ts'
import { sendCollection } from '../pages/collection.ts'
import { networkTag } from '../series/network-status.ts'
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
  const { network, settings, links, tag, limits } = context
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
    if (isFresh(request, reply, tag(`${networkTag(current)}-${format}`, 'text')))
      return sendNotModified(reply)
    const found = openAlerts(current.states, current.nowSeconds)
      .filter(({ series }) =>
        series.some((each) =>
          matchesSeries({ ...each, fileType: each.file_type }, { ...filter, periods }),
        ),
      )
      .sort((a, b) => (a.opened === b.opened ? 0 : a.opened < b.opened ? 1 : -1))
    if (format === 'atom') {
      const nowIso = secondsToIso(current.nowSeconds)
      const feed = alertFeed(found, { links: links(), kept, nowIso })
      return reply.header('content-type', mediaTypes.atom).send(Buffer.from(feed))
    }
    const range = parsePageRange(query, settings.maxLimit)
    const offset = catalogueOffset(range.offset)
    const results = found.slice(offset, offset + range.limit)
    const list = { name: 'alerts', count: found.length, range, kept, ignored, results } as const
    return sendCollection(reply, links(), list, format === 'html' ? renderAlerts : undefined)
  }
}
