/** Schemas of the API root, the OpenAPI document and its page. */
import { resourceNames, resourceUrl } from '../http/links.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { errors, json, negotiable, negotiated } from '../openapi/responses.ts'
import { curl, exampleLinks } from '../openapi/examples.ts'
import * as schema from '../openapi/schema.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, strict } from '../openapi/parameters.ts'

export const rootSchema = schema.component(
  'Root',
  'The URLs of the resources.',
  Object.fromEntries(resourceNames.map((name) => [name, schema.url(`The resource \`${name}\`.`)])),
)

const part = (description: string): schema.Schema<object> => ({
  type: 'object',
  description,
  additionalProperties: true,
})

export const openApiSchema = schema.component(
  'OpenApi',
  'An OpenAPI document; only its main parts are named here.',
  {
    openapi: schema.text('Version of the specification.', { pattern: String.raw`^3\.1\.` }),
    info: part('The title, version and description.'),
    paths: part('The operations by path.'),
    components: part('The shared schemas, responses and headers.'),
  },
)

const { api } = exampleLinks
const exampleUrls = Object.fromEntries(
  resourceNames.map((name) => [name, resourceUrl(exampleLinks, name)]),
)
const exampleDocument = { openapi: '3.1.1', info: {}, paths: {}, components: {} }
const readErrors = errors('NotModified', 'BadParameters', 'NotFound', 'NotAcceptable')
const headers = ifNoneMatch

export const getRoot: RouteSchema = {
  operationId: 'getRoot',
  tags: ['Service'],
  summary: 'List the resources',
  querystring: { strict, format: format() },
  headers,
  response: {
    '200': negotiated(
      'The URLs of the resources.',
      negotiable(rootSchema, exampleUrls),
      'Ignored-Parameters',
    ),
    ...readErrors,
  },
  'x-codeSamples': [curl(api)],
}

export const getSchema: RouteSchema = {
  operationId: 'getSchema',
  tags: ['Service'],
  summary: 'OpenAPI document',
  querystring: { strict, format: format() },
  headers,
  response: {
    '200': negotiated(
      'The document, in one of its two media types.',
      {
        ...json(openApiSchema, exampleDocument),
        ...json(openApiSchema, exampleDocument, mediaTypes.openApi),
      },
      'Ignored-Parameters',
    ),
    ...readErrors,
  },
  'x-codeSamples': [curl(`${api}schema/`)],
}

export const getDocs: RouteSchema = {
  operationId: 'getDocs',
  tags: ['Service'],
  summary: 'API reference',
  querystring: { strict, format: format(['api']) },
  headers,
  response: {
    '200': negotiated(
      'The page.',
      { [mediaTypes.html]: { schema: schema.text() } },
      'Ignored-Parameters',
    ),
    ...readErrors,
  },
}
