/** The HTML page of the series. */
import { periods } from '../../insight/series.ts'
import { seriesStates } from '../../insight/series-summary.ts'
import { filterFields } from '../files/page.ts'
import { fileFields, listForm } from '../files/list-form.ts'
import type { Field } from '../files/list-form.ts'
import { activeFilters, activeTemplate, sortLink } from '../pages/collection-links.ts'
import type { Column } from '../pages/collection-links.ts'
import { readableDate, readableShare, readableTime, typeLabel } from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import type { SeriesOrderKey, WireSeries } from './schema.ts'

/** The filter form of a list of series, as `it.form`. */
export const seriesFilterForm = `<form class="filters" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
${filterFields}<div class="field submit"><button>Show</button> <a href="?format=api">All</a></div>
</form>
`

const template = `${ignoredTemplate}${seriesFilterForm}${activeTemplate}<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Series">
<table>
<caption>Times in UTC, (022) is the day of the year; shares of the last 28 days</caption>
<thead>
<tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.sort !== '') { %> aria-sort="<%= column.sort %>"<% } %>><a href="<%= column.href %>"><%= column.label %></a></th><% if (column.key === 'station') { %><th scope="col">Type</th><th scope="col">Period</th><% } %>
<% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><a href="<%= row.href %>"><%= row.station %></a></th>
<td><%= row.type %></td>
<td><%= row.period %></td>
<td><span class="state <%= row.state %>"><%= row.state %></span></td>
<td><%= row.sinceText %></td>
<td><%= row.last %></td>
<td><%= row.arrival %></td>
<td class="share <%= row.class %>"><%= row.share %><% if (row.percent !== null) { %> <meter min="0" max="100" low="80" high="90" optimum="100" value="<%= row.percent %>" aria-hidden="true"></meter><% } %></td>
<td><%= row.within %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<p>All of these as <a href="<%= it.csv %>">CSV</a>.</p>
${pagerTemplate}`

const render = page('series', template)

/** The fields of the filter form, besides the states. */
export const seriesFields: readonly Field[] = [
  ...fileFields.filter(({ name }) => ['station', 'country', 'file_type'].includes(name)),
  {
    name: 'period',
    label: 'Period',
    options: periods.map((value) => ({ value, text: value })),
  },
]

/** The field that selects a state. */
export function stateField(states: readonly string[]): Field {
  return {
    name: 'state',
    label: 'State',
    options: states.map((value) => ({ value, text: value })),
  }
}

const fields = [...seriesFields, stateField(seriesStates)]

const columns: readonly Column<SeriesOrderKey>[] = [
  { key: 'station', label: 'Station', first: 'ascending' },
  { key: 'state', label: 'State', first: 'ascending' },
  { key: 'since', label: 'Since', first: 'ascending' },
  { key: 'last_slot', label: 'Newest data', first: 'ascending' },
  { key: 'last_arrival', label: 'Last arrival', first: 'descending' },
  { key: 'share_28d', label: 'Delivered', first: 'ascending' },
  { key: 'within_target_28d', label: 'In time', first: 'ascending' },
]

interface SeriesPageData extends CollectionPage<WireSeries> {
  readonly ordering: { readonly key: SeriesOrderKey; readonly descending: boolean }
}

export function renderSeries(list: SeriesPageData): string {
  const { kept, range, ordering } = list
  const state = { kept, limit: range.limit }
  const csv = new URLSearchParams([...kept, ['format', 'csv']] as [string, string][])
  const frame = { title: 'Series', section: 'network', up: '../', json: jsonLink(list) }
  return render(frame, {
    extent: extentOf(list, ['series', 'series']),
    form: listForm({ ...state, fields }),
    active: activeFilters(state, (name) => name),
    columns: columns.map((column) => sortLink(column, ordering, state)),
    rows: list.results.map(seriesRow),
    ignored: list.ignored,
    csv: `?${csv.toString()}`,
    pager: pagerOf(list),
  })
}

function seriesRow(series: WireSeries) {
  const { station, file_type: type, period, share_28d: share } = series
  return {
    ...series,
    href: `../station/${station}/availability/?file_type=${type}&period=${period}&format=api`,
    type: typeLabel(type),
    sinceText: readableDate(series.since),
    last: readableDate(series.last_slot),
    arrival: readableTime(series.last_arrival),
    share: readableShare(share),
    percent: share === null ? null : Math.round(share * 100),
    within: readableShare(series.within_target_28d),
  }
}
