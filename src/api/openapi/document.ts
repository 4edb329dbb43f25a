/**
 * The OpenAPI 3.1 document of the service. `@fastify/swagger` builds it from the schemas of the
 * routes; `complete` adds what the plugin cannot express (docs/decisions/0021).
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { ApiSettings } from '../http/settings.ts'
import Type from 'typebox'
import { exampleRoot, json, list, object, schemaRef, text } from './openapi.ts'
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  PathItem,
  Paths,
  Reference,
  ResponseObject,
} from './openapi.ts'
import { errorResponses, errorSchemas, headers, withHeaders } from './responses.ts'

const description = [
  'Lists the RINEX files of a GNSS archive and their download URLs. Everybody may read; only administrators may write.',
  'The `Accept` header chooses the representation: programs get JSON, browsers get HTML pages; `format=json` forces JSON. Links into the API carry `format=api`, which leaves the choice to `Accept`. Every path with `GET` also supports `HEAD` and `OPTIONS`. Scripts of any origin may read (CORS).',
  'Request targets may be in absolute form (RFC 9112, 3.2.2). Empty path segments are merged: `data//obs/` is `data/obs/`. A path without its trailing slash is redirected to the path with it.',
  'Most responses carry an `ETag`; a request with this tag in `If-None-Match` gets `304` until something changes. Times are UTC, in ISO 8601.',
  'A parameter with an invalid value gets `400`, except `limit` and `offset`; the response names all invalid parameters at once. An unknown parameter is ignored and named in `Ignored-Parameters`; in a stream, in the change feed and with `strict=1` it gets `400`. A method that a path does not support gets `405`; `Allow` lists the supported methods. `429` and `503` carry `Retry-After`.',
].join('\n\n')

const tags = [
  { name: 'Files', description: 'The files of the archive, with the metadata from their names.' },
  { name: 'Stations', description: 'The stations in the file names.' },
  { name: 'Changes', description: 'New, replaced and removed files, for mirrors.' },
  { name: 'Downloads', description: 'File downloads, checksums and directory listings.' },
  { name: 'Service', description: 'The list of resources, the status, and this description.' },
  { name: 'Administration', description: 'Requests that need the administrator token.' },
]

const securitySchemes = {
  administrator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The administrator token.',
  },
} as const

const descriptionSchema = object('The description of a resource, from `OPTIONS`.', {
  name: text('Its name.'),
  description: text('Its description.'),
  renders: list('Media types of its responses.', Type.String()),
  parses: list('Media types of request bodies that it accepts.', Type.String()),
})

/** The example of the description of a resource. */
const shownDescription = {
  name: 'Rinex File List',
  description: 'The RINEX files of the archive.',
  renders: ['application/json', 'text/html'],
  parses: ['application/json'],
}

/** The parts of the document that come from no route. */
export interface OtherParts {
  readonly paths: Paths
  readonly schemas: Readonly<Record<string, object>>
}

/** Registers the plugin. The document contains the routes that are registered after it. */
export async function collectSchemas(
  app: FastifyInstance,
  { version, datasetPrefix }: Pick<ApiSettings, 'version' | 'datasetPrefix'>,
  { paths, schemas }: OtherParts,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'RINEX file catalogue',
        version,
        description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: exampleRoot, description: 'This service.' }],
      security: [],
      tags,
      components: {
        schemas: { ...errorSchemas, Description: descriptionSchema, ...schemas },
        responses: errorResponses,
        headers,
        securitySchemes,
      } as object,
    },
    hideUntagged: true,
    stripBasePath: false,
    refResolver: { buildLocalReference: ({ $id }) => $id as string },
    transform: ({ schema, url }) => ({ schema, url: url.slice(`/${datasetPrefix}`.length) }),
    transformObject: (collected) => {
      const { openapiObject } = collected as unknown as { openapiObject: OpenApiDocument }
      return complete(openapiObject, paths) as object
    },
  })
}

/**
 * Completes the operations of the routes. Adds the paths that have no route of their own, `HEAD` to
 * all paths with `GET`, and `OPTIONS` to all paths.
 */
function complete(document: OpenApiDocument, others: Paths): OpenApiDocument {
  const routes = mapValues(document.paths, (item) =>
    mapValues(item as Required<PathItem>, (operation) => completeOperation(operation, document)),
  )
  const paths = mapValues({ ...routes, ...others }, (item, path) => withPlainMethods(path, item))
  return { ...document, paths }
}

/**
 * Adds the style of list parameters and the example of the request body, and restores the
 * responses. The schema of the body is a reference, so the example is taken from the component.
 */
function completeOperation(
  operation: OperationObject,
  { components }: OpenApiDocument,
): OperationObject {
  const { parameters, requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema as Reference | undefined
  const { minProperties, examples } = components.schemas[body?.$ref.replace(/.*\//, '') ?? ''] ?? {}
  return {
    ...operation,
    // Commas separate the values of a list.
    ...(parameters && {
      parameters: parameters.map((each) =>
        each.schema['type'] === 'array' ? { ...each, style: 'form', explode: false } : each,
      ),
    }),
    ...(body && {
      requestBody: {
        required: minProperties !== undefined,
        content: json(body, (examples as unknown[])[0]),
      },
    }),
    responses: mapValues(responses as Readonly<Record<string, ResponseObject>>, restoreResponse),
  }
}

/**
 * Restores references to shared responses, and headers, because the plugin treats each of them as a
 * schema.
 */
function restoreResponse(response: ResponseObject): ResponseObject | Reference {
  const { headers: described = {}, content, ...rest } = response
  const shared = content?.['application/json']?.schema['$ref'] as string | undefined
  if (shared?.startsWith('#/components/responses/') === true) return { $ref: shared }
  const unwrapped = mapValues(
    described as Readonly<Record<string, HeaderObject>>,
    ({ schema, ...more }) => ({ ...more, ...schema }) as HeaderObject | Reference,
  )
  return { ...rest, headers: unwrapped, ...(content && { content }) }
}

/** Adds the methods that every resource has: `HEAD` where there is `GET`, and `OPTIONS`. */
function withPlainMethods(path: string, methods: PathItem): PathItem {
  const { get, post } = methods
  const known = get ?? post
  if (known === undefined) return methods
  const head = get === undefined ? {} : { head: headOf(get) }
  return { ...methods, ...head, options: optionsOf(known, path.startsWith('/api/')) }
}

function headOf(get: OperationObject): OperationObject {
  const { headers } = get.responses['200'] as ResponseObject
  return {
    ...inPathOf(get),
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}: headers only`,
    description: 'Same as `GET`, with the same parameters and status, without the body.',
    responses: {
      '200': { description: 'The headers of `GET`.', ...(headers && { headers }) },
      '4XX': { $ref: '#/components/responses/Bodiless' },
      default: { $ref: '#/components/responses/Bodiless' },
    },
  }
}

function optionsOf(known: OperationObject, isDescribed: boolean): OperationObject {
  const headers = withHeaders('Allow')
  const described = {
    description: 'The description of the resource.',
    headers,
    content: json(schemaRef('Description'), shownDescription),
  }
  return {
    ...inPathOf(known),
    operationId: `${known.operationId}Options`,
    summary: `${known.summary}: methods`,
    responses: isDescribed
      ? { '200': described, '4XX': { $ref: '#/components/responses/Other' } }
      : {
          '204': { description: 'The methods are in `Allow`. No body.', headers },
          '4XX': { $ref: '#/components/responses/Other' },
        },
  }
}

function inPathOf({ tags, parameters = [] }: OperationObject) {
  return { tags, parameters: parameters.filter(({ in: place }) => place === 'path') }
}

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T, key: string) => U) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
}
