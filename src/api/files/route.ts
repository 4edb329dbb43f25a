/** The list of files and its single records. */
import { Readable } from 'node:stream'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { openAuthentication } from '../admin/authentication.ts'
import { registration } from '../admin/schema.ts'
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
import { filesBeside, readHistory } from './record-context.ts'
import { filesView } from './page.ts'
import { renderRecord } from './record-page.ts'
import type { Query } from '../http/query.ts'
import { registerFile } from './register.ts'
import * as schemas from './schema.ts'
import type { RegisterContext } from './register.ts'
import { addResource } from '../http/resource.ts'
import { Semaphore } from '../http/semaphore.ts'

/** Limit of concurrent streams: each chunk of a stream delays all other requests. */
const maxStreams = 50

/** Limit of concurrent chunks of all streams: other requests are served after each chunk. */
const maxChunks = 1

type FilesContext = ListContext &
  RegisterContext &
  Pick<ApiContext, 'apiPath' | 'reader' | 'links' | 'tag' | 'limits'>

export function addRinexFile(app: FastifyInstance, context: FilesContext): void {
  const path = `${context.apiPath}rinex-file/`
  for (const schema of [schemas.fileSchema, schemas.recordSchema, schemas.recordPageSchema])
    app.addSchema(schema)
  app.addSchema(registration)
  addResource(app, {
    path,
    get: streamFiles(context, listFiles(context)),
    schema: schemas.listFiles(context.settings.maxLimit),
    config: { faultForm: filesView },
    post: {
      schema: schemas.registerFile,
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
      description: 'The RINEX files of the archive, by default the newest record first.',
    },
  })
  addResource(app, {
    path: `${path}:id(^[0-9]+$)/`,
    get: showFile(context),
    schema: schemas.getFile,
    about: { name: 'Rinex File Instance', description: 'One RINEX file of the archive.' },
  })
}

/** Streams the whole list if the request names a line format; otherwise calls the next handler. */
function streamFiles(
  { reader, links, limits }: FilesContext,
  next: RouteHandlerMethod,
): RouteHandlerMethod {
  const streams = new Semaphore({
    permits: maxStreams,
    queue: 0,
    full: 'Too many clients are reading the whole list.',
  })
  const chunks = new Semaphore({ permits: maxChunks })
  return async function (request, reply) {
    const format = lineFormats.get(namedFormat(request) ?? '')
    if (format === undefined) return next.call(this, request, reply)
    const streamRequest = parseStreamRequest(request.query as Query)
    if (request.method !== 'HEAD') {
      limits.stream(request, reply)
      streams.holdFor(reply)
    }
    // Read before the first line: the change feed from there has all changes during the stream.
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
      { ...streamRequest, reader, links: links(), epoch, chunks, signal: request.signal },
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
    const details = dependsOnDetails(list, representation)
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
    // The HTML page shows all details.
    const details = expand.details || representation === 'html'
    const head = await reader.head()
    if (isFresh(request, reply, tag(head, representation, { details })))
      return sendNotModified(reply)
    const record = await reader.record(id, details)
    if (record === undefined) throw notFound()
    const wire = serialiseRecord(record, links())
    if (representation === 'json') return sendJson(reply, wire)
    const [beside, history, isWaiting] = await Promise.all([
      filesBeside(reader, record, links()),
      readHistory(reader, record, links()),
      wire.file?.sha256 === null && reader.awaitsChecksum(id),
    ])
    return sendHtml(reply, renderRecord(wire, { beside, history, isWaiting }))
  }
}
