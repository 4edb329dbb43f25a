/** The HTML page of the alerts. */
import type { Alert } from '../../insight/alerts.ts'
import { listForm } from '../files/list-form.ts'
import { queryText } from '../http/links.ts'
import { activeFilters, activeTemplate } from '../pages/collection-links.ts'
import { readableDate, readableTime } from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import { seriesFields, seriesFilterForm } from '../series/page.ts'
import { alertTitle } from './atom.ts'

const template = `${ignoredTemplate}${seriesFilterForm}${activeTemplate}<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Alerts">
<table>
<caption>Times in UTC, (022) is the day of the year</caption>
<thead>
<tr><th scope="col">Alert</th><th scope="col">First missing data</th><th scope="col">Opened</th></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><a href="<%= row.href %>"><%= row.title %></a></th>
<td><%= row.since %></td>
<td><%= row.opened %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<p>All of these as an <a href="<%= it.atom %>">Atom feed</a>.</p>
${pagerTemplate}`

const render = page('alerts', template)

const fields = seriesFields.filter(({ name }) => name !== 'period')

export function renderAlerts(list: CollectionPage<Alert>): string {
  const { kept, range } = list
  const state = { kept, limit: range.limit }
  const frame = { title: 'Alerts', section: 'network', up: '../', json: jsonLink(list) }
  return render(frame, {
    extent: extentOf(list, ['alert', 'alerts']),
    form: listForm({ ...state, fields }),
    active: activeFilters(state, (name) => name),
    rows: list.results.map(alertRow),
    ignored: list.ignored,
    atom: `?${queryText([...kept, ['format', 'atom']])}`,
    pager: pagerOf(list),
  })
}

function alertRow(alert: Alert) {
  const { kind, since, opened, series } = alert
  const { station = '', file_type: type, period } = series[0] ?? {}
  const isStalled = kind === 'ingest-stalled'
  return {
    title: alertTitle(alert),
    href: isStalled
      ? '../series/?state=late,missing&format=api'
      : `../station/${station}/availability/?file_type=${type ?? ''}&period=${period ?? ''}&format=api`,
    since: isStalled ? '' : readableDate(since),
    opened: readableTime(opened),
  }
}
