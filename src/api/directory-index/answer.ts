/** Answers requests for directories with their listings. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DirectoryState } from '../../catalogue/records.ts'
import { sendChunks } from '../http/context.ts'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import { notFound } from '../http/errors.ts'
import { pageHeaders } from '../http/headers.ts'
import { formatHttpDate, parseHttpDate } from '../http/conditional-requests.ts'
import { mediaTypes, namedFormat } from '../http/negotiate.ts'
import { listingFormats, listingOf } from './listing.ts'
import type { ListingFormat } from './listing.ts'

/** Answers a request for a directory of the catalogue, given by its path below the root. */
export type DirectoryHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  directory: string,
) => Promise<FastifyReply>

/** Answers with the listing of a directory. */
export function createListings(context: ApiContext): DirectoryHandler {
  const { reader, dataPath, tag, nowUs, limits } = context
  return async (request, reply, directory) => {
    const format = formatOf(request)
    const state = await reader.directory(directory)
    if (state === undefined) throw notFound()
    const version = `${state.epoch}-${state.version}`
    const date = listingDate(state, nowUs())
    const { 'if-none-match': tags, 'if-modified-since': since } = request.headers
    const matches = isFresh(request, reply, tag(version, format.name))
    // If-None-Match takes precedence over If-Modified-Since (RFC 9110, 13.2.2).
    if (matches || (tags === undefined && date.matches(since)))
      return sendNotModified(reply.headers(date.headers))
    const headers = { ...date.headers, ...contentHeaders[format.name] }
    if (request.method === 'HEAD') return reply.headers(headers).send()
    const { turn } = await limits.page(request, reply)
    const path = directory === '' ? dataPath : `${dataPath}${directory}/`
    return sendChunks(reply, headers, listingOf(reader, { directory, path, format, turn }))
  }
}

const contentHeaders = { html: pageHeaders, json: { 'content-type': mediaTypes.json } }

/**
 * Returns JSON if `format` names it, otherwise HTML. `Accept` is ignored, because programs that
 * read listings send any value in it.
 */
function formatOf(request: FastifyRequest): ListingFormat {
  const format = namedFormat(request)
  if (format === undefined) return listingFormats.html
  if (format === 'json') return listingFormats.json
  throw notFound()
}

/**
 * Microseconds after a change until no more changes of the same second become visible. A change
 * gets its time in its transaction, and becomes visible when the transaction is committed, on a
 * busy disk seconds later.
 */
const unsettledUs = 10_000_000

/**
 * The date of a listing is the time of its latest change. Many changes can have the same second.
 * While more of them may become visible, the date is one second earlier and matches nothing, so
 * that no client keeps an outdated listing. Pure.
 */
export function listingDate({ changedUs }: DirectoryState, nowUs: number) {
  if (changedUs === undefined) return { headers: {}, matches: () => false }
  const second = Math.floor(Math.min(changedUs, nowUs) / 1_000_000)
  const isSettled = nowUs - changedUs >= unsettledUs
  return {
    headers: { 'last-modified': formatHttpDate(isSettled ? second : second - 1) },
    /** True if the listing did not change since the `If-Modified-Since` of a client. */
    matches: (text: string | undefined) => isSettled && parseHttpDate(text ?? '') === second,
  }
}
