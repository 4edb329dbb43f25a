/** Headers that hold for whole kinds of answers. No HSTS: whether there is TLS in front is not ours to know. */

/** Of every answer. What is no page has nothing to load, and what is no page is not to be taken for one. */
export const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
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

/** What a script of another origin may send and read: anyone may read, nobody may write from there. */
export const crossOrigin = {
  origin: '*',
  methods: ['GET', 'HEAD', 'OPTIONS'],
  allowedHeaders: [
    'Accept',
    'If-Modified-Since',
    'If-None-Match',
    'If-Range',
    'Last-Event-ID',
    'Range',
  ],
  exposedHeaders: [
    'Accept-Ranges',
    'Allow',
    'Catalogue-Seq',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'Ignored-Parameters',
    'Link',
    'Retry-After',
    'X-Request-Id',
  ],
  /** Seconds. */
  maxAge: 86400,
}
