/** The HTML page of the missing files. */
import { listForm } from '../files/list-form.ts'
import { activeFilters, activeTemplate, sortLink } from '../pages/collection-links.ts'
import type { Column } from '../pages/collection-links.ts'
import { readableDate, readableTime, typeLabel } from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import { seriesFields, seriesFilterForm, stateField } from '../series/page.ts'
import { missingStates } from './schema.ts'
import type { MissingOrderKey, WireMissing } from './schema.ts'

const template = `${ignoredTemplate}${seriesFilterForm}${activeTemplate}<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Missing files">
<table>
<caption>Times in UTC, (022) is the day of the year</caption>
<thead>
<tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.sort !== '') { %> aria-sort="<%= column.sort %>"<% } %>><a href="<%= column.href %>"><%= column.label %></a></th><% if (column.key === 'station') { %><th scope="col">Type</th><th scope="col">Period</th><th scope="col">State</th><% } %>
<% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td><%= row.startText %></td>
<th scope="row"><a href="<%= row.href %>"><%= row.station %></a></th>
<td><%= row.type %></td>
<td><%= row.period %></td>
<td><span class="state <%= row.state %>"><%= row.state %></span></td>
<td><%= row.by %></td>
<td><%= row.sinceText %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<p>All of these as <a href="<%= it.csv %>">CSV</a>, a worklist for backfilling.</p>
${pagerTemplate}`

const render = page('missing', template)

const fields = [
  ...seriesFields,
  stateField(missingStates),
  { name: 'from', label: 'From', hint: '2026-022, 2026-01-22' },
  { name: 'to', label: 'To', hint: '2026-023, 2026-01-23' },
]

const columns: readonly Column<MissingOrderKey>[] = [
  { key: 'start', label: 'Start of data', first: 'descending' },
  { key: 'station', label: 'Station', first: 'ascending' },
  { key: 'expected_by', label: 'Expected by', first: 'descending' },
  { key: 'since', label: 'Late or missing since', first: 'descending' },
]

interface MissingPageData extends CollectionPage<WireMissing> {
  readonly ordering: { readonly key: MissingOrderKey; readonly descending: boolean }
}

export function renderMissing(list: MissingPageData): string {
  const { kept, range, ordering } = list
  const state = { kept, limit: range.limit }
  const csv = new URLSearchParams([...kept, ['format', 'csv']] as [string, string][])
  const frame = { title: 'Missing files', section: 'missing', up: '../', json: jsonLink(list) }
  return render(frame, {
    extent: extentOf(list, ['missing file', 'missing files']),
    form: listForm({ ...state, fields }),
    active: activeFilters(state, (name) => name),
    columns: columns.map((column) => sortLink(column, ordering, state)),
    rows: list.results.map((row) => ({
      ...row,
      startText: readableDate(row.start),
      href: `../station/${row.station}/?format=api`,
      type: typeLabel(row.file_type),
      by: readableTime(row.expected_by),
      sinceText: readableTime(row.since),
    })),
    ignored: list.ignored,
    csv: `?${csv.toString()}`,
    pager: pagerOf(list),
  })
}
