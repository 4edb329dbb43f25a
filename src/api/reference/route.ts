/** Serves the OpenAPI document, and the reference pages that are made from it. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiContext } from '../http/context.ts'
import { digest } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { compressedVary } from '../http/formats.ts'
import type { Links } from '../http/links.ts'
import { makeDocument } from '../openapi/document.ts'
import type { OpenApiDocument } from '../openapi/openapi.ts'
import { exampleRoot } from '../openapi/openapi.ts'
import type { SampleWords } from '../openapi/parameters.ts'
import * as schema from '../openapi/schema.ts'
import type { Page } from '../pages/layout.ts'
import { layOut } from '../pages/layout.ts'
import { addAnswer } from '../resources/answer.ts'
import type { Reference } from './page.ts'
import { renderIndex, renderResource } from './page.ts'
import { findWords } from './samples.ts'

interface Description {
  readonly links: Links
  readonly json: string
  readonly state: string
}

const part = (description: string): schema.Schema<object> => ({
  type: 'object',
  description,
  additionalProperties: true,
  examples: [{}],
})

const body = schema.component(
  'OpenApi',
  'An OpenAPI document; only its main parts are named here.',
  {
    openapi: schema.text('Version of the specification.', '3.1.1', {
      pattern: String.raw`^3\.1\.`,
    }),
    info: part('The title, version and description.'),
    paths: part('The operations by path.'),
    components: part('The shared schemas, responses and headers.'),
  },
)

export function addSchema(app: FastifyInstance, context: ApiContext): void {
  const description = createDescription(app, context)
  const { current } = description
  addAnswer(app, context, {
    path: 'schema/',
    formats: ['json', 'openApi'],
    operation: {
      id: 'getSchema',
      tag: 'Service',
      name: 'Schema',
      summary: 'OpenAPI document',
      about: 'The description of all resources, as OpenAPI 3.1.',
      returns: 'The document, in one of its two media types.',
      errors: [],
      samples: ['schema/'],
    },
    bodies: { json: body, openApi: body },
    // The document is large, so JSON is compressed too.
    state: () => ({ version: current().state, headers: { vary: compressedVary } }),
    read: () => {
      const json = () => current().json
      return { bodies: { json, openApi: json } }
    },
  })
  addReference(app, context, description)
}

function addReference(app: FastifyInstance, context: ApiContext, description: Describing): void {
  const pages = pagesOf(context, description)
  addAnswer(app, context, {
    path: 'docs/',
    formats: ['html'],
    operation: {
      id: 'getDocs',
      tag: 'Service',
      name: 'Docs',
      summary: 'API reference',
      about: 'The description of all resources, as a page.',
      returns: 'The page.',
      errors: [],
      samples: ['docs/'],
    },
    bodies: {},
    ...pages(renderIndex),
  })
  addAnswer(app, context, {
    path: 'docs/:resource(^[a-z-]+$)/',
    formats: ['html'],
    operation: {
      id: 'getResourceDocs',
      tag: 'Service',
      name: 'Docs of a resource',
      summary: 'API reference of a resource',
      about: 'The description of one resource, as a page.',
      returns: 'The page.',
      errors: [],
      params: { resource: schema.text('The name of a resource.', 'rinex-file') },
      samples: ['docs/rinex-file/'],
    },
    bodies: {},
    ...pages((reference, request) => {
      const page = renderResource(
        (request.params as { readonly resource: string }).resource,
        reference,
      )
      if (page === undefined) throw notFound()
      return page
    }),
  })
}

type Describing = ReturnType<typeof createDescription>

/** How pages are made from the document with the words of this archive. */
function pagesOf(context: ApiContext, { current, jsonWith }: Describing) {
  return (render: (reference: Reference, request: FastifyRequest) => Page) => ({
    state: async () => {
      const words = await findWords(context.reader, context.settings.layout)
      return { words, version: digest(current().state + JSON.stringify(words)) }
    },
    read: (
      { request }: { readonly request: FastifyRequest },
      { words }: { readonly words: SampleWords | undefined },
    ) => {
      const document = JSON.parse(jsonWith(words)) as OpenApiDocument
      const page = render({ document, words, links: context.links() }, request)
      return { bodies: { html: () => layOut(page, context.site()) } }
    },
  })
}

/** Builds the description on demand, because the base URL is known when the server listens. */
function createDescription(app: FastifyInstance, { links, settings }: ApiContext) {
  let made: Description | undefined
  const jsonWith = (words?: SampleWords): string => {
    const root = links().api.replace(/\/api\/$/, '')
    return JSON.stringify(makeDocument(app.resources, settings, words)).replaceAll(
      exampleRoot,
      root,
    )
  }
  const current = () => {
    if (made?.links !== links()) {
      const json = jsonWith()
      made = { links: links(), json, state: digest(json) }
    }
    return made
  }
  return { current, jsonWith }
}
