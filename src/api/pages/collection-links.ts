/** Links of a collection's page that change its filters and its order. Pure. */
import { queryText } from '../http/links.ts'
import type { Parameter } from '../http/links.ts'

/** The state that links of a page repeat. */
export interface CollectionState {
  /** Filters and settings of the request. */
  readonly kept: readonly Parameter[]
  /** Items of a page. */
  readonly limit: number
}

/** A column that sorts. */
export interface Column<Key extends string> {
  readonly key: Key
  readonly label: string
  /** The direction at the first click. */
  readonly first: 'ascending' | 'descending'
}

/** The link that sorts by a column; the other way round if the collection is sorted by it already. */
export function sortLink<Key extends string>(
  { key, label, first }: Column<Key>,
  ordering: { readonly key: string; readonly descending: boolean },
  { kept, limit }: CollectionState,
) {
  const isCurrent = ordering.key === key
  const descending = isCurrent ? !ordering.descending : first === 'descending'
  const rest = kept.filter(([name]) => name !== 'ordering')
  const current = ordering.descending ? 'descending' : 'ascending'
  return {
    key,
    label,
    sort: isCurrent ? current : '',
    href: firstPage({
      kept: [...rest, ['ordering', `${descending ? '-' : ''}${key}`]],
      limit,
    }),
  }
}

/** Parameters that filter nothing. */
const settings = new Set(['ordering', 'expand', 'strict'])

/** More filters are not shown one by one: each has a link that repeats all others. */
const maxShownFilters = 20

/** The active filters, each with a link to the collection without it. */
export function activeFilters(
  { kept, limit }: CollectionState,
  labelOf: (parameter: string) => string,
) {
  if (kept.length > maxShownFilters) return []
  return kept.flatMap(([name, value], place) => {
    if (settings.has(name)) return []
    const rest = kept.filter((_parameter, index) => index !== place)
    return [{ label: labelOf(name), value, without: firstPage({ kept: rest, limit }) }]
  })
}

/** Template of the active filters; its data are `active`, the result of `activeFilters`. */
export const activeTemplate = `<% if (it.active.length > 0) { %>
<ul class="chips" aria-label="Active filters">
<% for (const chip of it.active) { %><li><%= chip.label %> <b><%= chip.value %></b> <a href="<%= chip.without %>" aria-label="Remove the filter <%= chip.label %> <%= chip.value %>">×</a></li>
<% } %></ul>
<% } %>
`

function firstPage({ kept, limit }: CollectionState): string {
  return `?${queryText([...kept, ['limit', String(limit)]])}`
}
