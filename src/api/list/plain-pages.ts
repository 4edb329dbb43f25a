/**
 * Pages of the whole list, asked for by their place alone: what a client sends that follows our links from page to page.
 * They are made before the framework is asked, whose part would be a sixth to a quarter of their cost.
 */
import type { FinishedPage, PageMaker } from '../finished.ts'
import { commonHeaders } from '../headers.ts'
import { negotiatedHeaders, preferredRepresentation } from '../negotiate.ts'
import type { Query } from '../query.ts'

/** As our links have it, and as people write it. Whatever else is in a query, the route reads. */
const plainQuery = /^\?(?:format=api&)?(?:limit=(\d{1,9})&)?offset=(\d{1,15})$/

export interface PlainPagesDeps {
  /** Of the list. */
  readonly path: string
  /** The methods of the list, as its answers name them. */
  readonly allow: string
  /** The page of the whole list as JSON. */
  readonly finish: (query: Query) => Promise<FinishedPage>
}

export function plainPages({ path, allow, finish }: PlainPagesDeps): PageMaker {
  return {
    route: path,
    headers: { ...commonHeaders, allow, ...negotiatedHeaders },
    make({ method, url = '', headers }) {
      if (method !== 'GET' || !url.startsWith(path)) return undefined
      const asked = plainQuery.exec(url.slice(path.length))
      // Who has a page may be told that it is the same, for which it need not be made.
      if (asked === null || headers['if-none-match'] !== undefined) return undefined
      if (preferredRepresentation(headers.accept) !== 'json') return undefined
      const [, limit, offset] = asked
      return finish({ limit, offset })
    },
  }
}
