import type { Parameter } from '../http/links.ts'
import type { PageLinks, PageRange } from '../http/query.ts'
import { readableNumber } from './labels.ts'

/** Above a collection: unknown parameters, so that a typing error in a filter is noticed. */
export const ignoredTemplate = `<% if (it.ignored.length > 0) { %>
<p class="notice" role="status">Unknown parameters, ignored:
<% for (const name of it.ignored) { %><code><%= name %></code> <% } %></p>
<% } %>
`

/** Below a collection: links to other pages. */
export const pagerTemplate = `<nav aria-label="Pages">
<ul>
<% for (const link of it.pager) { %>
<li><% if (link.href === null) { %><span><%= link.text %></span><% } else { %><a href="<%= link.href %>" rel="<%= link.rel %>"><%= link.text %></a><% } %></li>
<% } %>
</ul>
</nav>
`

export interface CollectionPage<Wire> {
  readonly count: number
  readonly range: PageRange
  /** Filters and ordering: parameters that links to other pages repeat. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
  readonly pages: PageLinks
  readonly results: readonly Wire[]
}

export function pagerOf({ first, previous, next, last }: PageLinks) {
  return [
    { href: first, rel: 'first', text: 'First' },
    { href: previous, rel: 'prev', text: 'Previous' },
    { href: next, rel: 'next', text: 'Next' },
    { href: last, rel: 'last', text: 'Last' },
  ]
}

/** The same page as JSON. */
export function jsonLink({ kept, range }: CollectionPage<unknown>): string {
  const query = new URLSearchParams({
    format: 'json',
    limit: String(range.limit),
    offset: String(range.offset),
  })
  for (const [key, value] of kept) query.append(key, value)
  query.sort()
  return `?${query.toString()}`
}

/** `21 to 40 of 1,234 files`. @param noun singular and plural */
export function extentOf(
  { count, range, kept, results }: CollectionPage<unknown>,
  noun: readonly [one: string, many: string],
): string {
  if (count === 0) return kept.length === 0 ? `No ${noun[1]} yet.` : `No ${noun[1]} match.`
  const total = `${readableNumber(count)} ${count === 1 ? noun[0] : noun[1]}`
  if (results.length === 0) return `This page is after the last of ${total}.`
  const first = readableNumber(range.offset + 1n)
  const last = readableNumber(range.offset + BigInt(results.length))
  return `${first} to ${last} of ${total}`
}
