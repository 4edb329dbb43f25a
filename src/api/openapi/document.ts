/** Makes the OpenAPI 3.1 document of the service from its resources. Pure. */
import type { Described } from './area-words.ts'
import { withAreas } from './area-words.ts'
import type {
  DescribedResource,
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ParameterSchemas,
  PathItem,
  RouteSchema,
} from './openapi.ts'
import { exampleRoot } from './openapi.ts'
import type { SampleWords } from './parameters.ts'
import { exampleWords, sampleWith } from './parameters.ts'
import { errorResponses, headers, json } from './responses.ts'
import { exampleOf } from './schema.ts'

const description = [
  'Lists the RINEX files of a GNSS archive and their download URLs. Everybody may read; only administrators may write.',
  'The `Accept` header chooses the representation: programs get JSON, browsers get HTML pages, and every other media type of a resource is chosen by its name, such as `text/csv`. `format` names a format and comes before the header; `format=json` forces JSON. Links into the API carry `format=api`, which leaves the choice to `Accept`. Every path with `GET` supports `HEAD`, and every path `OPTIONS`: its response has the methods in `Allow` and, below `api/`, the name, description and media types of the resource. Scripts of any origin may read (CORS).',
  'Request targets may be in absolute form (RFC 9112, 3.2.2). Empty path segments are merged: `data//{in_area}` is `data/{in_area}`. A path without its trailing slash is redirected to the path with it.',
  'Most responses carry an `ETag`; a request with this tag in `If-None-Match` gets `304` until something changes. A request with the number of a change in the header `Catalogue-Seq` is answered from a state that has this change, or with `503`. Times are UTC, in ISO 8601.',
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

interface DocumentSettings {
  readonly version: string
  readonly datasetPrefix: string
  readonly layout: Described
}

/** Makes the document. The resources without a description are not in it. */
export function makeDocument(
  resources: readonly DescribedResource[],
  { version, datasetPrefix, layout }: DocumentSettings,
  words: SampleWords = exampleWords,
): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {}
  const responses = shareComponents(errorResponses, schemas)
  const paths = resources.flatMap((resource) => pathsOf(resource, `/${datasetPrefix}`, words))
  const document: OpenApiDocument = {
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
    paths: shareComponents(Object.fromEntries(paths), schemas),
    components: { schemas, responses, headers, securitySchemes },
  }
  return withAreas(document, layout)
}

/** Replaces each schema that has a name by a reference, and adds it to `schemas`, parts first. */
function shareComponents<T>(value: T, schemas: Record<string, JsonSchema>): T {
  if (Array.isArray(value)) return value.map((each: unknown) => shareComponents(each, schemas)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as JsonSchema)
  const { $id, ...copy } = Object.fromEntries(
    entries.map(([key, inner]) => [key, shareComponents(inner, schemas)]),
  )
  if (typeof $id !== 'string') return copy as T
  schemas[$id] = copy
  return { $ref: `#/components/schemas/${$id}` } as T
}

/** The paths of a resource in the document, relative to the dataset prefix. */
function pathsOf(
  { path, schema, post, paths = {} }: DescribedResource,
  prefix: string,
  words: SampleWords,
): [string, PathItem][] {
  const own = {
    ...(schema && { get: operationOf(schema, words) }),
    ...(post && { post: operationOf(post.schema, words) }),
  }
  const name = path.slice(prefix.length).replace(/:(\w+)\(.*?\$\)/g, '{$1}')
  const described = Object.entries(paths).map(
    ([each, get]) => [each, { get: operationOf(get, words) }] as [string, PathItem],
  )
  return Object.keys(own).length === 0 ? described : [[name, own], ...described]
}

function operationOf(route: RouteSchema, words: SampleWords): OperationObject {
  const { about, description, response, ...parts } = route
  const { params, querystring, headers: requestHeaders, body, bodyType, ...described } = parts
  const samples = described['x-codeSamples']
  const text = [about?.description ?? '', description ?? ''].join(' ').trim()
  const parameters = [
    ...parametersIn('path', params),
    ...parametersIn('query', querystring),
    ...parametersIn('header', requestHeaders),
  ]
  return {
    ...described,
    ...(text !== '' && { description: text }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        // A body in which everything is optional may be left out.
        required: body['minProperties'] !== undefined || body['minLength'] !== undefined,
        content: json(body, exampleOf(body), bodyType),
      },
    }),
    responses: response,
    ...(samples && {
      'x-codeSamples': samples.map(({ lang, source }) => ({
        lang,
        source: sampleWith(words, source),
      })),
    }),
  }
}

function parametersIn(
  place: ParameterObject['in'],
  named: ParameterSchemas = {},
): ParameterObject[] {
  return Object.entries(named).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    description: description as string,
    schema,
    example: (examples as readonly unknown[] | undefined)?.[0],
    // Commas separate the values of a list.
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
  }))
}
