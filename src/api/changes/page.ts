import type { WireChange } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { readableTime } from '../pages/labels.ts'

const template = `<p><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide">
<table>
<caption>Each file with its latest change; times in UTC</caption>
<thead>
<tr><th scope="col" class="number">Number</th><th scope="col">Change</th><th scope="col">At</th><th scope="col">File</th></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td class="number"><%= row.seq %></td>
<td><%= row.change %></td>
<td><time datetime="<%= row.at %>"><%= row.time %></time></td>
<th scope="row"><% if (row.href === null) { %><%= row.record.filename %><% } else { %><a href="<%= row.href %>"><%= row.record.filename %></a><% } %></th>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<nav aria-label="Pages">
<ul>
<li><% if (it.earlier === null) { %><span>Earlier</span><% } else { %><a href="<%= it.earlier %>" rel="prev">Earlier</a><% } %></li>
<li><a href="<%= it.next %>" rel="next">Later</a></li>
</ul>
</nav>
`

export interface ChangesPageData {
  readonly lastSeq: number
  readonly since: number
  readonly next: string
  /** Null when the earlier changes were purged. */
  readonly earlier: string | null
  readonly results: readonly WireChange[]
}

const render = page('changes', template)

export function renderChanges({ lastSeq, since, next, earlier, results }: ChangesPageData): string {
  const nextQuery = next.slice(next.indexOf('?') + 1)
  const json = new URLSearchParams(nextQuery)
  json.set('since', String(since))
  json.set('format', 'json')
  const rows = results.map((change) => ({
    ...change,
    time: readableTime(change.at, 'second'),
    href: change.change === 'removed' ? null : change.record.url,
  }))
  const noun = results.length === 0 ? 'No changes' : 'Changes'
  const extent = `${noun} after number ${since}; the latest is ${lastSeq}.`
  const frame = { title: 'Changes', section: 'changes', up: '../', json: `?${json.toString()}` }
  return render(frame, { extent, rows, next, earlier })
}
