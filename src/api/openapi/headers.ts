/** Headers of answers that say more than HTTP itself does. */
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
  Allow: always('The methods that the resource knows.', 'GET, HEAD, OPTIONS'),
  ETag: sometimes(
    'Weak tag of this state of the catalogue; `If-None-Match` with it is answered `304` until something changes.',
    'W/"3f0c9a51-72-json-Zk3mQx1a"',
  ),
  Vary: sometimes('Which header of the request the representation depends on.', 'Accept'),
  Link: sometimes(
    'The pages around this one (RFC 8288): `first`, `prev`, `next` and `last`, as far as there are any.',
    '<https://…&limit=20&offset=20>; rel="next"',
  ),
  'Ignored-Parameters': sometimes(
    'The parameters of the request that mean nothing here, percent-encoded.',
    'sation, colour',
  ),
  'Catalogue-Seq': sometimes(
    'Of `csv`, `ndjson` and `urls`: the number of the latest change before the first line. Changes since then are in the feed, to which a link with `rel="monitor"` leads.',
    '72',
  ),
  'Retry-After': always('Seconds after which to ask again.', '5'),
  'WWW-Authenticate': always('How to show who you are.', 'Bearer'),
  Location: always('Where the new record is.', 'https://…/rinex-file/72/?format=api'),
  'X-Request-Id': always(
    'The id of this request in the log of the service.',
    '6f1c8b7e-0d0f-4f5c-9d5e-0c8f7a3b2a11',
  ),
} satisfies Record<string, HeaderObject>

export type HeaderName = keyof typeof headers

/** References to some of them. */
export function withHeaders(...names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )
}

/** An answer with the headers of all that depends on `Accept`. */
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
