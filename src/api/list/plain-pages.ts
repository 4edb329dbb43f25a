/**
 * Pages of the whole list, asked for by their place alone: what a client sends that follows our links from page to page.
 * Making one takes less than the framework takes to find out what is asked for, so they are made before it is asked.
 */
import type { ApiContext } from '../context.ts'
import type { PageMaker } from '../finished.ts'
import { commonHeaders } from '../headers.ts'
import { negotiatedHeaders, preferredRepresentation } from '../negotiate.ts'
import { catalogueOffset, pageLinks, parsePageRange } from '../query.ts'
import type { PageRange } from '../query.ts'
import { jsonPage } from './json-page.ts'

/** As our links have it, and as people write it. Whatever else is in a query, the route reads. */
const plainQuery = /^\?(?:format=api&)?(?:limit=(\d{1,9})&)?offset=(\d{1,15})$/

/** @param allow the methods of the resource, as its answers name them */
export function plainPages(
  { reader, settings, links, tag }: Pick<ApiContext, 'reader' | 'settings' | 'links' | 'tag'>,
  { path, allow }: { readonly path: string; readonly allow: string },
): PageMaker {
  const shared = { ...commonHeaders, allow, ...negotiatedHeaders }
  const make = async (range: PageRange) => {
    const { limit, offset } = range
    const page = await reader.page({ limit, offset: catalogueOffset(offset) })
    const { head, count } = page
    const pages = pageLinks(links(), range, { name: 'rinex-file', kept: [], count })
    const { headers, text } = jsonPage(page, pages, links())
    return { head, tag: tag(head, 'json'), headers: { ...shared, ...headers }, text }
  }
  return {
    route: path,
    make({ method, url = '', headers }) {
      if (method !== 'GET' || !url.startsWith(path)) return undefined
      const asked = plainQuery.exec(url.slice(path.length))
      // Who has a page may be told that it is the same, for which it need not be made.
      if (asked === null || headers['if-none-match'] !== undefined) return undefined
      if (preferredRepresentation(headers.accept) !== 'json') return undefined
      const [, limit, offset] = asked
      return make(parsePageRange({ limit, offset }, settings.maxLimit))
    },
  }
}
