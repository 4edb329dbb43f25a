/** The sums and facets of a list: how much to count, and how JSON shows them. */
import type { Counting, FacetName, PageSums } from '../../catalogue/sums.ts'
import { facetNames } from '../../catalogue/sums.ts'
import type { ListRequest } from './list-request.ts'

/**
 * What counting a facet may cost for a page for people, which is to be there at once, and for a
 * program, in entries of an index (see `Counting`): 30 and 100 ms.
 */
const mostEntries = { html: 250_000, json: 1_000_000 }

/** What to count for a list; `undefined` for nothing. */
export function countingOf({ details, values, format }: ListRequest): Counting | undefined {
  const { facets } = values
  if (facets === '0' && !details) return undefined
  const most = mostEntries[format === 'html' || facets === '0' ? 'html' : 'json']
  return {
    facets: format === 'html' || facets !== '0',
    most: facets === 'all' ? Infinity : most,
  }
}

interface WireSums {
  readonly bytes: number | null
  readonly facets?: Readonly<
    Record<FacetName, readonly { readonly value: string | null; readonly count: number }[] | null>
  >
}

/** The further members of a page. @param counting what was to be counted */
export function serialiseSums(sums: PageSums | undefined, counting: Counting): WireSums {
  const { bytes = null, facets } = sums ?? {}
  if (!counting.facets) return { bytes }
  const lists = facetNames.map((name) => [
    name,
    facets?.[name]?.map(({ value, files }) => ({ value, count: files })) ?? null,
  ])
  return { bytes, facets: Object.fromEntries(lists) as NonNullable<WireSums['facets']> }
}
