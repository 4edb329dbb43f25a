/**
 * The formats of answers, and which one a client gets (RFC 9110, 12.5.1). The parameter `format`
 * decides; without it, or with `format=api`, `Accept` decides.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'

/** All formats, by their values of `format`, with their media types. */
export const mediaTypes = {
  json: 'application/json',
  /** Only `Accept` chooses a page. */
  html: 'text/html',
  csv: 'text/csv',
  txt: 'text/plain',
  urls: 'text/plain',
  ndjson: 'application/x-ndjson',
  geojson: 'application/geo+json',
  /** The second media type of the OpenAPI document; only `Accept` chooses it. */
  openApi: 'application/vnd.oai.openapi+json',
} as const
export type Format = keyof typeof mediaTypes

/** True if the parameter `format` can name a format. */
export function isNamed(format: Format): boolean {
  return !['html', 'openApi'].includes(format)
}

/** The formats that are text have a charset. */
export function contentType(format: Format): string {
  const type = mediaTypes[format]
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/** 404 for a format that a resource does not have. */
export class UnknownFormat extends HttpError {
  /** The formats that it has. */
  readonly formats: readonly Format[]
  override readonly further: object

  constructor(formats: readonly Format[]) {
    super(404, 'Not found.')
    this.formats = formats
    this.further = { formats: formats.filter(isNamed) }
  }
}

/** The value of `format`; `undefined` when `Accept` decides. */
export function namedFormat({ query }: FastifyRequest): string | undefined {
  // A request whose path cannot be decoded has no query.
  const { format: given } = (query ?? {}) as { readonly format?: string | readonly string[] }
  // The last value counts, as for every parameter.
  const format = [given].flat().at(-1) ?? ''
  return format === '' || format === 'api' ? undefined : format
}

/** The `Vary` header of responses that may be compressed. */
export const compressedVary = 'Accept, Accept-Encoding'

/**
 * Chooses a format, and names in `Vary` what the choice depends on: formats that are compressed
 * vary with `Accept-Encoding` too.
 * @param formats the first is for clients that accept several equally
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
  if (chosen === undefined && named !== undefined) throw new UnknownFormat(formats)
  if (chosen === undefined) throw new HttpError(406, 'Could not satisfy the request Accept header.')
  if (chosen !== 'json') reply.header('vary', compressedVary)
  return chosen
}

/** True if the client prefers HTML to JSON and `format` names no format. */
export function prefersHtml(request: FastifyRequest): boolean {
  return (
    namedFormat(request) === undefined &&
    preferredFormat(['json', 'html'], request.headers.accept) === 'html'
  )
}

/** The format of the highest quality; on a tie the one named most exactly, then the first. */
export function preferredFormat<Name extends Format>(
  formats: readonly Name[],
  accept: string | undefined,
): Name | undefined {
  if (accept === undefined || accept.trim() === '') return formats[0]
  const ranges = accept.split(',').map(parseMediaRange)
  const accepted = formats
    .map((format) => ({ format, ...preferenceOf(mediaTypes[format], ranges) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || b.exactness - a.exactness)
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
