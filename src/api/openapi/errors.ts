/** Every answer that is not the one asked for. */
import { withHeaders } from './headers.ts'
import type { HeaderName } from './headers.ts'
import Type from 'typebox'
import { json, list, negotiable, object, schemaRef, text } from './openapi.ts'
import type { Reference, ResponseObject } from './openapi.ts'

export const errorSchemas = {
  Detail: object('What is wrong, in words.', {
    detail: text('For people to read.'),
    request_id: Type.Optional(text('Of a failure of ours: under this id the log tells more.')),
  }),
  Faults: {
    type: 'object',
    description: 'For each parameter or field that is wrong, what is wrong with it: all at once.',
    additionalProperties: list('Messages.', Type.String()),
  },
} as const

const detail = (
  description: string,
  example: string,
  ...names: readonly HeaderName[]
): ResponseObject => ({
  description,
  headers: withHeaders(...names, 'X-Request-Id'),
  content: json(schemaRef('Detail'), { detail: example }),
})

/** By the name under which the description shares them. */
export const errorResponses = {
  NotModified: {
    description: 'The client has this state already: `If-None-Match` names its tag. No body.',
    headers: withHeaders('ETag'),
  },
  BadParameters: {
    description:
      'Some parameters have values that make no sense, or mean nothing where that is refused.',
    headers: withHeaders('X-Request-Id'),
    content: negotiable(schemaRef('Faults'), { data_date__gte: ['Enter a valid date/time.'] }),
  },
  BadBody: {
    description: 'The body is no JSON, or some of its fields are wrong.',
    headers: withHeaders('X-Request-Id'),
    content: json(
      { anyOf: [schemaRef('Faults'), schemaRef('Detail')] },
      { path: ['There is no such file in the archive.'] },
    ),
  },
  Unauthorized: detail(
    'No token came with the request, or a wrong one.',
    'Authentication credentials were not provided.',
    'WWW-Authenticate',
  ),
  Forbidden: detail(
    'Writing is off, for everybody: the service has no administrator.',
    'Writing is off: no administrator token is configured.',
  ),
  NotFound: detail('There is no such thing, or no such `format` of it.', 'Not found.'),
  NotAcceptable: detail(
    '`Accept` allows nothing that there is.',
    'Could not satisfy the request Accept header.',
  ),
  Gone: detail(
    'The feed cannot tell any more what came after this number, or never gave it: start again with the whole list.',
    'The latest number is 72, a later one was not given here: start again with the whole list.',
  ),
  PreconditionFailed: detail(
    '`If-Match` or `If-Unmodified-Since` asks for another version of the file.',
    'Precondition failed.',
  ),
  TooLarge: detail('The body is longer than any that makes sense.', 'Request body is too large'),
  UnsupportedMediaType: detail(
    'The body is not `application/json`.',
    'Unsupported media type "text/plain" in request.',
  ),
  TooManyRequests: detail(
    'Too many requests of this kind are in progress: streams, long queries, or those of one address.',
    'Too many clients are reading the whole list.',
    'Retry-After',
  ),
  Unavailable: detail(
    'Not at this moment, but soon: the catalogue, the file or the indexer cannot be reached, the database is being migrated, the index that a query needs is being built, or the query takes longer than two seconds.',
    'The catalogue cannot be read at this moment.',
    'Retry-After',
  ),
  Bodiless: {
    description: 'The status that `GET` has. No body.',
    headers: withHeaders('X-Request-Id'),
  },
  Other: {
    description:
      'Anything else. A method that the path does not know is `405`, with those that it knows in `Allow`; a failure of ours is `500`, with the id under which the log tells more.',
    headers: withHeaders('X-Request-Id'),
    content: json(schemaRef('Detail'), { detail: 'Method "PUT" not allowed.' }),
  },
} satisfies Record<string, ResponseObject>

type ErrorName = Exclude<keyof typeof errorResponses, 'Bodiless'>

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
  TooManyRequests: '429',
  Unavailable: '503',
  Other: 'default',
}

/** The errors of an operation, by status; `Other` is one of all. */
export function errors(...names: readonly ErrorName[]): Record<string, Reference> {
  return Object.fromEntries(
    [...names, 'Other' as const].map((name) => [
      statuses[name],
      { $ref: `#/components/responses/${name}` },
    ]),
  )
}
