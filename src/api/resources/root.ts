/** The root of the API: the list of its resources. It leads browsers to the start page. */
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { negotiate } from '../http/formats.ts'
import { relativeUrl } from '../http/http-server.ts'
import type { Links } from '../http/links.ts'
import { resourceNames, resourceUrl } from '../http/links.ts'
import { addResource } from '../http/resource.ts'
import { sendElsewhere, sendJson } from '../http/send.ts'
import { exampleLinks } from '../openapi/openapi.ts'
import * as schema from '../openapi/schema.ts'
import { addAnswer } from './answer.ts'

const rootSchema = schema.component(
  'Root',
  'The URLs of the resources.',
  Object.fromEntries(
    resourceNames.map((name) => [
      name,
      schema.url(`The resource \`${name}\`.`, resourceUrl(exampleLinks, name)),
    ]),
  ),
)

const urlsOf = (links: Links) =>
  Object.fromEntries(resourceNames.map((name) => [name, resourceUrl(links, name)]))

/** Where browsers begin, from the root of the API. */
const startPage = 'network/?format=api'

export function addRoot(app: FastifyInstance, context: ApiContext): void {
  addAnswer(app, context, {
    path: '',
    formats: ['json', 'html'],
    operation: {
      id: 'getRoot',
      tag: 'Service',
      name: 'Api Root',
      summary: 'List the resources',
      about: 'The resources of this service.',
      description:
        'A browser is redirected to the start page, which is that of the network (`303`).',
      returns: 'The URLs of the resources.',
      errors: [],
      samples: [''],
    },
    bodies: { json: rootSchema },
    state: ({ format }) => (format === 'json' ? { version: 'root' } : undefined),
    read: ({ format }) => ({
      bodies: { json: () => urlsOf(context.links()), html: () => '' },
      location: format === 'html' ? startPage : undefined,
    }),
  })
}

/** `/` and the dataset prefix lead browsers to the start page; other clients get the root there. */
export function addEntrances(app: FastifyInstance, { apiPath, settings, links }: ApiContext): void {
  for (const path of ['/', `/${settings.datasetPrefix}/`])
    addResource(app, {
      path,
      get: (request, reply) => {
        // The router takes the target `*` for `/`.
        if (request.raw.url === '*') throw notFound()
        reply.header('vary', 'Accept')
        const format = negotiate(['json', 'html'], request, reply)
        if (format === 'json') return sendJson(reply, urlsOf(links()))
        const location = relativeUrl(request.originalUrl, `${apiPath}${startPage}`)
        return sendElsewhere(reply, location)
      },
    })
}
