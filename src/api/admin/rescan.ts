/** The resource with which administrators order a rescan. */
import type { FastifyInstance } from 'fastify'
import { sendToIndexer, createAuthentication, required } from './authentication.ts'
import { parseRescan } from './request-body.ts'
import * as schemas from './schema.ts'
import { send } from '../http/formats.ts'
import type { ApiContext } from '../http/context.ts'
import { BadFields } from '../http/errors.ts'
import { resourceUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'

export function addRescan(
  app: FastifyInstance,
  { apiPath, administration, links }: ApiContext,
): void {
  addResource(app, {
    path: `${apiPath}rescan/`,
    post: {
      schema: schemas.orderRescan,
      authenticate: createAuthentication(administration),
      handler: async (request, reply) => {
        const order = parseRescan(request.body)
        const ticket = await sendToIndexer(required(administration).rescan(order))
        if (ticket.place === 'missing')
          throw new BadFields({ path: ['There is no such directory in the archive.'] })
        return send(reply.code(202), 'json', {
          rescan: ticket.number,
          place: ticket.place,
          status: resourceUrl(links(), 'status'),
        })
      },
    },
  })
}
