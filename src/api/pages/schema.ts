/** Schemas of the API root, the OpenAPI document and its page. */
import Type from 'typebox'
import { resourceNames, resourceUrl } from '../http/links.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { errors, negotiated } from '../openapi/responses.ts'
import {
  component,
  curl,
  exampleLinks,
  json,
  negotiable,
  ref,
  text,
  url,
} from '../openapi/openapi.ts'
import type { RouteSchema } from '../openapi/openapi.ts'
import { format, ifNoneMatch, parameters, strict } from '../openapi/parameters.ts'

export const rootSchema = component(
  'Root',
  'The URLs of the resources.',
  Object.fromEntries(resourceNames.map((name) => [name, url(`The resource \`${name}\`.`)])),
)

const part = (description: string) =>
  Type.Unsafe<object>({ type: 'object', description, additionalProperties: true })

export const openApiSchema = component(
  'OpenApi',
  'An OpenAPI document; only its main parts are named here.',
  {
    openapi: text('Version of the specification.', { pattern: String.raw`^3\.1\.` }),
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
const headers = parameters(ifNoneMatch)

export const getRoot: RouteSchema = {
  operationId: 'getRoot',
  tags: ['Service'],
  summary: 'List the resources',
  querystring: parameters({ strict, format: format() }),
  headers,
  response: {
    '200': negotiated(
      'The URLs of the resources.',
      negotiable(ref(rootSchema), exampleUrls),
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
  querystring: parameters({ strict, format: format() }),
  headers,
  response: {
    '200': negotiated(
      'The document, in one of its two media types.',
      {
        ...json(ref(openApiSchema), exampleDocument),
        ...json(ref(openApiSchema), exampleDocument, mediaTypes.openApi),
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
  querystring: parameters({ strict, format: format(['api']) }),
  headers,
  response: {
    '200': negotiated(
      'The page.',
      { [mediaTypes.html]: { schema: { type: 'string' } } },
      'Ignored-Parameters',
    ),
    ...readErrors,
  },
}
