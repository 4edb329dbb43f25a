/** The description of the service: for programs, and as a page for people. */
import type { FastifyInstance } from 'fastify'
import { isFresh, sendHtml, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/etag.ts'
import type { Links } from '../http/links.ts'
import { mediaTypes, negotiateAmong } from '../http/negotiate.ts'
import { renderDocs } from './docs.ts'
import { addResource } from '../http/resource.ts'
import { describeApi } from '../openapi/document.ts'

interface Description {
  readonly links: Links
  readonly json: Buffer
  readonly page: string
  /** Tells descriptions apart. */
  readonly state: string
}

type DocsContext = Pick<ApiContext, 'apiPath' | 'tag' | 'links' | 'settings'>

export function addSchema(app: FastifyInstance, context: DocsContext): void {
  const { apiPath, tag } = context
  const current = openDescription(context)
  const schemaTypes = [mediaTypes.json, mediaTypes.openApi]
  addResource(app, {
    path: `${apiPath}schema/`,
    about: { name: 'Schema', description: 'All resources described, as OpenAPI 3.1.' },
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
    about: { name: 'Docs', description: 'All resources described, as a page.' },
    renders: [mediaTypes.html],
    get: (request, reply) => {
      negotiateAmong([mediaTypes.html], request, reply)
      const { page, state } = current()
      if (isFresh(request, reply, tag(state, 'html'))) return sendNotModified(reply)
      return sendHtml(reply, page)
    },
  })
}

/** Made when it is first asked for, since links are known from when the server listens; then kept. */
function openDescription({ links, settings }: DocsContext): () => Description {
  let made: Description | undefined
  return () => {
    if (made?.links !== links()) {
      const { maxLimit, keepRemovalsDays, version } = settings
      const document = describeApi({ links: links(), maxLimit, keepRemovalsDays }, version)
      const json = JSON.stringify(document)
      const page = renderDocs(document)
      made = { links: links(), json: Buffer.from(json), page, state: digest(json) }
    }
    return made
  }
}
