/**
 * Content negotiation between JSON and HTML (RFC 9110, 12.5.1). The parameter `format` decides;
 * without it, or with `format=api`, the header `Accept` decides.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary } from './compression.ts'
import { HttpError, notFound } from './errors.ts'
import { lastValue } from './query.ts'
import type { Query } from './query.ts'

export type Representation = 'json' | 'html'

/** Media types of JSON, HTML pages, event streams, Atom feeds and the OpenAPI document. */
export const mediaTypes = {
  json: 'application/json',
  html: 'text/html',
  events: 'text/event-stream',
  atom: 'application/atom+xml',
  openApi: 'application/vnd.oai.openapi+json',
} as const

interface MediaRange {
  readonly type: string
  readonly quality: number
}

/** The value of `format`; `undefined` when `Accept` decides. */
export function namedFormat({ query }: FastifyRequest): string | undefined {
  // A request whose path cannot be decoded has no query.
  const format = lastValue((query ?? {}) as Query, 'format') ?? ''
  return format === '' || format === 'api' ? undefined : format
}

/**
 * Chooses JSON or HTML by `format` and `Accept`.
 * @throws HttpError 404 for an unknown format, 406 when the client accepts neither JSON nor HTML
 */
export function negotiate(request: FastifyRequest, reply: FastifyReply): Representation {
  const format = namedFormat(request)
  if (format === 'json') return 'json'
  if (format !== undefined) throw notFound()
  const preferred = preferredRepresentation(request.headers.accept)
  if (preferred === undefined) throw notAcceptable()
  if (preferred === 'html') reply.header('vary', compressedVary)
  return preferred
}

/** True if the client prefers HTML and `format` names no format. */
export function prefersHtml(request: FastifyRequest): boolean {
  return (
    namedFormat(request) === undefined && preferredRepresentation(request.headers.accept) === 'html'
  )
}

function notAcceptable(): HttpError {
  return new HttpError(406, 'Could not satisfy the request Accept header.')
}

/**
 * Returns the format that `format` names, if it is one of `names`; otherwise chooses like
 * `negotiate`.
 */
export function negotiateFormat<Name extends string>(
  names: readonly Name[],
  request: FastifyRequest,
  reply: FastifyReply,
): Name | Representation {
  const named = names.find((name) => name === namedFormat(request))
  return named ?? negotiate(request, reply)
}

/**
 * HTML for a client that prefers it, JSON otherwise; `undefined` when it accepts neither.
 * Parameters in `Accept` (`application/json; charset=utf-8`, `;indent=4`) are ignored.
 */
export function preferredRepresentation(accept: string | undefined): Representation | undefined {
  if (accept === undefined || accept.trim() === '') return 'json'
  const best = bestOf([mediaTypes.json, mediaTypes.html], accept)
  if (best === undefined) return undefined
  return best === mediaTypes.html ? 'html' : 'json'
}

/**
 * The media type with the highest quality; on a tie the one that is named most exactly, then the
 * first.
 */
function bestOf(types: readonly string[], accept: string): string | undefined {
  const ranges = accept.split(',').map(parseMediaRange)
  const accepted = types
    .map((type) => ({ type, ...preferenceOf(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || b.exactness - a.exactness)
  return accepted[0]?.type
}

/**
 * Chooses the media type that `Accept` prefers (see `bestOf`), for responses that may be
 * compressed. `format=json` chooses JSON if it is the first type.
 * @throws HttpError 404 for an unknown format, 406 when the client accepts none of the types
 */
export function negotiateAmong(
  types: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  reply.header('vary', compressedVary)
  const [first = ''] = types
  const format = namedFormat(request)
  if (format === 'json' && first === mediaTypes.json) return first
  if (format !== undefined) throw notFound()
  const { accept } = request.headers
  if (accept === undefined || accept.trim() === '') return first
  const best = bestOf(types, accept)
  if (best === undefined) throw notAcceptable()
  return best
}

/**
 * True if `Accept` names `text/event-stream` with at least the quality of JSON and HTML, and
 * `format` names no format. Only the change feed has event streams.
 */
export function prefersEvents(request: FastifyRequest): boolean {
  if (namedFormat(request) !== undefined) return false
  const ranges = (request.headers.accept ?? '').split(',').map(parseMediaRange)
  if (!ranges.some(({ type }) => type === mediaTypes.events)) return false
  const qualityOf = (type: string): number => preferenceOf(type, ranges).quality
  const others = [mediaTypes.json, mediaTypes.html].map(qualityOf)
  const events = qualityOf(mediaTypes.events)
  return events > 0 && events >= Math.max(...others)
}

function parseMediaRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
  const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf('=') + 1))
  // Java's HTTP client sends `*` for `*/*`.
  return { type: type === '*' ? '*/*' : type, quality: quality > 0 ? Math.min(quality, 1) : 0 }
}

/** Quality and exactness of the most exact range that covers a media type; 0 when none does. */
function preferenceOf(mediaType: string, ranges: readonly MediaRange[]) {
  const anySubtype = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`
  let best = { quality: 0, exactness: 0 }
  for (const [exactness, wanted] of ['*/*', anySubtype, mediaType].entries()) {
    const covering = ranges.filter(({ type }) => type === wanted)
    if (covering.length > 0)
      best = { quality: Math.max(...covering.map(({ quality }) => quality)), exactness }
  }
  return best
}
