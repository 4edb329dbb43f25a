/**
 * The dependencies that routes share, the links and tags of responses, and functions that send
 * responses.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Asker } from '../../catalogue/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import type { ApiDeps } from './settings.ts'
import { digest, weakTag } from './conditional-requests.ts'
import { pageHeaders } from './headers.ts'
import { linksBelow } from './links.ts'
import type { Links } from './links.ts'
import { contentType } from './negotiate.ts'
import type { Format } from './negotiate.ts'

/** A request that counts in the limits of its client. */
export interface Requester extends Asker {
  /**
   * Waits for the client's turn. In each tick of the event loop one turn begins, so that short
   * requests are answered between two. Work that takes milliseconds is done in a turn, also after
   * an answer for which many requests may have waited together.
   * @throws HttpError 429 when the client has left
   */
  readonly turn: () => Promise<void>
}

/**
 * Limits the concurrent requests of one client, and the pages of all clients. Each method throws
 * `HttpError` 429 at a limit.
 */
export interface RequestLimits {
  /**
   * Waits until a page may be made for this client, for a limited time. The page begins in a turn,
   * and counts until its response ends.
   */
  page(request: FastifyRequest, reply: FastifyReply): Promise<Requester>
  /** Counts a stream until its response ends. */
  stream(request: FastifyRequest, reply: FastifyReply): Requester
  /** Counts a long poll until its response ends. */
  wait(request: FastifyRequest, reply: FastifyReply): Requester
}

/** The dependencies of routes; each route takes the part that it needs. */
export interface ApiContext extends ApiDeps {
  readonly limits: RequestLimits
  /** Path of the API, with a trailing slash. */
  readonly apiPath: string
  readonly dataPath: string
  readonly links: () => Links
  /**
   * The weak `ETag` of a representation at a state of the catalogue. It also contains a digest of
   * the release, the base URL, the dataset prefix and `checksums`, because they change the
   * responses.
   * @param options.details true if the response depends on the details of files
   */
  readonly tag: (
    state: Head | string,
    format: Format,
    options?: { readonly details?: boolean },
  ) => string
}

export function apiContext(deps: ApiDeps, limits: RequestLimits): ApiContext {
  const { baseUrl, datasetPrefix, version, checksums } = deps.settings
  // The base URL is known only when the server listens, so links are computed on first use.
  let cached: { base: string; links: Links; deployment: string } | undefined
  const current = () => {
    const base = baseUrl()
    if (cached?.base !== base) {
      const deployment = digest([version, base, datasetPrefix, checksums].join('\n')).slice(0, 8)
      cached = { base, links: linksBelow(base, datasetPrefix), deployment }
    }
    return cached
  }
  return {
    ...deps,
    limits,
    apiPath: `/${datasetPrefix}/api/`,
    dataPath: `/${datasetPrefix}/data/`,
    links: () => current().links,
    tag: (state, format, { details = false } = {}) => {
      const parts = typeof state === 'string' ? [state] : [state.epoch, state.seq]
      if (details && typeof state !== 'string') parts.push(`d${state.detailsSeq}`)
      return weakTag([...parts, format, current().deployment])
    },
  }
}

/** Sends a body in one of the formats: as text, or JSON as a value. */
export function send(reply: FastifyReply, format: Format, body: unknown): FastifyReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  reply.headers(format === 'html' ? pageHeaders : { 'content-type': contentType(format) })
  // The text is sent as a buffer, because Fastify appends a charset to the media type of a string.
  return reply.send(Buffer.from(text))
}

/**
 * Sends a body that is made in chunks. The first chunk is made before the headers are set, so that
 * its failure is answered like that of any other request. A later failure closes the connection, so
 * that the client does not take a part for the whole body.
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
