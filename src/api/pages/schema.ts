/** The root, and where the service describes itself. */
import Type from 'typebox'
import { resourceNames, resourceUrl } from '../http/links.ts'
import { mediaTypes } from '../http/negotiate.ts'
import { errors } from '../openapi/errors.ts'
import { negotiated } from '../openapi/headers.ts'
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
import { format, ifNoneMatch, parameters } from '../openapi/parameters.ts'

export const rootSchema = component(
  'Root',
  'The resources of the service, each with its URL.',
  Object.fromEntries(resourceNames.map((name) => [name, url(`The resource \`${name}\`.`)])),
)

const part = (description: string) =>
  Type.Unsafe<object>({ type: 'object', description, additionalProperties: true })

export const openApiSchema = component(
  'OpenApi',
  'A description as the OpenAPI Specification has it; only its main parts are named here.',
  {
    openapi: text('Version of the specification.', { pattern: String.raw`^3\.1\.` }),
    info: part('What is described.'),
    paths: part('The resources.'),
    components: part('What they have in common.'),
  },
)

const { api } = exampleLinks
const exampleUrls = Object.fromEntries(
  resourceNames.map((name) => [name, resourceUrl(exampleLinks, name)]),
)
const exampleDocument = { openapi: '3.1.1', info: {}, paths: {}, components: {} }
const unlessErrors = errors('NotModified', 'NotFound', 'NotAcceptable')
const headers = parameters(ifNoneMatch)

export const getRoot: RouteSchema = {
  operationId: 'getRoot',
  tags: ['Service'],
  summary: 'What there is',
  querystring: parameters({ format: format() }),
  headers,
  response: {
    '200': negotiated('The resources.', negotiable(ref(rootSchema), exampleUrls)),
    ...unlessErrors,
  },
  'x-codeSamples': [curl(api)],
}

export const getSchema: RouteSchema = {
  operationId: 'getSchema',
  tags: ['Service'],
  summary: 'This description',
  querystring: parameters({ format: format() }),
  headers,
  response: {
    '200': negotiated('The description, under either of its media types.', {
      ...json(ref(openApiSchema), exampleDocument),
      ...json(ref(openApiSchema), exampleDocument, mediaTypes.openApi),
    }),
    ...unlessErrors,
  },
  'x-codeSamples': [curl(`${api}schema/`)],
}

export const getDocs: RouteSchema = {
  operationId: 'getDocs',
  tags: ['Service'],
  summary: 'This description as a page',
  headers,
  response: {
    '200': negotiated('The page.', { [mediaTypes.html]: { schema: { type: 'string' } } }),
    ...unlessErrors,
  },
}
