/** The HTML page of the list: filter form, table, and links to the same list in other formats. */
import type { Ordering, OrderKey } from '../../catalogue/filter.ts'
import type { Links, Parameter } from '../http/links.ts'
import { pageUrl } from '../http/links.ts'
import { renderCollection } from '../pages/collection.ts'
import type { CollectionPage, CollectionView } from '../pages/collection.ts'
import { fragment } from '../pages/layout.ts'
import {
  durationLabel,
  readableDate,
  readableSize,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import type { Cell } from '../pages/table.ts'
import { fileFields } from '../pages/file-fields.ts'
import { filterParameters } from '../parameters/file-filters.ts'
import type { WireRecord } from './serialise.ts'

const renderSelection = fragment(
  'selection',
  `<section class="selection">
<h2>The whole selection</h2>
<p>As <a href="<%= it.formats.json %>">JSON</a> (this page), <a href="<%= it.formats.csv %>">CSV</a>, <a href="<%= it.formats.ndjson %>">NDJSON</a> or <a href="<%= it.formats.urls %>">list of URLs</a>; new files as they come: <a href="<%= it.formats.changes %>">changes</a>.</p>
<% for (const command of it.commands) { %>
<div class="command"><pre tabindex="0"><code><%= command %></code></pre><button type="button" class="copy" hidden>Copy</button></div>
<% } %>
<% if (it.wire !== '') { %>
<details>
<summary>Request and response of this page as JSON</summary>
<pre tabindex="0"><%= it.wire %></pre>
</details>
<% } %>
</section>
`,
)

export const filesView: CollectionView<WireRecord, OrderKey> = {
  frame: { title: 'Files', section: 'rinex-file', up: '../' },
  noun: ['file', 'files'],
  fields: fileFields,
  all: 'All files',
  sizes: [20, 50, 100, 500],
  known: [...filterParameters.keys(), 'expand'],
  className: 'files',
  caption: 'Times in UTC; (022) is the day of the year',
  // The two links of a file come first, because narrow screens cut off the last columns.
  columns: [
    'Get',
    { key: 'filename', label: 'File', first: 'ascending' },
    { label: 'Size', isNumber: true },
    { key: 'data_date', label: 'Start of data', first: 'descending' },
    ...['Type', 'Period', 'Name', 'Area'],
    { key: 'created', label: 'Listed', first: 'descending' },
    { key: 'id', label: 'Record', first: 'descending', isNumber: true },
  ],
  row: rowOf,
}

/** A page of the list, with the details of its files. */
export interface ListPageData extends CollectionPage<WireRecord> {
  readonly ordering: Ordering
  /** True if the request has `expand=file`. */
  readonly details: boolean
  readonly links: Links
  /** The `Link` header of the page, or no header if it would be too long. */
  readonly headers: Readonly<Record<string, string>>
}

export function renderList(list: ListPageData): string {
  const wire = list.results.length > maxShownAsJson ? '' : wireText(list)
  return renderCollection(filesView, list, {
    below: renderSelection({ ...selectionOf(list), wire }),
  })
}

function rowOf(record: WireRecord): readonly (Cell | string)[] {
  const { id, url, filename, download_path, data_date, file, created, modified } = record
  const isReplaced = modified !== created
  return [
    { text: '↓', href: download_path, label: `Download ${filename}` },
    { text: filename, href: url, isHeader: true, problem: file?.problem ?? '' },
    typeof file?.size === 'number' ? readableSize(file.size) : '',
    { text: readableDate(data_date), time: data_date },
    typeLabel(record.file_type),
    durationLabel(record.file_duration),
    record.file_version === 'r2' ? 'short' : 'long',
    file?.area ?? '',
    {
      text: readableTime(created),
      time: created,
      ...(isReplaced && {
        note: 'replaced',
        noteTitle: `replaced ${readableTime(modified, 'second')}`,
      }),
    },
    String(id),
  ]
}

/** The selection in other formats, and commands that fetch it. */
function selectionOf({ kept, links, range }: ListPageData) {
  const urlAs = (format: string): string =>
    pageUrl(links, 'rinex-file', [...kept, ['format', format]])
  const filters = kept.filter(([name]) => name !== 'ordering')
  return {
    formats: {
      json: jsonUrl({ kept, links, range }),
      csv: urlAs('csv'),
      ndjson: urlAs('ndjson'),
      urls: urlAs('urls'),
      changes: pageUrl(links, 'changes', filters),
    },
    commands: [
      `curl -s '${shellSafe(urlAs('urls'))}' | wget -N -x -nH -i -`,
      `curl -s --compressed '${shellSafe(urlAs('csv'))}' > list.csv`,
    ],
  }
}

/** Escapes a URL for single quotes in a shell command. */
function shellSafe(url: string): string {
  return url.replaceAll("'", '%27')
}

function jsonUrl({ kept, links, range }: Pick<ListPageData, 'kept' | 'links' | 'range'>): string {
  const place: readonly Parameter[] = [
    ['limit', String(range.limit)],
    ['offset', String(range.offset)],
  ]
  return pageUrl(links, 'rinex-file', [...kept, ...place, ['format', 'json']])
}

/**
 * Maximum number of records of a page that also shows its JSON, which doubles the size of the page.
 */
const maxShownAsJson = 50

/** The request for the same page as JSON, and the response, as a program sees them. */
function wireText(list: ListPageData): string {
  const { count, pages, results, details, headers } = list
  const url = new URL(jsonUrl(list))
  const body = {
    count,
    next: pages.next,
    previous: pages.previous,
    results: results.map(({ file, ...record }) => (details ? { ...record, file } : record)),
  }
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    '',
    'HTTP/1.1 200 OK',
    'Content-Type: application/json',
    'Vary: Accept',
    'Cache-Control: no-cache',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\n')}\n\n${JSON.stringify(body, undefined, 2)}`
}
