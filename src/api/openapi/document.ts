/**
 * The description of the whole service, as OpenAPI 3.1 has it. `@fastify/swagger` collects it from the schemas of the
 * routes; what it cannot say of them, or says otherwise, is put right here (decision 21).
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { ApiSettings } from '../http/settings.ts'
import { errorResponses, errorSchemas } from './errors.ts'
import { headers } from './headers.ts'
import { exampleRoot, json } from './openapi.ts'
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  PathItem,
  Paths,
  Reference,
  ResponseObject,
} from './openapi.ts'
import { descriptionSchema, withPlainMethods } from './plain-methods.ts'

const description = [
  'What RINEX files a GNSS archive holds, and where to download them. Anybody may read; writing is for administrators.',
  'Programs get JSON and browsers get pages, by `Accept`; `format=json` forces JSON. Links into the API carry `format=api`, which leaves that choice open. `HEAD` and `OPTIONS` are answered wherever `GET` is, and scripts of any origin may read.',
  'Request targets may be in absolute form (RFC 9112, 3.2.2), and empty segments of a path are merged: `data//obs/` is `data/obs/`. A path without its last slash is redirected to the one with it.',
  'Answers carry an `ETag`, and `If-None-Match` with it is answered `304` until something changes. Times are UTC, in ISO 8601.',
  'A parameter with a value that makes no sense is answered `400`, with all faults at once. One that is unknown is ignored and named in `Ignored-Parameters`. A method that a path does not know is `405`, with those that it knows in `Allow`. `429` and `503` say in `Retry-After` when to come back.',
].join('\n\n')

const tags = [
  { name: 'Files', description: 'The files of the archive and what their names tell.' },
  { name: 'Stations', description: 'The stations that the names tell of.' },
  { name: 'Changes', description: 'What is new, replaced or gone: for mirrors.' },
  { name: 'Downloads', description: 'The files themselves, and what directories hold.' },
  { name: 'Service', description: 'What there is, how it is doing, and how it is described.' },
  { name: 'Administration', description: 'For who shows the token of the administrators.' },
]

const securitySchemes = {
  administrator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the administrators.',
  },
} as const

/** What is described without a route of its own. */
export interface Undirected {
  readonly paths: Paths
  readonly schemas: Readonly<Record<string, object>>
}

/** Registers the plugin, which sees the routes that are added after it. */
export async function collectSchemas(
  app: FastifyInstance,
  { version, datasetPrefix }: Pick<ApiSettings, 'version' | 'datasetPrefix'>,
  { paths, schemas }: Undirected,
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
        ...{ responses: errorResponses, headers, securitySchemes },
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

function complete(document: OpenApiDocument, others: Paths): OpenApiDocument {
  const routes = mapValues(document.paths, (item) =>
    mapValues(item as Required<PathItem>, (operation) => mend(operation, document)),
  )
  const paths = mapValues({ ...routes, ...others }, (item, path) => withPlainMethods(path, item))
  return { ...document, paths }
}

/** An operation with what the plugin does not take from the schema of a route. */
function mend(operation: OperationObject, { components }: OpenApiDocument): OperationObject {
  const { parameters, requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema as Reference | undefined
  const { minProperties, examples } = components.schemas[body?.$ref.replace(/.*\//, '') ?? ''] ?? {}
  return {
    ...operation,
    // Several values of a parameter have commas between them.
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
    responses: mapValues(responses as Readonly<Record<string, ResponseObject>>, mendResponse),
  }
}

/** A shared answer or header is a reference; the plugin takes it for a reference to a schema. */
function mendResponse(response: ResponseObject): ResponseObject | Reference {
  const { headers: described = {}, content, ...rest } = response
  const shared = content?.['application/json']?.schema['$ref'] as string | undefined
  if (shared?.startsWith('#/components/responses/') === true) return { $ref: shared }
  const unwrapped = mapValues(
    described as Readonly<Record<string, HeaderObject>>,
    ({ schema, ...more }) => ({ ...more, ...schema }) as HeaderObject | Reference,
  )
  return { ...rest, headers: unwrapped, ...(content && { content }) }
}

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T, key: string) => U) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
}
