import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFresh, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { pageHeaders } from '../http/headers.ts'
import { mediaTypes, namedFormat } from '../http/negotiate.ts'
import { buildListing } from './build.ts'
import { listingFormats } from './formats.ts'
import type { ListingFormat } from './formats.ts'
import type { ByteQuota } from './byte-quota.ts'
import type { ListingCache } from './cache.ts'
import { dateOf } from './validators.ts'

/** What holds finished bodies, and lets them be made and sent, for all that is told of directories. */
export interface ListingParts {
  readonly cache: ListingCache
  readonly byteQuota: ByteQuota
}

export type ListingsContext = Pick<ApiContext, 'reader' | 'dataPath' | 'tag' | 'nowUs'>

export type AnswerListing = (
  request: FastifyRequest,
  reply: FastifyReply,
  directory: string,
) => Promise<FastifyReply>

/** Answers with the listing of a directory of the catalogue, given by its path below the root. */
export function openListings(
  { reader, dataPath, tag, nowUs }: ListingsContext,
  { cache, byteQuota }: ListingParts,
): AnswerListing {
  return async (request, reply, directory) => {
    const format = formatOf(request)
    const state = await reader.directory(directory)
    if (state === undefined) throw notFound()
    const version = `${state.epoch}-${state.version}`
    const date = dateOf(state, nowUs())
    const { 'if-none-match': tags, 'if-modified-since': since } = request.headers
    const isKnown = isFresh(request, reply, tag(version, format.name))
    // A client that names tags is asked by these alone (RFC 9110, 13.2.2).
    if (isKnown || (tags === undefined && date.isKnown(since)))
      return sendNotModified(reply.headers({ ...validity, ...date.headers }))
    const path = directory === '' ? dataPath : `${dataPath}${directory}/`
    const body = await cache.get(`${format.name} ${directory}`, version, () =>
      buildListing(reader, { directory, path, format }),
    )
    if (request.method !== 'HEAD') byteQuota.take(reply, body)
    return reply
      .headers({ ...validity, ...date.headers, ...contentHeaders[format.name] })
      .send(body)
  }
}

const validity = { 'cache-control': 'no-cache' }

const contentHeaders = { html: pageHeaders, json: { 'content-type': mediaTypes.json } }

/** A page for everybody who does not ask by name: programs that read listings accept anything. */
function formatOf(request: FastifyRequest): ListingFormat {
  const format = namedFormat(request)
  if (format === undefined) return listingFormats.html
  if (format === 'json') return listingFormats.json
  throw notFound()
}
