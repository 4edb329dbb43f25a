/** Headers that hold for whole kinds of answers. No HSTS: whether there is TLS in front is not ours to know. */

/** What a script of another origin may see of an answer besides its body. */
const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Catalogue-Seq',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Ignored-Parameters',
  'Link',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
]

/**
 * Of every answer. What is no page has nothing to load, and what is no page is not to be taken for one. Scripts of any
 * origin may read (Fetch standard, 3.2, "CORS protocol").
 */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
} as const

/** Of the answer to a script that asks for leave: to read, since nobody may write from another origin. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': [
    'Accept',
    'If-Modified-Since',
    'If-None-Match',
    'If-Range',
    'Last-Event-ID',
    'Range',
  ].join(', '),
  /** Seconds. */
  'access-control-max-age': '86400',
} as const

/** Pages load our stylesheet and nothing else, and there is nothing in them to run or to fill in. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** So many are named, and no name is longer: proxies hold the headers of an answer in a few kilobytes. */
const most = { names: 20, characters: 64 }

/** Names the parameters that had no effect, as DRF would leave it to be found out. */
export function ignoredHeader(parameters: readonly string[]): Readonly<Record<string, string>> {
  const names = parameters.slice(0, most.names).map(encode)
  const told = names.filter((name) => name !== '')
  return told.length === 0 ? {} : { 'ignored-parameters': told.join(', ') }
}

/** A name is the client's, and a header holds no control characters. */
function encode(name: string): string {
  // Half of a surrogate pair has no encoding.
  const encoded = encodeURIComponent(name.replace(/[\uD800-\uDFFF]/gu, ''))
  return encoded.slice(0, most.characters).replace(/%.?$/, '')
}
