/** A collection's page: form, active filters, extent, table, and links to other pages. */
import { queryText } from '../http/context.ts'
import type { Links, PageLinks, Parameter, PageRange } from '../http/context.ts'
import type { Format } from '../http/formats.ts'
import { activeFilters, filterForm, sortLink } from './filter-form.ts'
import type { FormView, SortColumn } from './filter-form.ts'
import { counted, readableNumber } from './labels.ts'
import { page, partial } from './layout.ts'
import type { Page, PageFrame } from './layout.ts'
import type { Cell, Column } from './table.ts'
import './table.ts'
import { wireOf } from './wire.ts'

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
<%~ include('@chips', it) %>
<div<% if (it.beside !== "") { %> class="above"<% } %>>
<%~ it.beside %><%~ include('@wire', it.wire) %>
</div>
<%~ it.above %><p class="extent"><%= it.extent %></p>
<% if (it.table.rows.length > 0) { %><%~ include('@table', it.table) %><% } %>
<% if (it.whole.length > 0) { %><p>All of these as <% it.whole.forEach(({ label, href }, index) => { %><% if (index > 0) { %> or <% } %><a href="<%= href %>"><%= label %></a><% }) %>.</p>
<% } %><% if (it.pager) { %><%~ include('@pager', it.pager) %><% } %>
<%~ it.below %>`

const render = page('collection', template)

/** A column of a collection's table. A column with a key sorts the table. */
export interface ViewColumn<Item> extends Pick<Column, 'label' | 'isNumber'> {
  readonly key?: SortColumn['key']
  readonly first?: SortColumn['first']
  readonly cell: (item: Item, links: Links) => Cell | string
}

/** Describes the page of a collection. */
export interface CollectionView<Item> extends FormView {
  readonly frame: Pick<PageFrame, 'title' | 'section' | 'crumbs' | 'up'>
  /** The noun for the items of the collection: singular and plural. */
  readonly noun: readonly [one: string, many: string]
  readonly columns: readonly ViewColumn<Item>[]
  readonly caption: string
  readonly className?: string
  /** The formats that have the whole list. */
  readonly whole?: readonly Format[]
}

/** Further parts of a page: `above` and `below` the table as HTML. */
interface Parts extends Pick<PageFrame, 'banner'> {
  readonly links: Links
  /** The headers of the same page as JSON, besides those of all JSON. */
  readonly headers: Readonly<Record<string, string>>
  /** HTML beside the request and the response. */
  readonly beside?: string
  readonly above?: string
  readonly below?: string
  /** What the page shows, in words; by default its filters and the number of its items. */
  readonly title?: string
}

const wholeLabels: Readonly<Partial<Record<Format, string>>> = { csv: 'CSV' }

export function renderCollection<Item>(
  view: CollectionView<Item>,
  list: CollectionPage<Item>,
  { links, headers, beside = '', above = '', below = '', banner = [], title }: Parts,
): Page {
  const { frame, noun, fields, columns, caption, className, whole = [] } = view
  const { kept, range, ignored, ordering, results } = list
  const state = { kept, limit: range.limit }
  const extent = extentOf(list, noun)
  const active = activeFilters(state, fields)
  const json = jsonLink(list)
  const total = counted(list.count, ...noun)
  const words = active.map(({ value }) => value).join(', ')
  return render(
    {
      ...frame,
      title: title ?? (words === '' ? total : `${words}: ${total}`),
      heading: title ?? frame.title,
      here: frame.crumbs && frame.title,
      banner,
      description: title ?? `${frame.title} of the archive: ${extent}`,
      json,
    },
    {
      ignored,
      above,
      below,
      extent,
      form: filterForm(view, state),
      active,
      beside,
      wire: wireOf(new URL(json, list.pages.first), headers),
      table: {
        label: frame.title,
        caption,
        className,
        columns: columns.map(({ key, first, label, isNumber = false }) =>
          key !== undefined && first !== undefined && ordering !== undefined
            ? sortLink({ key, first, label, isNumber }, ordering, state)
            : { label, isNumber },
        ),
        rows: results.map((item) => columns.map(({ cell }) => cell(item, links))),
      },
      whole: whole.map((format) => ({
        label: wholeLabels[format] ?? format,
        href: `?${queryText([...kept, ['format', format]])}`,
      })),
      pager: (list.count > range.limit || range.offset > 0n) && pagerOf(list),
    },
  )
}

export interface CollectionPage<Item> {
  readonly count: number
  readonly range: PageRange
  /** Filters and ordering: parameters that links to other pages repeat. */
  readonly kept: readonly Parameter[]
  readonly ignored: readonly string[]
  readonly pages: PageLinks
  readonly results: readonly Item[]
  readonly ordering?: { readonly key: string; readonly descending: boolean } | undefined
}

/** Maximum number of pages of a collection without a form that jumps to any page. */
const pagesWithoutJump = 7

/** The links to the pages around the current one, and the form that jumps to any page. */
function pagerOf({ pages, count, range, kept }: CollectionPage<unknown>) {
  const { first, previous, next, last } = pages
  const { limit, offset } = range
  const pageCount = Math.max(1, Math.ceil(count / limit))
  const hrefOf = (number: number): string =>
    `?${queryText([...kept, ['limit', String(limit)], ['offset', String((number - 1) * limit)]])}`
  const current = offset % BigInt(limit) === 0n ? Number(offset / BigInt(limit)) + 1 : undefined
  const numbers = around(Number(offset / BigInt(limit)) + 1, pageCount).map((number) => ({
    href: hrefOf(number),
    rel: '',
    text: readableNumber(number),
    isCurrent: number === current,
  }))
  const links = [
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

function jsonLink({ kept, range }: CollectionPage<unknown>): string {
  const place = { format: 'json', limit: String(range.limit), offset: String(range.offset) }
  return `?${queryText([...Object.entries(place), ...kept])}`
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
