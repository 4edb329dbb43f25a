/** Serves the OpenAPI document, and a page of it for people. */
import type { FastifyInstance } from 'fastify'
import { isFresh, sendHtml, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/conditional-requests.ts'
import type { Links } from '../http/links.ts'
import { mediaTypes, negotiateAmong } from '../http/negotiate.ts'
import { renderDocs } from './docs.ts'
import { addResource } from '../http/resource.ts'
import { exampleRoot } from '../openapi/openapi.ts'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import { getDocs, getSchema, openApiSchema } from './schema.ts'

interface Description {
  readonly links: Links
  readonly json: Buffer
  readonly page: string
  /** Digest, for the ETag. */
  readonly state: string
}

type DocsContext = Pick<ApiContext, 'apiPath' | 'tag' | 'links'>

export function addSchema(app: FastifyInstance, context: DocsContext): void {
  const { apiPath, tag } = context
  const current = openDescription(app, context)
  app.addSchema(openApiSchema)
  const schemaTypes = [mediaTypes.json, mediaTypes.openApi]
  addResource(app, {
    path: `${apiPath}schema/`,
    schema: getSchema,
    about: { name: 'Schema', description: 'The description of all resources, as OpenAPI 3.1.' },
    renders: schemaTypes,
    get: (request, reply) => {
      const type = negotiateAmong(schemaTypes, request, reply)
      const { json, state } = current()
      const representation = `${state}-${schemaTypes.indexOf(type as 'application/json')}`
      if (isFresh(request, reply, tag(representation, 'json'))) return sendNotModified(reply)
      return reply.header('content-type', type).send(json)
    },
  })
  addResource(app, {
    path: `${apiPath}docs/`,
    schema: getDocs,
    about: { name: 'Docs', description: 'The description of all resources, as a page.' },
    renders: [mediaTypes.html],
    get: (request, reply) => {
      negotiateAmong([mediaTypes.html], request, reply)
      const { page, state } = current()
      if (isFresh(request, reply, tag(state, 'html'))) return sendNotModified(reply)
      return sendHtml(reply, page)
    },
  })
}

/** Built on the first request, since the base URL is known when the server listens; then cached. */
function openDescription(app: FastifyInstance, { links }: DocsContext): () => Description {
  let made: Description | undefined
  return () => {
    if (made?.links !== links()) {
      const root = links().api.replace(/\/api\/$/, '')
      const json = JSON.stringify(app.swagger()).replaceAll(exampleRoot, root)
      const page = renderDocs(JSON.parse(json) as OpenApiDocument)
      made = { links: links(), json: Buffer.from(json), page, state: digest(json) }
    }
    return made
  }
}
