/** The list of files and its single records. */
import { Readable } from 'node:stream'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { openAuthentication } from '../admin/authentication.ts'
import { compressedVary } from '../http/compression.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../http/context.ts'
import type { ApiContext } from '../http/context.ts'
import { badFields, notFound } from '../http/errors.ts'
import { changesUrl } from '../http/links.ts'
import { ignoredHeader } from '../http/headers.ts'
import { makePage, openPageCache } from './list.ts'
import type { ListContext } from './list.ts'
import { readExpand, serialiseRecord } from './serialise.ts'
import { dependsOnDetails, parseListRequest } from './list-request.ts'
import { parseStreamRequest, lineFormats, listLines } from './stream.ts'
import { mediaTypes, namedFormat, negotiate } from '../http/negotiate.ts'
import { renderRecord } from './page.ts'
import type { Query } from '../http/query.ts'
import { registerFile } from './register.ts'
import type { RegisterContext } from './register.ts'
import { addResource } from '../http/resource.ts'
import { Semaphore } from '../http/semaphore.ts'

/** Most lists that are streamed at the same time: each keeps the others, and everybody else, waiting for its chunks. */
const mostStreams = 50

/** Chunks of all streams that are made at the same time: others are served after each, however many streams begin at once. */
const chunksAtATime = 1

type FilesContext = ListContext &
  RegisterContext &
  Pick<ApiContext, 'apiPath' | 'reader' | 'links' | 'tag' | 'limits'>

export function addRinexFile(app: FastifyInstance, context: FilesContext): void {
  const path = `${context.apiPath}rinex-file/`
  addResource(app, {
    path,
    get: streamFiles(context, listFiles(context)),
    post: {
      authenticate: openAuthentication(context.administration),
      handler: registerFile(context),
    },
    renders: [
      mediaTypes.json,
      mediaTypes.html,
      ...[...lineFormats.values()].map(({ mediaType }) => mediaType.replace(/;.*/, '')),
    ],
    about: {
      name: 'Rinex File List',
      description: 'The RINEX files of the archive, the newest record first, a page at a time.',
    },
  })
  addResource(app, {
    path: `${path}:id(^[0-9]+$)/`,
    get: showFile(context),
    about: { name: 'Rinex File Instance', description: 'One RINEX file of the archive.' },
  })
}

/** Streams the whole list where a format of lines is asked for, and leaves other requests to the next handler. */
function streamFiles(
  { reader, links, limits }: FilesContext,
  next: RouteHandlerMethod,
): RouteHandlerMethod {
  const streams = new Semaphore({
    permits: mostStreams,
    queue: 0,
    full: 'Too many clients are reading the whole list.',
  })
  const chunks = new Semaphore({ permits: chunksAtATime })
  return async function (request, reply) {
    const format = lineFormats.get(namedFormat(request) ?? '')
    if (format === undefined) return next.call(this, request, reply)
    const asked = parseStreamRequest(request.query as Query)
    if (request.method !== 'HEAD') {
      limits.stream(request, reply)
      streams.holdFor(reply)
    }
    // Before the first line: what moves while the list is read comes again in the changes from there.
    const { epoch, seq } = await reader.head()
    const feed = changesUrl(links(), [
      ['epoch', epoch],
      ['since', String(seq)],
    ])
    reply.headers({
      'content-type': format.mediaType,
      'cache-control': 'no-cache',
      vary: compressedVary,
      'catalogue-seq': String(seq),
      link: `<${feed}>; rel="monitor"`,
    })
    if (request.method === 'HEAD') return reply.send()
    const lines = listLines(
      { ...asked, reader, links: links(), epoch, chunks, signal: request.signal },
      format,
    )
    return reply.send(Readable.from(lines, { objectMode: false }))
  }
}

function listFiles(context: FilesContext): RouteHandlerMethod {
  const { reader, tag } = context
  const cache = openPageCache()
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const query = request.query as Query
    const list = parseListRequest(query)
    reply.headers(ignoredHeader(list.ignored))
    const { url = '' } = request.raw
    const details = dependsOnDetails(list)
    const latest = tag(await reader.head(), representation, { details })
    if (isFresh(request, reply, latest)) return sendNotModified(reply)
    const cached = cache.get(`${latest} ${url}`)
    if (cached !== undefined) return reply.headers(cached.headers).send(cached.body)
    await context.limits.page(request, reply)
    const { signal } = request
    const page = await makePage(context, { query, list, representation, signal })
    cache.set(`${page.headers.etag} ${url}`, page)
    return reply.headers(page.headers).send(page.body)
  }
}

function showFile({ reader, links, tag }: FilesContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const id = Number((request.params as { readonly id: string }).id)
    if (!Number.isSafeInteger(id)) throw notFound()
    const expand = readExpand(request.query as Query)
    if ('fault' in expand) throw badFields({ expand: [expand.fault] })
    // The page for people shows all that is known.
    const details = expand.details || representation === 'html'
    const head = await reader.head()
    if (isFresh(request, reply, tag(head, representation, { details })))
      return sendNotModified(reply)
    const record = await reader.record(id, details)
    if (record === undefined) throw notFound()
    const wire = serialiseRecord(record, links())
    return representation === 'html' ? sendHtml(reply, renderRecord(wire)) : sendJson(reply, wire)
  }
}
