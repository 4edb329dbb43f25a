/** The resource with which administrators order a rescan. */
import type { FastifyInstance } from 'fastify'
import { sendToIndexer, openAuthentication, required } from './authentication.ts'
import { parseRescan } from './request-body.ts'
import * as schemas from './schema.ts'
import { sendJson } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { badFields } from '../http/errors.ts'
import { resourceUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'

export function addRescan(
  app: FastifyInstance,
  { apiPath, administration, links }: Pick<ApiContext, 'apiPath' | 'administration' | 'links'>,
): void {
  addResource(app, {
    path: `${apiPath}rescan/`,
    about: { name: 'Rescan', description: 'Asks the indexer to read the archive again.' },
    post: {
      schema: schemas.orderRescan,
      authenticate: openAuthentication(administration),
      handler: async (request, reply) => {
        const order = parseRescan(request.body)
        const ticket = await sendToIndexer(required(administration).rescan(order))
        if (ticket.place === 'missing')
          throw badFields({ path: ['There is no such directory in the archive.'] })
        return sendJson(reply.code(202), {
          rescan: ticket.number,
          place: ticket.place,
          status: resourceUrl(links(), 'status'),
        })
      },
    },
  })
}
