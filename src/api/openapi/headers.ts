/** Headers of responses. */
import type { Content, HeaderObject, Reference, ResponseObject } from './openapi.ts'

const always = (description: string, example: string): HeaderObject => ({
  description,
  required: true,
  schema: { type: 'string', examples: [example] },
})
const sometimes = (description: string, example: string): HeaderObject => ({
  description,
  schema: { type: 'string', examples: [example] },
})

export const headers = {
  Allow: always('The methods that the resource supports.', 'GET, HEAD, OPTIONS'),
  ETag: sometimes(
    'Weak tag of the state of the catalogue; a request with it in `If-None-Match` gets `304` until something changes.',
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
  'Catalogue-Seq': sometimes(
    'Only with `csv`, `ndjson` and `urls`: the number of the latest change before the first line. Later changes are in the feed; `Link` has its URL with `rel="monitor"`.',
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

/** References to shared headers. */
export function withHeaders(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )
}

/** A response with the headers of all resources that negotiate by `Accept`. */
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
