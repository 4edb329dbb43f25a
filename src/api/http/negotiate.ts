/**
 * Content negotiation (RFC 9110, 12.5.1) between the formats that a resource has. The parameter
 * `format` decides; without it, or with `format=api`, the header `Accept` decides.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressedVary } from './compression.ts'
import { HttpError, notFound } from './errors.ts'
import { lastValue } from './query.ts'
import type { Query } from './query.ts'

/** All formats, by their values of `format`, with their media types. */
export const mediaTypes = {
  json: 'application/json',
  /** Only `Accept` chooses a page. */
  html: 'text/html',
  csv: 'text/csv',
  txt: 'text/plain',
  urls: 'text/plain',
  ndjson: 'application/x-ndjson',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml',
  /** Only `Accept` chooses an event stream. */
  events: 'text/event-stream',
  /** The second media type of the OpenAPI document; only `Accept` chooses it. */
  openApi: 'application/vnd.oai.openapi+json',
} as const
export type Format = keyof typeof mediaTypes

/** True if the parameter `format` can name a format. */
export function isNamed(format: Format): boolean {
  return !['html', 'events', 'openApi'].includes(format)
}

/** The formats that are text have a charset. */
export function contentType(format: Format): string {
  const type = mediaTypes[format]
  return type.startsWith('text/') && format !== 'events' ? `${type}; charset=utf-8` : type
}

/** The value of `format`; `undefined` when `Accept` decides. */
export function namedFormat({ query }: FastifyRequest): string | undefined {
  // A request whose path cannot be decoded has no query.
  const format = lastValue((query ?? {}) as Query, 'format') ?? ''
  return format === '' || format === 'api' ? undefined : format
}

/**
 * Chooses one of the formats of a resource, and names in `Vary` what the choice depends on. JSON
 * and events are not compressed, so only other formats vary with `Accept-Encoding`.
 * @param formats the first one is for clients that accept several equally
 * @throws HttpError 404 for an unknown format, 406 when the client accepts none of them
 */
export function negotiate<Name extends Format>(
  formats: readonly Name[],
  request: FastifyRequest,
  reply: FastifyReply,
): Name {
  const named = namedFormat(request)
  const chosen =
    named === undefined
      ? preferredFormat(formats, request.headers.accept)
      : formats.find((name) => name === named && isNamed(name))
  if (chosen === undefined && named !== undefined) throw notFound()
  if (chosen === undefined) throw new HttpError(406, 'Could not satisfy the request Accept header.')
  if (chosen !== 'json' && chosen !== 'events') reply.header('vary', compressedVary)
  return chosen
}

/** True if the client prefers HTML to JSON and `format` names no format. */
export function prefersHtml(request: FastifyRequest): boolean {
  return (
    namedFormat(request) === undefined &&
    preferredFormat(['json', 'html'], request.headers.accept) === 'html'
  )
}

/**
 * The format whose media type has the highest quality; on a tie the one that is named most exactly,
 * then the first. An event stream must be named, and then comes before the others, because it never
 * ends. Parameters in `Accept` (`application/json; charset=utf-8`, `;indent=4`) are ignored.
 */
export function preferredFormat<Name extends Format>(
  formats: readonly Name[],
  accept: string | undefined,
): Name | undefined {
  if (accept === undefined || accept.trim() === '') return formats[0]
  const ranges = accept.split(',').map(parseMediaRange)
  const accepted = formats
    .map((format) => ({ format, ...preferenceOf(mediaTypes[format], ranges) }))
    .filter(({ format, quality, exactness }) =>
      format === 'events' ? quality > 0 && exactness === 2 : quality > 0,
    )
    .sort(
      (a, b) =>
        b.quality - a.quality ||
        Number(b.format === 'events') - Number(a.format === 'events') ||
        b.exactness - a.exactness,
    )
  return accepted[0]?.format
}

interface MediaRange {
  readonly type: string
  readonly quality: number
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
