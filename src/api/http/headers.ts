/**
 * Headers that many responses have. HSTS is left to the web server in front, which knows if clients
 * use TLS.
 */

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
 * Headers of every response, except those to requests that are not valid HTTP. Only HTML pages may
 * load other resources, and browsers may not guess media types. Scripts of any origin may read the
 * response (Fetch standard, 3.2, "CORS protocol"). Caches must revalidate it, unless its route sets
 * another `Cache-Control`.
 */
export const commonHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
} as const

/**
 * Headers of the response to a CORS preflight: scripts of other origins may read, but not write.
 */
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
  /** Seconds for which browsers may cache the preflight. */
  'access-control-max-age': '86400',
} as const

/**
 * Headers of HTML pages: they load stylesheets, scripts and images only from this server, and
 * images from `data:` URLs. Their forms and requests reach only this server.
 */
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
