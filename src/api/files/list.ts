/** The list of files: its route, its pages as JSON and HTML, and the streams of all of it. */
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { isFresh, sendNotModified } from '../http/conditional-requests.ts'
import type { ApiContext } from '../http/context.ts'
import type { FormState } from '../http/errors.ts'
import { mediaTypes, negotiate } from '../http/formats.ts'
import { pageHeaders } from '../http/headers.ts'
import type { Requester } from '../http/limits.ts'
import { linkHeader, pageLinks, queryText } from '../http/links.ts'
import { addResource } from '../http/resource.ts'
import { send } from '../http/send.ts'
import { layOut } from '../pages/layout.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { fileFilters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { Query } from '../parameters/request.ts'
import { ignoredHeader, valuesOf } from '../parameters/request.ts'
import type { Asking } from '../resources/answer.ts'
import { keepingPage } from '../resources/answer.ts'
import { viewOf } from './file-view.ts'
import type { ListRequest } from './list-request.ts'
import { countingOf, readListRequest } from './list-request.ts'
import { renderList } from './page.ts'
import { registerFile } from './register.ts'
import * as schemas from './schema.ts'
import { serialiseRecord, serialiseSums } from './serialise.ts'
import { createStream } from './stream.ts'

function withoutBlank(query: Query): string {
  return queryText(
    Object.keys(query).flatMap((name) =>
      valuesOf(query, name).map((value) => [name, value] as const),
    ),
  )
}

/** Answers with a page of the list, from the cache if the catalogue has not changed. */
function createList(context: ApiContext) {
  const { reader, tag, settings } = context
  const { maxLimit, layout } = settings
  const filters = fileFilters(layout)
  const fields = formFieldsOf(filters)
  const cache = createPageCache()
  return async (
    { format, request, reply }: Asking<'json' | 'html'>,
    query: Query,
    refused?: FormState,
  ) => {
    // A form without a script sends its empty fields too; the address is to be shared without them.
    if (format === 'html' && fields.filter(({ name }) => query[name] === '').length > 1)
      return reply.redirect(`?${withoutBlank(query)}`, 303)
    const list = { ...readListRequest(query, { maxLimit, filters }, format), filters }
    reply.headers(ignoredHeader(list.ignored))
    if (refused !== undefined) {
      const requester = await context.limits.page(request, reply)
      const page = await makePage(context, { ...list, refused }, requester)
      return send(reply, 'html', page.body.toString())
    }
    const key = `${format} ${request.raw.url ?? ''}`
    const cached = cache.get(key)
    // A page comes with its head, so the head alone is read only if it may be the whole answer.
    if (cached !== undefined || request.headers['if-none-match'] !== undefined) {
      const latest = tag(await reader.head(), format, { details: list.dependsOnDetails })
      if (isFresh(request, reply, latest)) return sendNotModified(reply)
      if (cached?.headers.etag === latest) return reply.headers(cached.headers).send(cached.body)
    }
    const requester = await context.limits.page(request, reply)
    const page = await makePage(context, list, requester)
    cache.set(key, page)
    return reply.headers(page.headers).send(page.body)
  }
}

/** A request, with the filters that it may have, and what the form says was refused. */
interface AskedList extends ListRequest {
  readonly filters: FilterParameters
  readonly refused?: FormState
}

interface ListPage {
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string }
  readonly body: Buffer
}

/** Size of the response cache in bytes: about 500 pages of 20 records. */
const cacheBytes = 4 * 1024 * 1024

/** Approximate number of bytes that an entry takes besides its body and key. */
const overheadBytes = 1024

/** The latest page of each representation and URL, sent only while its ETag is the latest one. */
export function createPageCache(): LRUCache<string, ListPage> {
  return new LRUCache({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length + overheadBytes,
  })
}

/** A text as bytes with memory of its own: `Buffer.from` would keep a block of 64 KiB for it. */
function ownBuffer(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

async function makePage(
  { reader, links, tag, site, nowUs, settings }: ApiContext,
  list: AskedList,
  requester: Requester,
): Promise<ListPage> {
  const { filter, filters, kept, ignored, range, format, details, facts, refused } = list
  const { ordering } = list.values
  const counting = countingOf(list)
  const { head, count, records, sums } = await reader.page(
    { ...range, filter, ordering, details, facts, sums: counting },
    requester,
  )
  await requester.turn()
  const pages = pageLinks(links(), range, { name: 'rinex-file', kept, count })
  const etag = tag(head, format, { details: list.dependsOnDetails })
  const headers = { ...linkHeader(pages), 'catalogue-seq': String(head.seq) }
  if (format === 'html') {
    const place = { count, range, kept, ignored, refused, pages, ordering, filter, filters, sums }
    const results = records.map((record) => viewOf(record, links()))
    const thisYear = new Date(nowUs() / 1000).getUTCFullYear()
    const said = site()
    const isScanned = said.progress === undefined
    const page = renderList({ ...place, results, thisYear, isScanned, links: links() })
    const body = ownBuffer(layOut(page, said))
    return { headers: { etag, ...headers, ...pageHeaders }, body }
  }
  const { next, previous } = pages
  const results = records.map((record) => serialiseRecord(record, links(), settings.layout))
  const further = counting && serialiseSums(sums, counting)
  const body = ownBuffer(JSON.stringify({ count, next, previous, results, ...further }))
  return { headers: { etag, ...headers, 'content-type': mediaTypes.json }, body }
}

export function addRinexFile(app: FastifyInstance, context: ApiContext): void {
  const list = createList(context)
  const { maxLimit, layout } = context.settings
  const stream = createStream(context)
  addResource(app, {
    path: `${context.apiPath}rinex-file/`,
    get: (request, reply) => {
      const format = negotiate(schemas.listFormats, request, reply)
      return format === 'json' || format === 'html'
        ? keepingPage({ format, request, reply }, request.query as Query, list)
        : stream(format, request, reply)
    },
    schema: schemas.listFiles(maxLimit, fileFilters(layout)),
    post: registerFile(context),
    formats: schemas.listFormats,
  })
}
