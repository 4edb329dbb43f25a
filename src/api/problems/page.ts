import { problemNames } from './problem-list.ts'
import type { WireProblem } from './problem-list.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import { readableTime } from '../pages/labels.ts'

const template = `<nav aria-label="Kinds of problems">
<ul>
<li><a href="?format=api">all</a></li>
<% for (const name of it.names) { %><li><a href="?format=api&amp;problem=<%= name %>"><%= name %></a></li>
<% } %>
</ul>
</nav>
<p><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0">
<table>
<caption>Paths below the archive root; times in UTC</caption>
<thead>
<tr><th scope="col">Problem</th><th scope="col">Path</th><th scope="col">Reason</th><th scope="col">Since</th></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr><td><%= row.problem %></td><th scope="row"><code><%= row.path %></code></th><td><a href="../../docs/?format=api#reason-<%= row.reason %>"><%= row.reason %></a></td><td><%= row.time %></td></tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
`

const render = page('problems', ignoredTemplate + template + pagerTemplate)

export function renderProblems(list: CollectionPage<WireProblem>): string {
  const frame = { title: 'Problems', section: 'status', up: '../../', json: jsonLink(list) }
  return render(frame, {
    names: problemNames,
    extent: extentOf(list, ['problem', 'problems']),
    rows: list.results.map((row) => ({ ...row, time: readableTime(row.since, 'second') })),
    ignored: list.ignored,
    pager: pagerOf(list),
  })
}
