/** The HTML page of the list: filter form, table, and links to the same list in other formats. */
import type { Ordering } from '../../catalogue/filter.ts'
import type { Links, Parameter } from '../http/context.ts'
import { pageUrl } from '../http/context.ts'
import { renderCollection } from '../pages/collection.ts'
import type { CollectionPage, CollectionView } from '../pages/collection.ts'
import { fragment, dateCell } from '../pages/layout.ts'
import type { Page } from '../pages/layout.ts'
import { durationLabel, readableSize, readableTime, typeLabel } from '../pages/labels.ts'
import type { Cell } from '../pages/layout.ts'
import { filterParameters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { WireRecord } from './serialise.ts'

const renderSelection = fragment(
  'selection',
  `<section class="selection">
<h2>The whole selection</h2>
<p>As <a href="<%= it.formats.json %>">JSON</a> (this page), <a href="<%= it.formats.csv %>">CSV</a>, <a href="<%= it.formats.ndjson %>">NDJSON</a> or <a href="<%= it.formats.urls %>">list of URLs</a>; new files as they come: <a href="<%= it.formats.changes %>">changes</a>.</p>
<% for (const command of it.commands) { %>
<div class="command"><pre tabindex="0"><code><%= command %></code></pre><button type="button" class="copy" hidden>Copy</button></div>
<% } %>
<details>
<summary>Request and response of this page as JSON</summary>
<pre tabindex="0"><%= it.wire %></pre>
</details>
</section>
`,
)

export const filesView: CollectionView<WireRecord> = {
  frame: { title: 'Files', section: 'rinex-file', up: '../' },
  noun: ['file', 'files'],
  fields: formFieldsOf(filterParameters),
  all: 'All files',
  sizes: [20, 50, 100, 500],
  className: 'files',
  caption: 'Times in UTC; (022) is the day of the year',
  // The two links of a file come first, because narrow screens cut off the last columns.
  columns: [
    {
      label: 'Get',
      cell: ({ download_path: href, filename }) => ({
        text: '↓',
        href,
        label: `Download ${filename}`,
      }),
    },
    {
      key: 'filename',
      label: 'File',
      first: 'ascending',
      cell: ({ filename, url, file }) => ({
        text: filename,
        href: url,
        isHeader: true,
        problem: file?.problem ?? '',
      }),
    },
    {
      label: 'Size',
      isNumber: true,
      cell: ({ file }) => (typeof file?.size === 'number' ? readableSize(file.size) : ''),
    },
    {
      key: 'data_date',
      label: 'Start of data',
      first: 'descending',
      cell: ({ data_date: time }) => dateCell(time),
    },
    { label: 'Type', cell: (record) => typeLabel(record.file_type) },
    { label: 'Period', cell: (record) => durationLabel(record.file_duration) },
    { label: 'Name', cell: (record) => (record.file_version === 'r2' ? 'short' : 'long') },
    { label: 'Area', cell: ({ file }) => file?.area ?? '' },
    { key: 'created', label: 'Listed', first: 'descending', cell: listedCell },
    {
      key: 'id',
      label: 'Record',
      first: 'descending',
      isNumber: true,
      cell: ({ id }) => String(id),
    },
  ],
}

function listedCell({ created, modified }: WireRecord): Cell {
  const replaced = {
    note: 'replaced',
    noteTitle: `replaced ${readableTime(modified, 'second')}`,
  }
  return { text: readableTime(created), time: created, ...(modified !== created && replaced) }
}

interface ListPageData extends CollectionPage<WireRecord> {
  readonly ordering: Ordering
  readonly links: Links
  /** The headers of the same page as JSON. */
  readonly headers: Readonly<Record<string, string>>
}

export function renderList(list: ListPageData): Page {
  const { links } = list
  const below = renderSelection(selectionOf(list))
  return renderCollection(filesView, list, { links, below })
}

function selectionOf({ kept, links, range, headers }: ListPageData) {
  const urlAs = (format: string): string =>
    pageUrl(links, 'rinex-file', [...kept, ['format', format]])
  const place: readonly Parameter[] = [
    ['limit', String(range.limit)],
    ['offset', String(range.offset)],
  ]
  const json = pageUrl(links, 'rinex-file', [...kept, ...place, ['format', 'json']])
  const filters = kept.filter(([name]) => name !== 'ordering')
  return {
    formats: {
      json,
      csv: urlAs('csv'),
      ndjson: urlAs('ndjson'),
      urls: urlAs('urls'),
      changes: pageUrl(links, 'changes', filters),
    },
    commands: [
      `curl -s '${shellSafe(urlAs('urls'))}' | wget -N -x -nH -i -`,
      `curl -s --compressed '${shellSafe(urlAs('csv'))}' > list.csv`,
    ],
    wire: wireText(json, headers),
  }
}

/** Escapes a URL for single quotes in a shell command. */
function shellSafe(url: string): string {
  return url.replaceAll("'", '%27')
}

/** The request for the same page as JSON, and the head of the response, as a program sees them. */
function wireText(target: string, headers: ListPageData['headers']): string {
  const url = new URL(target)
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
  return lines.join('\n')
}
