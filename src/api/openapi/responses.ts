/** Headers and error responses that operations share. */
import type { Content, HeaderObject, Reference, ResponseObject } from './openapi.ts'
import type { Component, Schema } from './schema.ts'
import { component, exampleOf, list, text } from './schema.ts'

/** A header of every response of its kind. */
export const always = (description: string, example: string): HeaderObject => ({
  description,
  required: true,
  schema: { type: 'string', examples: [example] },
})
export const sometimes = (description: string, example: string): HeaderObject => ({
  description,
  schema: { type: 'string', examples: [example] },
})

export const headers = {
  Allow: always('The methods that the resource supports.', 'GET, HEAD, OPTIONS'),
  ETag: sometimes(
    'Weak tag of the state of the catalogue; a request with this tag in `If-None-Match` gets `304` until something changes.',
    'W/"3f0c9a51-72-json-Zk3mQx1a"',
  ),
  Vary: sometimes('The request headers on which the representation depends.', 'Accept'),
  Link: sometimes(
    'Links to other pages (RFC 8288): `first`, `prev`, `next` and `last`, where they exist.',
    '<https://…&limit=20&offset=20>; rel="next"',
  ),
  'Ignored-Parameters': sometimes(
    'The unknown parameters of the request, percent-encoded.',
    'sation, colour',
  ),
  'As-Of': sometimes(
    'The time for which states were computed; absent until the first scan of the archive has ended.',
    '2026-01-22T06:10:00Z',
  ),
  'Not-Current': sometimes(
    'Only while the catalogue does not follow the archive: the reason. States stand still meanwhile.',
    'the indexer is stopped',
  ),
  'Catalogue-Seq': sometimes(
    'The number of the latest change that the page contains; of `csv`, `ndjson` and `urls` that of the latest change before the first line, where `Link` has the URL of the later ones with `rel="monitor"`.',
    '72',
  ),
  'Retry-After': always('Seconds to wait before the next request.', '5'),
  'WWW-Authenticate': always('The authentication scheme.', 'Bearer'),
  Location: always('The URL of the new record.', 'https://…/rinex-file/72/?format=api'),
  'X-Request-Id': always(
    'The id of this request in the log of the service.',
    '6f1c8b7e-0d0f-4f5c-9d5e-0c8f7a3b2a11',
  ),
} satisfies Record<string, HeaderObject>

export type HeaderName = keyof typeof headers

/** Returns references to shared headers. */
export function withHeaders(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )
}

/** A response of a resource that negotiates, with the headers that all of them have. */
export function negotiated(
  description: string,
  content: Content,
  ...more: readonly HeaderName[]
): ResponseObject {
  return {
    description,
    headers: withHeaders('ETag', 'Vary', 'Allow', ...more),
    content,
  }
}

/** @param example by default that of the schema */
export function json(
  schema: Schema,
  example: unknown = exampleOf(schema),
  type = 'application/json',
): Content {
  return { [type]: { schema, example } }
}

/** The content of a response that is JSON or an HTML page, by `Accept`. */
export function negotiable(schema: Schema, example?: unknown): Content {
  return { ...json(schema, example), 'text/html': { schema: text() } }
}

export const detailSchema = component(
  'Detail',
  'An error.',
  { detail: text('The message, for people.') },
  {
    did_you_mean: list(
      'Only with 404 of an unknown station: at most five codes that were probably meant.',
      text(),
    ),
    formats: list('Only with 404 of an unknown `format`: those that the resource has.', text()),
    request_id: text('Only with 5xx: the id of the request in the log of the service.'),
  },
)

const faultsSchema: Component = {
  $id: 'Faults',
  type: 'object',
  description: 'The messages for each invalid parameter or field, all at once.',
  additionalProperties: list('The messages.', text()),
}

const detail = (
  description: string,
  example: string,
  ...names: readonly HeaderName[]
): ResponseObject => ({
  description,
  headers: withHeaders(...names, 'X-Request-Id'),
  content: negotiable(detailSchema, { detail: example }),
})

/** The shared error responses, by their names in `components.responses`. */
export const errorResponses = {
  NotModified: {
    description: 'Not modified: `If-None-Match` contains the current tag. No body.',
    headers: withHeaders('ETag'),
  },
  BadParameters: {
    description:
      'Some parameters have invalid values, or are unknown where unknown parameters are errors.',
    headers: withHeaders('X-Request-Id'),
    content: negotiable(faultsSchema, { data_date__gte: ['Enter a valid date/time.'] }),
  },
  BadBody: {
    description: 'The body is not JSON, or some fields are invalid.',
    headers: withHeaders('X-Request-Id'),
    content: json(
      { anyOf: [faultsSchema, detailSchema] },
      { path: ['There is no such file in the archive.'] },
    ),
  },
  Unauthorized: detail(
    'The request has no token, or a wrong token.',
    'Authentication credentials were not provided.',
    'WWW-Authenticate',
  ),
  Forbidden: detail(
    'Writing is off for everybody, because no administrator token is configured; or the paths of files with problems are not public.',
    'Writing is off: no administrator token is configured.',
  ),
  NotFound: detail('The resource does not exist, or does not have this `format`.', 'Not found.'),
  NotAcceptable: detail(
    '`Accept` allows none of the available media types.',
    'Could not satisfy the request Accept header.',
  ),
  Gone: detail(
    'The feed no longer has the changes after this number, or never used this number: start again with the whole list.',
    'The latest number is 72, which is lower than since: start again with the whole list.',
  ),
  PreconditionFailed: detail(
    '`If-Match` or `If-Unmodified-Since` names another version of the file.',
    'Precondition failed.',
  ),
  TooLarge: detail('The body is too long.', 'Request body is too large'),
  UnsupportedMediaType: detail(
    'The body has another media type than this resource reads.',
    'Unsupported media type "text/plain" in request.',
  ),
  NoHeader: detail(
    'The file has no whole RINEX header within the first 64 KB of its stream, 256 KB of its text.',
    'The file has no whole RINEX header.',
  ),
  TooManyRequests: detail(
    'Too many requests of this kind are in progress: streams, long queries, or requests of one address.',
    'Too many clients are reading the whole list.',
    'Retry-After',
  ),
  Unavailable: detail(
    'Temporarily unavailable: the catalogue, the file or the indexer cannot be reached, the database is being migrated, the index that a query needs is being built, or the query takes longer than two seconds.',
    'The catalogue cannot be read at this moment.',
    'Retry-After',
  ),
  Other: {
    description:
      'All other errors. A method that the path does not support gets `405`, with the supported methods in `Allow`; an internal error gets `500`, with the id of the request in the log.',
    headers: withHeaders('X-Request-Id'),
    content: json(detailSchema, { detail: 'Method "PUT" not allowed.' }),
  },
} satisfies Record<string, ResponseObject>

export type ErrorName = keyof typeof errorResponses

const statuses: Readonly<Record<ErrorName, string>> = {
  NotModified: '304',
  BadParameters: '400',
  BadBody: '400',
  Unauthorized: '401',
  Forbidden: '403',
  NotFound: '404',
  NotAcceptable: '406',
  Gone: '410',
  PreconditionFailed: '412',
  TooLarge: '413',
  UnsupportedMediaType: '415',
  NoHeader: '422',
  TooManyRequests: '429',
  Unavailable: '503',
  Other: 'default',
}

/** Returns references to error responses by status, always with `Other`. */
export function errors(...names: readonly ErrorName[]): Record<string, Reference> {
  return Object.fromEntries(
    [...names, 'Other' as const].map((name) => [
      statuses[name],
      { $ref: `#/components/responses/${name}` },
    ]),
  )
}
