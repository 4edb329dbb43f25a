/** The root, and where the service describes itself. */
import { resourceNames, resourceUrl } from '../http/links.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { errors } from './errors.ts'
import { negotiated, withHeaders } from './headers.ts'
import { curl, json, negotiable, object, schemaRef, text, url } from './openapi.ts'
import type { JsonSchema, Part, Surroundings } from './openapi.ts'
import { format, ifNoneMatch } from './parameters.ts'

const names = resourceNames.map((name) => [name, url(`The resource \`${name}\`.`)] as const)

const root = object<Record<(typeof resourceNames)[number], string>>(
  'The resources of the service, each with its URL.',
  Object.fromEntries(names) as Record<(typeof resourceNames)[number], JsonSchema>,
)

const part = (description: string): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties: true,
})

const described = object<Record<'openapi' | 'info' | 'paths' | 'components', unknown>>(
  'A description as the OpenAPI Specification has it; only its main parts are named here.',
  {
    openapi: text('Version of the specification.', { pattern: String.raw`^3\.1\.` }),
    info: part('What is described.'),
    paths: part('The resources.'),
    components: part('What they have in common.'),
  },
)

export function describeService({ links }: Surroundings): Part {
  const shown = Object.fromEntries(resourceNames.map((name) => [name, resourceUrl(links, name)]))
  const unlessErrors = errors('NotModified', 'NotFound', 'NotAcceptable')
  const description = { openapi: '3.1.1', info: {}, paths: {}, components: {} }
  return {
    schemas: { Root: root, OpenApi: described },
    paths: {
      '/api/': {
        get: {
          operationId: 'getRoot',
          tags: ['Service'],
          summary: 'What there is',
          parameters: [format(), ifNoneMatch],
          responses: {
            '200': {
              description: 'The resources.',
              headers: withHeaders(...negotiated),
              content: negotiable(schemaRef('Root'), shown),
            },
            ...unlessErrors,
          },
          'x-codeSamples': [curl(links.api)],
        },
      },
      '/api/schema/': {
        get: {
          operationId: 'getSchema',
          tags: ['Service'],
          summary: 'This description',
          parameters: [format(), ifNoneMatch],
          responses: {
            '200': {
              description: 'The description, under either of its media types.',
              headers: withHeaders(...negotiated),
              content: {
                ...json(schemaRef('OpenApi'), description),
                [mediaTypes.openApi]: { schema: schemaRef('OpenApi'), example: description },
              },
            },
            ...unlessErrors,
          },
          'x-codeSamples': [curl(`${links.api}schema/`)],
        },
      },
      '/api/docs/': {
        get: {
          operationId: 'getDocs',
          tags: ['Service'],
          summary: 'This description as a page',
          parameters: [ifNoneMatch],
          responses: {
            '200': {
              description: 'The page.',
              headers: withHeaders(...negotiated),
              content: { [mediaTypes.html]: { schema: { type: 'string' } } },
            },
            ...unlessErrors,
          },
        },
      },
    },
  }
}
