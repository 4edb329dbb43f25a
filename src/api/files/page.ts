/** The HTML page of the list: filter form, table, links to other forms of the same list. */
import type { Ordering } from '../../catalogue/filter.ts'
import type { Links, Parameter } from '../http/links.ts'
import { pageUrl } from '../http/links.ts'
import { activeFilters, activeTemplate, sortLink } from '../pages/collection-links.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import {
  durationLabel,
  readableDate,
  readableSize,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import { columns, labelOf, listForm } from './list-form.ts'
import type { WireRecord } from './serialise.ts'

/** The fields of a filter form, as `it.form`. */
export const filterFields = `<% for (const field of it.form.hidden) { %><input type="hidden" name="<%= field.name %>" value="<%= field.value %>">
<% } %>
<% for (const field of it.form.fields) { %>
<div class="field<% if (field.faults.length > 0) { %> fault<% } %>">
<label for="f-<%= field.name %>"><%= field.label %></label>
<% if (field.options) { %>
<select id="f-<%= field.name %>" name="<%= field.name %>"<% if (field.faults.length > 0) { %> aria-invalid="true" aria-describedby="e-<%= field.name %>"<% } %>><% for (const option of field.options) { %><option value="<%= option.value %>"<% if (option.isChosen) { %> selected<% } %>><%= option.text %></option><% } %></select>
<% } else { %>
<input id="f-<%= field.name %>" name="<%= field.name %>" value="<%= field.value %>" placeholder="<%= field.hint %>" autocomplete="off" spellcheck="false"<% if (field.faults.length > 0) { %> aria-invalid="true" aria-describedby="e-<%= field.name %>"<% } %>>
<% } %>
<% if (field.faults.length > 0) { %><p class="message" id="e-<%= field.name %>"><%= field.faults.join(' ') %></p><% } %>
</div>
<% } %>
`

const formTemplate = `<form class="filters" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
${filterFields}<div class="field">
<label for="f-limit">Files a page</label>
<select id="f-limit" name="limit"><% for (const each of it.form.sizes) { %><option<% if (each.isChosen) { %> selected<% } %>><%= each.size %></option><% } %></select>
</div>
<div class="field submit"><button>Show</button> <a href="?format=api">All files</a></div>
</form>
<% if (it.form.otherFaults.length > 0) { %>
<ul class="notice fault">
<% for (const fault of it.form.otherFaults) { %><li><code><%= fault.name %></code>: <%= fault.messages.join(' ') %></li>
<% } %></ul>
<% } %>
`

const tableTemplate = `<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Files">
<table class="files">
<caption>Times in UTC; (022) is the day of the year</caption>
<thead>
<tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.sort !== '') { %> aria-sort="<%= column.sort %>"<% } %>><a href="<%= column.href %>"><%= column.label %></a></th><% if (column.key === 'filename') { %><th scope="col" class="number">Size</th><% } %><% if (column.key === 'data_date') { %><th scope="col">Type</th><th scope="col">Period</th><th scope="col">Name</th><th scope="col">Area</th><% } %>
<% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td><a href="<%= row.url %>" aria-label="Record <%= row.id %>"><%= row.id %></a></td>
<th scope="row"><a href="<%= row.download_path %>"><%= row.filename %></a><% if (row.problem !== '') { %> <span class="state bad"><%= row.problem %></span><% } %></th>
<td class="number"><%= row.size %></td>
<td><% if (row.data_date !== null) { %><time datetime="<%= row.data_date %>"><%= row.date %></time><% } %></td>
<td><%= row.type %></td>
<td><%= row.period %></td>
<td><%= row.form %></td>
<td><%= row.area %></td>
<td><time datetime="<%= row.created %>"><%= row.listed %></time><% if (row.replaced !== '') { %> <span class="note" title="replaced <%= row.replaced %>">replaced</span><% } %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
`

const selectionTemplate = `<section class="selection">
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
`

const renderListPage = page(
  'list',
  ignoredTemplate +
    formTemplate +
    activeTemplate +
    tableTemplate +
    pagerTemplate +
    selectionTemplate,
)

const renderRejectedPage = page(
  'list-rejected',
  `<p class="notice fault" role="alert">The request was rejected. <a href="<%= it.without %>">The same request without them</a></p>\n${formTemplate}`,
)

/** A page of the list, with the details of its files. */
export interface ListPageData extends CollectionPage<WireRecord> {
  readonly ordering: Ordering
  /** Whether the client asked for `expand=file`. */
  readonly details: boolean
  readonly links: Links
  /** `Link` and other headers of the same page as JSON, without its `ETag`. */
  readonly headers: Readonly<Record<string, string>>
}

export function renderList(list: ListPageData): string {
  const { kept, range, ordering } = list
  const state = { kept, limit: range.limit }
  const frame = {
    title: 'Files',
    section: 'rinex-file',
    description: `RINEX files with download links: ${extentOf(list, ['file', 'files'])}`,
    up: '../',
    json: jsonLink(list),
  }
  return renderListPage(frame, {
    extent: extentOf(list, ['file', 'files']),
    form: listForm(state),
    active: activeFilters(state, labelOf),
    columns: columns.map((column) => sortLink(column, ordering, state)),
    rows: list.results.map(rowOf),
    ignored: list.ignored,
    pager: pagerOf(list),
    ...selectionOf(list),
    wire: list.results.length > maxShownAsJson ? '' : wireText(list),
  })
}

function rowOf(record: WireRecord) {
  return {
    ...record,
    date: readableDate(record.data_date),
    period: durationLabel(record.file_duration),
    type: typeLabel(record.file_type),
    form: record.file_version === 'r2' ? 'short' : 'long',
    listed: readableTime(record.created),
    replaced: record.modified === record.created ? '' : readableTime(record.modified, 'second'),
    area: record.file?.area ?? '',
    size: typeof record.file?.size !== 'number' ? '' : readableSize(record.file.size),
    problem: record.file?.problem ?? '',
  }
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

/** A URL within single quotes of a shell. */
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

/** Longer pages are not shown as JSON: that would double them. */
const maxShownAsJson = 50

/** The same page as a program sees it. */
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

/**
 * The page of a rejected request: the form as it was filled in, with the faults at their fields.
 * @param parameters of the request whose names are known
 */
export function renderRejectedList(request: {
  readonly parameters: readonly Parameter[]
  readonly limit: number
  readonly faults: Readonly<Record<string, readonly string[]>>
  /** The query of the request, without its question mark. */
  readonly query: string
}): string {
  const { parameters, limit, faults, query } = request
  const without = new URLSearchParams(query)
  for (const name of Object.keys(faults)) without.delete(name)
  const json = new URLSearchParams(query)
  json.set('format', 'json')
  const frame = {
    title: 'Files: bad request',
    section: 'rinex-file',
    up: '../',
    json: `?${json.toString()}`,
  }
  return renderRejectedPage(frame, {
    form: listForm({ kept: parameters, limit, faults }),
    without: `?${without.toString()}`,
  })
}
