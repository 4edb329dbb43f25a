/** The sums and facets of a list: how much to count, and how JSON shows them. */
import { facetNames } from '../../catalogue/sums.ts'
import type { Counting, FacetName, PageSums } from '../../catalogue/sums.ts'
import type { Format } from '../http/formats.ts'
import type { ListRequest } from './list-request.ts'

/**
 * The effort of a page for people, which is to be there at once, and of a program, in entries of an
 * index (see `Counting`). Measured with 10 million files: 40 and 150 ms (docs/decisions/0028).
 */
const efforts = { html: 350_000, json: 1_200_000 }

/** What to count for a list; `undefined` for nothing. */
export function countingOf(
  { details, facets }: Pick<ListRequest, 'details' | 'facets'>,
  format: Format,
): Counting | undefined {
  if (format !== 'html' && facets === '0' && !details) return undefined
  const effort = format === 'html' || facets === '0' ? efforts.html : efforts.json
  return {
    facets: format === 'html' || facets !== '0',
    effort: facets === 'all' ? Infinity : effort,
  }
}

interface WireSums {
  readonly bytes: number | null
  readonly sized: number | null
  readonly facets?: Readonly<
    Record<FacetName, readonly { readonly value: string | null; readonly count: number }[] | null>
  >
}

/** The further members of a page. @param counting what was to be counted */
export function serialiseSums(sums: PageSums | undefined, counting: Counting): WireSums {
  const { sizes, facets } = sums ?? { sizes: undefined, facets: undefined }
  const totals = { bytes: sizes?.bytes ?? null, sized: sizes?.sized ?? null }
  if (!counting.facets) return totals
  const lists = facetNames.map((name) => [
    name,
    facets?.[name]?.map(({ value, files }) => ({ value, count: files })) ?? null,
  ])
  return { ...totals, facets: Object.fromEntries(lists) as NonNullable<WireSums['facets']> }
}
