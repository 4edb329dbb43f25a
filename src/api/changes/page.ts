/** The HTML page of the change feed: newest changes first. */
import type { Parameter } from '../http/links.ts'
import { changesFilters } from './request.ts'
import { fileFields, listForm } from '../files/list-form.ts'
import { filterFields } from '../files/page.ts'
import { page } from '../pages/layout.ts'
import { changeLabel, readableDate, readableSize, readableTime } from '../pages/labels.ts'
import type { WireChange } from './schema.ts'

const template = `<form class="filters" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
${filterFields}<div class="field submit"><button>Show</button> <a href="?format=api">All changes</a></div>
</form>
<div<% if (it.isLatest) { %> data-live<% } %>>
<p class="extent"><%= it.extent %></p>
<% if (it.others.length > 0) { %><p>Further filters: <% for (const { name, value } of it.others) { %><code><%= name %>=<%= value %></code> <% } %></p>
<% } %>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Changes">
<table class="files">
<caption>Each file with its latest change, the newest first; size and time of the file as they are now, or were before its removal; times in UTC, (022) is the day of the year</caption>
<thead>
<tr><th scope="col">At</th><th scope="col">Change</th><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col">Last written</th><th scope="col">Start of data</th><th scope="col" class="number">Number</th></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td><time datetime="<%= row.at %>"><%= row.time %></time></td>
<td><%= row.label %></td>
<th scope="row"><% if (row.href === null) { %><%= row.record.filename %><% } else { %><a href="<%= row.href %>"><%= row.record.filename %></a><% } %></th>
<td class="number"><%= row.size %></td>
<td><%= row.written %></td>
<td><%= row.date %></td>
<td class="number"><%= row.seq %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<nav aria-label="Pages">
<ul>
<li><% if (it.isLatest) { %><span>Newer</span><% } else { %><a href="<%= it.next %>" rel="next">Newer</a><% } %></li>
<li><% if (it.earlier === null) { %><span>Older</span><% } else { %><a href="<%= it.earlier %>" rel="prev">Older</a><% } %></li>
</ul>
</nav>
</div>
<p>Programs follow the <a href="<%= it.feed %>">feed from here</a>: each page names the next, and waits for changes with <code>wait=60</code>.</p>
`

export interface ChangesPageData {
  readonly lastSeq: number
  readonly since: number
  readonly throughSeq: number
  readonly next: string
  /** Null when the earlier changes were purged. */
  readonly earlier: string | null
  /** Whether these are the latest changes, without a number in the request. */
  readonly isLatest: boolean
  readonly kept: readonly Parameter[]
  readonly limit: number
  readonly results: readonly WireChange[]
}

const render = page('changes', template)

/** Filters with a field. */
const fieldNames = ['station', 'country', 'file_type', 'file_duration', 'area']
const fields = fileFields.filter(({ name }) => fieldNames.includes(name))

export function renderChanges(data: ChangesPageData): string {
  const { lastSeq, since, throughSeq, next, earlier, isLatest, results } = data
  const json = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  json.set('since', String(since))
  json.set('format', 'json')
  const rows = results.toReversed().map((change) => ({
    ...change,
    time: readableTime(change.at, 'second'),
    date: readableDate(change.record.data_date),
    label: labelOf(change),
    size: sizeOf(change),
    written: readableTime(change.record.file?.mtime ?? null, 'second'),
    href: change.change === 'removed' ? null : change.record.url,
  }))
  const noun = results.length === 0 ? 'No changes' : 'Changes'
  const extent = isLatest
    ? `The latest change has number ${lastSeq}.`
    : `${noun} after number ${since} up to ${throughSeq}; the latest is ${lastSeq}.`
  const kept = data.kept.filter(([name]) => name !== 'limit')
  const form = listForm({ kept, limit: data.limit, fields })
  const frame = { title: 'Changes', section: 'changes', up: '../', json: `?${json.toString()}` }
  return render(frame, {
    ...{ extent, rows, next, earlier, isLatest },
    form,
    others: form.hidden.filter(({ name }) => changesFilters.has(name)),
    feed: next.replace('format=api', 'format=json'),
  })
}

function labelOf({ change, at, record: { created, modified } }: WireChange): string {
  return changeLabel({ kind: change, at, created, modified })
}

function sizeOf({ record }: WireChange): string {
  const size = record.file?.size
  return typeof size === 'number' ? readableSize(size) : ''
}
