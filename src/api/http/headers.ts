/** Headers of many responses. HSTS is left to the web server, which knows if clients use TLS. */

export type HeaderFields = Readonly<Record<string, string>>

/** Response headers that scripts of other origins may read. */
const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'As-Of',
  'Catalogue-Seq',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Ignored-Parameters',
  'Link',
  'Not-Current',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
]

/**
 * Headers of every response to valid HTTP. Only pages may load other resources; browsers may not
 * guess media types; scripts of any origin may read; caches must revalidate.
 */
export const commonHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
} as const

/** Headers of the response to a CORS preflight: scripts may read, but not write. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': [
    'Accept',
    'Catalogue-Seq',
    'If-Modified-Since',
    'If-None-Match',
    'If-Range',
    'Range',
  ].join(', '),
  /** Seconds for which browsers may cache the preflight. */
  'access-control-max-age': '86400',
} as const

/** Pages load and send only from and to this server, besides images from `data:` URLs. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const
