/**
 * The frame of a collection's page: form, active filters, extent, table, and links to other pages.
 */
import type { FastifyReply } from 'fastify'
import { sendHtml, sendJson } from '../http/context.ts'
import { linkHeader, pageLinks, queryText } from '../http/links.ts'
import type { CollectionName, Links, PageLinks, Parameter } from '../http/links.ts'
import type { PageRange } from '../http/query.ts'
import { activeFilters, filterForm, sortLink } from './filter-form.ts'
import type { FormView, SortColumn } from './filter-form.ts'
import { counted, readableNumber } from './labels.ts'
import { page, partial } from './layout.ts'
import type { PageFrame } from './layout.ts'
import type { Cell, Column } from './table.ts'

/** Links to other pages of a collection. */
partial(
  'pager',
  `<nav aria-label="Pages">
<ul>
<% for (const link of it.links) { %>
<li><% if (link.isCurrent) { %><span aria-current="page"><%= link.text %></span><% } else if (link.href === null) { %><span><%= link.text %></span><% } else { %><a href="<%= link.href %>"<% if (link.rel !== '') { %> rel="<%= link.rel %>"<% } %>><%= link.text %></a><% } %></li>
<% } %>
</ul>
<% if (it.jump !== null) { %>
<form class="jump" method="get">
<% for (const field of it.jump.hidden) { %><input type="hidden" name="<%= field.name %>" value="<%= field.value %>">
<% } %><label>Skip <input type="number" name="offset" min="0" step="<%= it.jump.limit %>" value="<%= it.jump.offset %>"></label> <button>Go</button>
</form>
<% } %>
</nav>
`,
)

const template = `<%~ include('@ignored', it) %>
<%~ include('@form', it.form) %>
<%~ it.above %>
<%~ include('@chips', it) %>
<p class="extent"><%= it.extent %></p>
<% if (it.table.rows.length > 0) { %><%~ include('@table', it.table) %><% } %>
<% if (it.csv) { %><p>All of these as <a href="<%= it.csv %>">CSV</a>.</p>
<% } %><% if (it.pager) { %><%~ include('@pager', it.pager) %><% } %>
<%~ it.below %>`

const render = page('collection', template)

/** Describes the page of a collection. */
export interface CollectionView<Wire, Key extends string> extends FormView {
  readonly frame: Pick<PageFrame, 'title' | 'section' | 'up'>
  /** The noun for the items of the collection: singular and plural. */
  readonly noun: readonly [one: string, many: string]
  /** The columns. A column with a key sorts the table. */
  readonly columns: readonly (SortColumn<Key> | Column | string)[]
  readonly row: (item: Wire) => readonly (Cell | string)[]
  readonly caption: string
  readonly className?: string
  /** True if all items can be read as CSV at once. */
  readonly hasCsv?: boolean
}

/** Further parts of a page: `above` and `below` as HTML. */
interface Parts extends Pick<PageFrame, 'banner'> {
  readonly above?: string
  readonly below?: string
}

export function renderCollection<Wire, Key extends string>(
  view: CollectionView<Wire, Key>,
  list: CollectionPage<Wire>,
  { above = '', below = '', banner = [] }: Parts = {},
): string {
  const { frame, noun, fields, columns, row, caption, className, hasCsv } = view
  const { kept, range, ignored, ordering, results } = list
  const state = { kept, limit: range.limit }
  const extent = extentOf(list, noun)
  const csv = new URLSearchParams([...kept, ['format', 'csv']] as [string, string][])
  const description = `${frame.title} of the archive: ${extent}`
  return render(
    { ...frame, banner, description, json: jsonLink(list) },
    {
      ignored,
      above,
      below,
      extent,
      form: filterForm(view, state),
      active: activeFilters(state, fields),
      table: {
        label: frame.title,
        caption,
        className,
        columns: columns.map((column) =>
          typeof column === 'object' && 'key' in column && ordering !== undefined
            ? sortLink(column, ordering, state)
            : column,
        ),
        rows: results.map(row),
      },
      csv: hasCsv === true ? `?${csv.toString()}` : '',
      pager: (list.count > range.limit || range.offset > 0n) && pagerOf(list),
    },
  )
}

export interface CollectionPage<Wire> {
  readonly count: number
  readonly range: PageRange
  /** Filters and ordering: parameters that links to other pages repeat. */
  readonly kept: readonly Parameter[]
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
  readonly pages: PageLinks
  readonly results: readonly Wire[]
  readonly ordering?: { readonly key: string; readonly descending: boolean }
}

/**
 * Sends a page of a collection with the links to the other pages.
 * @param further members of the JSON before the results
 * @param render makes the HTML page; without it, the response is JSON
 */
export function sendCollection<Wire>(
  reply: FastifyReply,
  links: Links,
  {
    name,
    further,
    ...list
  }: Omit<CollectionPage<Wire>, 'pages'> & {
    readonly name: CollectionName
    readonly further?: object
  },
  render: ((list: CollectionPage<Wire>) => string) | undefined,
): FastifyReply {
  const { count, kept, range, results } = list
  const pages = pageLinks(links, range, { name, kept, count })
  reply.headers(linkHeader(pages))
  if (render !== undefined) return sendHtml(reply, render({ ...list, pages }))
  const { next, previous } = pages
  return sendJson(reply, { count, next, previous, ...further, results })
}

interface PagerLink {
  readonly href: string | null
  readonly rel: string
  readonly text: string
  readonly isCurrent?: boolean
}

/** Maximum number of pages of a collection without a form that jumps to any page. */
const pagesWithoutJump = 7

/**
 * Returns the links to the pages around the current one, and the data of the form that jumps to any
 * page.
 */
function pagerOf({ pages, count, range, kept }: CollectionPage<unknown>) {
  const { first, previous, next, last } = pages
  const { limit, offset } = range
  const pageCount = Math.max(1, Math.ceil(count / limit))
  const hrefOf = (number: number): string =>
    `?${queryText([...kept, ['limit', String(limit)], ['offset', String((number - 1) * limit)]])}`
  const current = offset % BigInt(limit) === 0n ? Number(offset / BigInt(limit)) + 1 : undefined
  const numbers = around(Number(offset / BigInt(limit)) + 1, pageCount).map(
    (number): PagerLink => ({
      href: hrefOf(number),
      rel: '',
      text: readableNumber(number),
      isCurrent: number === current,
    }),
  )
  const links: readonly PagerLink[] = [
    { href: first, rel: 'first', text: 'First' },
    { href: previous, rel: 'prev', text: 'Previous' },
    ...numbers,
    { href: next, rel: 'next', text: 'Next' },
    { href: last, rel: 'last', text: 'Last' },
  ]
  const settings = [...kept, ['limit', String(limit)], ['format', 'api']] as readonly Parameter[]
  const hidden = settings.map(([name, value]) => ({ name, value }))
  return { links, jump: pageCount > pagesWithoutJump ? { hidden, limit, offset } : null }
}

/** Returns the numbers of at most five pages: the given page and those around it. */
function around(page: number, pageCount: number): readonly number[] {
  const from = Math.max(1, Math.min(page - 2, pageCount - 4))
  const to = Math.min(pageCount, from + 4)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_value, index) => from + index)
}

/** Returns the URL of the same page as JSON. */
function jsonLink({ kept, range }: CollectionPage<unknown>): string {
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
function extentOf(
  { count, range, kept, results }: CollectionPage<unknown>,
  noun: readonly [one: string, many: string],
): string {
  if (count === 0) return kept.length === 0 ? `No ${noun[1]}.` : `No ${noun[1]} match.`
  const total = counted(count, ...noun)
  if (results.length === 0) return `This page is after the last of ${total}.`
  const first = readableNumber(range.offset + 1n)
  const last = readableNumber(range.offset + BigInt(results.length))
  return `${first} to ${last} of ${total}`
}
