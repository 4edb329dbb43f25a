/** Builds a page of the list as JSON or HTML. */
import { LRUCache } from 'lru-cache'
import type { ApiContext } from '../http/context.ts'
import { pageHeaders } from '../http/headers.ts'
import { mediaTypes } from '../http/negotiate.ts'
import type { Representation } from '../http/negotiate.ts'
import { renderList } from './page.ts'
import { catalogueOffset, linkHeader, pageLinks, parsePageRange } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { serialiseRecord } from './serialise.ts'
import { dependsOnDetails } from './list-request.ts'
import type { ListRequest } from './list-request.ts'

export interface PageRequest {
  readonly query: Query
  readonly list: ListRequest
  readonly representation: Representation
  /** Stops a long query when the client has left. */
  readonly signal: AbortSignal
}

/** A finished page. */
export interface ListPage {
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string }
  readonly body: Buffer
}

/** About 500 pages of 20 records. */
const cacheBytes = 4 * 1024 * 1024

/** Memory of an entry besides its body and key, roughly. */
const overheadBytes = 1024

/** The response cache. The key contains the ETag, so a page is found only in an unchanged catalogue, and the URL. */
export function openPageCache(): LRUCache<string, ListPage> {
  return new LRUCache({
    maxSize: cacheBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length + overheadBytes,
  })
}

export type ListContext = Pick<ApiContext, 'reader' | 'settings' | 'links' | 'tag'>

/** Reads a page from the catalogue, with its count and head. */
export async function makePage(
  { reader, settings, links, tag }: ListContext,
  { query, list, representation, signal }: PageRequest,
): Promise<ListPage> {
  const { filter, ordering, kept, ignored } = list
  const details = list.details || representation === 'html'
  const range = parsePageRange(query, settings.maxLimit)
  const { limit, offset } = range
  const pageQuery = { limit, offset: catalogueOffset(offset), filter, ordering, details }
  const { head, count, records } = await reader.page(pageQuery, signal)
  const pages = pageLinks(links(), range, { name: 'rinex-file', kept, count })
  const results = records.map((record) => serialiseRecord(record, links()))
  const etag = tag(head, representation, { details: dependsOnDetails(list, representation) })
  const headers = { etag, ...linkHeader(pages) }
  if (representation === 'html') {
    const body = Buffer.from(
      renderList({
        ...{ count, range, kept, ignored, pages, results, ordering },
        ...{ details: list.details, links: links(), headers: linkHeader(pages) },
      }),
    )
    return { headers: { ...headers, ...pageHeaders }, body }
  }
  const { next, previous } = pages
  const body = Buffer.from(JSON.stringify({ count, next, previous, results }))
  return { headers: { ...headers, 'content-type': mediaTypes.json }, body }
}
