/** The resource with which administrators order a rescan. */
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../http/context.ts'
import { BadFields } from '../http/errors.ts'
import { resourceUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'
import { sendJson } from '../http/send.ts'
import { inFirst } from '../openapi/area-words.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import { json, withHeaders } from '../openapi/responses.ts'
import * as schema from '../openapi/schema.ts'
import {
  createAuthentication,
  curlPost,
  required,
  sendToIndexer,
  writeErrors,
} from './authentication.ts'
import { parseRescan } from './request-body.ts'

const rescanOrder = schema.component(
  'RescanOrder',
  'The directory that is read again.',
  {},
  {
    path: schema.text(
      'A directory below the archive root, such as `{in_area}2026`; by default the whole archive. A directory above areas stands for them.',
      `${inFirst}2026`,
      { minLength: 1, maxLength: 1024, format: 'archive-directory' },
    ),
    full: schema.boolean('Without effect: every rescan reads sizes and modification times.', true, {
      default: false,
    }),
    accept_removals: schema.boolean(
      'Confirms the removals that the deletion guard withholds.',
      false,
      {
        default: false,
      },
    ),
  },
  { additionalProperties: false, examples: [{ path: `${inFirst}2026`, accept_removals: true }] },
)

const rescanTicket = schema.component('RescanTicket', 'A rescan that was accepted.', {
  rescan: schema.integer('The number of the rescan, as in `rescans` of the status.', 2, {
    minimum: 1,
  }),
  place: schema.oneOf(
    '`running`; `waiting` for the running rescan to end; `merged` into the waiting rescan.',
    ['running', 'waiting', 'merged'],
    'running',
  ),
  status: schema.url(
    'The URL of the status, which shows its progress.',
    `${exampleLinks.api}status/?format=api`,
  ),
})

const orderRescan: RouteSchema = {
  operationId: 'orderRescan',
  tags: ['Administration'],
  summary: 'Order a rescan',
  about: { name: 'Rescan', description: 'Asks the indexer to read the archive again.' },
  description: 'One rescan runs, one waits, and later ones are merged into the waiting one.',
  security: [{ administrator: [] }],
  body: rescanOrder,
  response: {
    '202': {
      description: 'The rescan is accepted.',
      headers: withHeaders('Allow'),
      content: json(rescanTicket),
    },
    ...writeErrors,
  },
  'x-codeSamples': [curlPost(`${exampleLinks.api}rescan/`, { path: `${inFirst}2026` })],
}

export function addRescan(
  app: FastifyInstance,
  { apiPath, administration, links, settings }: ApiContext,
): void {
  addResource(app, {
    path: `${apiPath}rescan/`,
    post: {
      schema: orderRescan,
      authenticate: createAuthentication(administration),
      handler: async (request, reply) => {
        const order = parseRescan(request.body, settings.layout)
        const ticket = await sendToIndexer(required(administration).rescan(order))
        if (ticket.place === 'missing')
          throw new BadFields({ path: ['There is no such directory in the archive.'] })
        return sendJson(reply.code(202), {
          rescan: ticket.number,
          place: ticket.place,
          status: resourceUrl(links(), 'status'),
        })
      },
    },
  })
}
