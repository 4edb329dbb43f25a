/**
 * The formats of answers: negotiation (RFC 9110, 12.5.1), compression, CSV, and the functions that
 * send them. The parameter `format` decides; without it, or with `format=api`, `Accept` decides.
 */
import { pipeline, Readable } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'
import { pageHeaders } from './headers.ts'
import { Semaphore } from './limits.ts'

/** All formats, by their values of `format`, with their media types. */
export const mediaTypes = {
  json: 'application/json',
  /** Only `Accept` chooses a page. */
  html: 'text/html',
  csv: 'text/csv',
  txt: 'text/plain',
  urls: 'text/plain',
  ndjson: 'application/x-ndjson',
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

/** Writes a table: a header line, then one line for each row. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [columns, ...rows].map((row) => `${row.map(csvValue).join(',')}\r\n`).join('')
}

/** Quotes a value where needed; null is empty. */
export function csvValue(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The `Vary` header of responses that may be compressed. */
export const compressedVary = 'Accept, Accept-Encoding'

/** Bytes of the shortest response that is compressed; a shorter one would save no packet. */
const leastBytes = 1024

/** Maximum number of responses that are compressed at the same time; further ones are not. */
const maxCompressing = 2

/** Compressors by content coding, in the order of our preference. */
const compressors = {
  br: () =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        // 512 KiB: larger windows take megabytes of memory and make lists hardly smaller.
        [constants.BROTLI_PARAM_LGWIN]: 19,
      },
    }),
  gzip: () => createGzip({ level: 5 }),
} as const

type Encoding = keyof typeof compressors
const encodings = Object.keys(compressors) as Encoding[]

/** Registers the hook that compresses responses; `@fastify/accepts` has to be registered before. */
export function compressAnswers(app: FastifyInstance): void {
  const permits = new Semaphore({ permits: maxCompressing })
  app.addHook('onSend', (request, reply, payload, done) => {
    const encoding = encodingOf(request, reply)
    const isWorthIt = payload instanceof Readable || sizeOf(payload) >= leastBytes
    if (encoding === undefined || !isWorthIt || !permits.tryAcquire()) {
      done(null, payload)
      return
    }
    reply.header('content-encoding', encoding).removeHeader('content-length')
    const body = payload instanceof Readable ? payload : Readable.from([payload])
    const compressed = pipeline(body, compressors[encoding](), () => {
      permits.release()
    })
    done(null, compressed)
  })
}

/** The best coding that the client accepts, if the response may be compressed. */
function encodingOf(request: FastifyRequest, reply: FastifyReply): Encoding | undefined {
  if (reply.getHeader('vary')?.toString().includes('Accept-Encoding') !== true) return undefined
  const liked = request.encoding([...encodings, 'identity'])
  return encodings.find((each) => each === liked)
}

function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
}

/** Sends a text in one of the formats. */
export function send(reply: FastifyReply, format: Format, text: string): FastifyReply {
  reply.headers(format === 'html' ? pageHeaders : { 'content-type': contentType(format) })
  // The text is sent as a buffer, because Fastify appends a charset to the media type of a string.
  return reply.send(Buffer.from(text))
}

/** Sends a client elsewhere. The framework gives a HEAD no length of its own. */
export function sendElsewhere(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers({ location, 'content-length': '0' }).send()
}

export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return send(reply, 'json', JSON.stringify(value))
}

/**
 * Sends a body in chunks. The first one is made before the headers are set, so that its failure
 * gets an answer. A later one closes the connection: no client takes a part for the whole.
 */
export async function sendChunks(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncGenerator<Buffer>,
): Promise<FastifyReply> {
  const first = await chunks.next()
  const all = first.done === true ? chunks : startingWith(first.value, chunks)
  return reply.headers(headers).send(Readable.from(all, { objectMode: false }))
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>) {
  yield first
  yield* rest
}
