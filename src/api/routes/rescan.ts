import type { FastifyInstance } from 'fastify'
import { parseRescan } from '../admin-body.ts'
import { askThrough, openAdmission, required } from '../admin.ts'
import { sendJson } from '../context.ts'
import type { ApiContext } from '../context.ts'
import { badFields } from '../errors.ts'
import { resourceUrl } from '../links.ts'
import { addResource } from '../resource.ts'

/** Asking the indexer for a rescan is for administrators. */
export function addRescan(app: FastifyInstance, context: ApiContext): void {
  const { apiPath, administration, links } = context
  addResource(app, {
    path: `${apiPath}rescan/`,
    about: { name: 'Rescan', description: 'Asks the indexer to look at the archive again.' },
    post: {
      admit: openAdmission(administration),
      handler: async (request, reply) => {
        const order = parseRescan(request.body)
        const ticket = await askThrough(required(administration).rescan(order))
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
