/** The list of files and its single records. */
import { Readable } from 'node:stream'
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { defaultOrdering } from '../../catalogue/filter.ts'
import { openAdmission } from '../admin.ts'
import { isFresh, sendHtml, sendJson, sendNotModified } from '../context.ts'
import type { ApiContext } from '../context.ts'
import { notFound } from '../errors.ts'
import type { FinishedPage } from '../finished.ts'
import { changesUrl } from '../links.ts'
import { pageHeaders } from '../headers.ts'
import { ignoredHeader } from '../list/ignored.ts'
import { plainPages } from '../list/plain-pages.ts'
import { recordsJson } from '../list/records-json.ts'
import { parseListRequest } from '../list/request.ts'
import type { ListRequest } from '../list/request.ts'
import { lineFormats, listLines } from '../list-stream.ts'
import { mediaTypes, namedFormat, negotiate } from '../negotiate.ts'
import type { Representation } from '../negotiate.ts'
import { renderList } from '../pages/list.ts'
import { renderRecord } from '../pages/record.ts'
import { openPlaces } from '../places.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../query.ts'
import type { PageLinks, Query } from '../query.ts'
import { registerFile } from '../register-file.ts'
import { addResource, methodsOf } from '../resource.ts'
import type { Resource } from '../resource.ts'
import { serialiseRecord } from '../serialise.ts'

/** Most lists that are streamed at the same time: each keeps the others, and everybody else, waiting for its chunks. */
const mostStreams = 50

/** Most questions about parts of names at a time: each goes through all records that there are. */
const mostSearches = 16

export function addRinexFile(app: FastifyInstance, context: ApiContext): void {
  const path = `${context.apiPath}rinex-file/`
  const list: Resource = {
    path,
    get: streamFiles(context, listFiles(context)),
    post: { admit: openAdmission(context.administration), handler: registerFile(context) },
    renders: [
      mediaTypes.json,
      mediaTypes.html,
      ...[...lineFormats.values()].map(({ mediaType }) => mediaType.replace(/;.*/, '')),
    ],
    about: {
      name: 'Rinex File List',
      description: 'The RINEX files of the archive, the newest record first, a page at a time.',
    },
  }
  addResource(app, list)
  const allow = methodsOf(list).join(', ')
  const finish = (query: Query) =>
    finishPage(context, { query, list: whole, representation: 'json' })
  context.finished.makeWith(plainPages({ path, allow, finish }))
  addResource(app, {
    path: `${path}:id(^[0-9]+$)/`,
    get: showFile(context),
    about: { name: 'Rinex File Instance', description: 'One RINEX file of the archive.' },
  })
}

/** Streams the whole list where a format of lines is asked for, and leaves other requests to the next handler. */
function streamFiles({ reader, links }: ApiContext, next: RouteHandlerMethod): RouteHandlerMethod {
  const places = openPlaces(mostStreams, 'Too many clients are reading the whole list.')
  return async function (request, reply) {
    const format = lineFormats.get(namedFormat(request) ?? '')
    if (format === undefined) return next.call(this, request, reply)
    const { filter, ignored, ordering } = parseListRequest(request.query as Query)
    // A stream has an order of its own.
    const without = ordering === defaultOrdering ? [] : ['ordering']
    reply.headers(ignoredHeader([...ignored, ...without]))
    if (request.method !== 'HEAD') places.take(reply)
    // Before the first line: what moves while the list is read comes again in the changes from there.
    const { epoch, seq } = await reader.head()
    const feed = changesUrl(links(), [
      ['epoch', epoch],
      ['since', String(seq)],
    ])
    reply.headers({
      'content-type': format.mediaType,
      'cache-control': 'no-cache',
      'catalogue-seq': String(seq),
      link: `<${feed}>; rel="monitor"`,
    })
    if (request.method === 'HEAD') return reply.send()
    const lines = listLines({ reader, links: links(), epoch, filter }, format)
    return reply.send(Readable.from(lines, { objectMode: false }))
  }
}

function listFiles(context: ApiContext): RouteHandlerMethod {
  const { reader, tag, finished } = context
  const searches = openPlaces(mostSearches, 'Too many searches for names are under way.')
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const query = request.query as Query
    const list = parseListRequest(query)
    reply.headers(ignoredHeader(list.ignored))
    if (request.headers['if-none-match'] !== undefined)
      if (isFresh(request, reply, tag(await reader.head(), representation)))
        return sendNotModified(reply)
    const make = () => finishPage(context, { query, list, representation })
    const page = await (list.filter.names === undefined ? make() : searches.during(make))
    return finished.send(request, reply, page)
  }
}

/** What a query without any filter asks for. */
const whole: ListRequest = { filter: {}, ordering: defaultOrdering, kept: [], ignored: [] }

interface PageRequest {
  readonly query: Query
  readonly list: ListRequest
  readonly representation: Representation
}

async function finishPage(
  { reader, settings, links, tag: tagOf }: ApiContext,
  { query, list, representation }: PageRequest,
): Promise<FinishedPage> {
  const { filter, ordering, kept } = list
  const range = parsePageRange(query, settings.maxLimit)
  const { limit, offset } = range
  const page = await reader.page({ limit, offset: catalogueOffset(offset), filter, ordering })
  const { head, count, records } = page
  const tag = tagOf(head, representation)
  const pages = pageLinks(links(), range, { name: 'rinex-file', kept, count })
  const { link } = linkHeader(pages)
  const headers: Record<string, string> = {}
  if (link !== undefined) headers['link'] = link
  if (representation === 'html') {
    const results = records.map((record) => serialiseRecord(record, links()))
    const body = Buffer.from(renderList({ count, range, kept, pages, results }))
    return { head, tag, headers: Object.assign(headers, pageHeaders), body }
  }
  headers['content-type'] = mediaTypes.json
  return { head, tag, headers, body: listJson(count, pages, recordsJson(records, links())) }
}

/** A URL is ASCII (see `toBaseUrl`, and parameters are percent-encoded), and holds no character that JSON would escape. */
function listJson(count: number, { next, previous }: PageLinks, results: string): string {
  const quoted = (url: string | null): string => (url === null ? 'null' : `"${url}"`)
  return `{"count":${count},"next":${quoted(next)},"previous":${quoted(previous)},"results":[${results}]}`
}

function showFile({ reader, links, tag }: ApiContext): RouteHandlerMethod {
  return async (request, reply) => {
    const representation = negotiate(request, reply)
    const id = Number((request.params as { readonly id: string }).id)
    if (!Number.isSafeInteger(id)) throw notFound()
    const head = await reader.head()
    if (isFresh(request, reply, tag(head, representation))) return sendNotModified(reply)
    const record = await reader.record(id)
    if (record === undefined) throw notFound()
    const wire = serialiseRecord(record, links())
    return representation === 'html' ? sendHtml(reply, renderRecord(wire)) : sendJson(reply, wire)
  }
}
