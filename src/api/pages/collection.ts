/** A collection's page: form, active filters, extent, table, and links to other pages. */
import { counted, readableNumber } from '../../runtime/readable.ts'
import type { FormState } from '../http/errors.ts'
import type { Format } from '../http/formats.ts'
import type { Links, PageLinks, PageRange, QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import type { WordedFilters } from './active-filters.ts'
import { activeFilters, chips, filterWords } from './active-filters.ts'
import type { FormView, SortColumn } from './filter-form.ts'
import { filterForm, sortLink } from './filter-form.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'
import type { Page, PageFrame } from './layout.ts'
import { fetchCommand, getLine, ignoredNotice } from './parts.ts'
import { stationOfList } from './station-tabs.ts'
import type { Column } from './table.ts'
import { table } from './table.ts'

/** A column of a collection's table. A column with a key sorts the table. */
export interface ViewColumn<Item> extends Pick<
  Column,
  'label' | 'isNumber' | 'isHeader' | 'isProse'
> {
  readonly key?: SortColumn['key']
  readonly first?: SortColumn['first']
  readonly cell: (item: Item, links: Links) => Child
}

/** Describes the page of a collection. */
export interface CollectionView<Item> extends FormView {
  readonly frame: Pick<PageFrame, 'title' | 'section' | 'crumbs' | 'up'>
  /** The noun for the items of the collection: singular and plural. */
  readonly noun: readonly [one: string, many: string]
  readonly filters: WordedFilters
  readonly columns: readonly ViewColumn<Item>[]
  readonly caption: string
  readonly className?: string
  /** What shows the items instead of a table. */
  readonly rowsOf?: ((items: readonly Item[]) => Child) | undefined
  /** The formats that have the whole list. */
  readonly whole?: readonly Format[]
}

/** Further parts of a page. */
interface PageParts extends Pick<PageFrame, 'banner'> {
  readonly links: Links
  /** How to get the list, if not by its formats alone. */
  readonly get?: Child
  /** What stands at the left of the table, on wide screens. */
  readonly beside?: Child
  /** What stands above and below the table. */
  readonly above?: Child
  readonly below?: Child
  /** What follows the heading. */
  readonly extra?: string | undefined
  /** The title and the heading, from the filters in words. */
  readonly headline?: (filters: string) => string
}

const wholeLabels: Readonly<Partial<Record<Format, string>>> = {
  csv: 'CSV',
  geojson: 'GeoJSON',
}

export function renderCollection<Item>(
  view: CollectionView<Item>,
  list: CollectionPage<Item>,
  { links, beside, get, above, below, banner, headline, extra }: PageParts,
): Page {
  const { frame, noun, filters } = view
  const { kept, range, ignored, results, refused } = list
  const state = { kept, limit: range.limit }
  const extent = extentOf(list, noun)
  const json = jsonLink(list)
  const total = counted(list.count, ...noun)
  const words = filterWords(kept, filters)
  const title = headline?.(words)
  return {
    frame: {
      ...frame,
      title: title ?? (words === '' ? total : `${words}: ${total}`),
      heading: title ?? (extra === undefined ? frame.title : headingOf(words, total, extra)),
      here: frame.crumbs && frame.title,
      banner,
      station: stationOfList(frame.section, kept),
      description: title ?? `${frame.title} of the archive: ${extent}`,
      json,
    },
    body: html`${ignoredNotice(ignored)}
${filterForm(view, refused ?? state)}
${chips(activeFilters(state, filters))}
${get ?? getLine(gettingOf(view, list))}
${above}<div${beside && html` class="sides"`}>
${beside}<div>
<p class="quiet">${extent}</p>
${results.length > 0 && (view.rowsOf?.(results) ?? tableOf(view, list, links))}
${(list.count > range.limit || range.offset > 0) && pager(list.pages)}
</div>
</div>
${below}`,
  }
}

/** `138 stations`, and what is said of them in quiet letters. */
function headingOf(words: string, total: string, extra: string): Html {
  const text = words === '' ? total : `${words}: ${total}`
  return html`${text}${extra && html` <small>${extra}</small>`}`
}

function tableOf<Item>(
  { frame, caption, className = '', columns }: CollectionView<Item>,
  { kept, range, ordering, results }: CollectionPage<Item>,
  links: Links,
): Html {
  const state = { kept, limit: range.limit }
  return table({
    label: frame.title,
    caption,
    className,
    columns: columns.map((column) => {
      const { key, first } = column
      return key !== undefined && first !== undefined && ordering !== undefined
        ? sortLink({ ...column, key, first }, ordering, state)
        : column
    }),
    rows: results.map((item) => columns.map(({ cell }) => cell(item, links))),
  })
}

/** The whole list in its formats, else the page as JSON. */
function gettingOf(
  { whole = [] }: Pick<CollectionView<never>, 'whole'>,
  list: CollectionPage<unknown>,
) {
  const { kept, pages } = list
  const formats = whole.map((format) => ({
    text: wholeLabels[format] ?? format,
    href: `?${queryText([...kept, ['format', format]])}`,
  }))
  const json = { text: 'JSON', href: jsonLink(list) }
  const all = `?${queryText([...kept, ['format', 'json'], ['limit', '1000']])}`
  const url = new URL(formats[0]?.href ?? all, pages.first)
  return { command: fetchCommand(url.href), formats: [...formats, json] }
}

export interface CollectionPage<Item> {
  readonly count: number
  readonly range: PageRange
  /** Filters and ordering: parameters that links to other pages repeat. */
  readonly kept: readonly QueryPair[]
  readonly ignored: readonly string[]
  /** What the form says of parameters that were refused. */
  readonly refused?: FormState | undefined
  readonly pages: PageLinks
  readonly results: readonly Item[]
  readonly ordering?: { readonly key: string; readonly descending: boolean } | undefined
}

/** The links to the pages around the current one. */
function pager({ first, previous, next, last }: PageLinks): Html {
  const items = [
    pageLink('First', 'first', previous && first),
    pageLink('Previous', 'prev', previous),
    pageLink('Next', 'next', next),
    pageLink('Last', 'last', next && last),
  ]
  return html`<nav aria-label="Pages">
<ul class="plain row">
${items.map((item) => html`<li>${item}</li>\n`)}
</ul>
</nav>
`
}

function pageLink(text: string, rel: string, href: string | null): Html {
  return href === null
    ? html`<span class="quiet">${text}</span>`
    : html`<a href="${href}" rel="${rel}">${text}</a>`
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
  const first = readableNumber(range.offset + 1)
  const last = readableNumber(range.offset + results.length)
  return `${first} to ${last} of ${total}`
}
