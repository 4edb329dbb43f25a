import type { WireStation } from './serialise.ts'
import type { StationOrdering } from '../../catalogue/reader.ts'
import { seriesStates } from '../../insight/series-summary.ts'
import { activeFilters, activeTemplate, sortLink } from '../pages/collection-links.ts'
import type { Column } from '../pages/collection-links.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import {
  durationLabel,
  readableDate,
  readableNumber,
  readableShare,
  typeLabel,
} from '../pages/labels.ts'
import type { FileDuration, FileType } from '../../parse/types.ts'
import type { NetworkState } from '../series/network-states.ts'

const listTemplate = `<form class="filters" method="get" role="search" aria-label="Filters">
<input type="hidden" name="format" value="api">
<% for (const field of it.hidden) { %><input type="hidden" name="<%= field.name %>" value="<%= field.value %>">
<% } %>
<div class="field"><label for="f-search">Code or part of it</label><input id="f-search" name="search" value="<%= it.search %>" placeholder="GRAZ" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="f-country">Country</label><input id="f-country" name="country" value="<%= it.country %>" placeholder="AUT, DEU" autocomplete="off" spellcheck="false"></div>
<div class="field submit"><button>Show</button> <a href="?format=api">All stations</a></div>
</form>
<p>By state: <% for (const state of it.states) { %><a href="../series/?format=api&amp;state=<%= state %>"><%= state %></a> <% } %></p>
${activeTemplate}<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Stations">
<table>
<caption>Dates are those of the data, in UTC; (022) is the day of the year. State and share are those of the hourly observation files, or of the daily ones</caption>
<thead>
<tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.key === 'count') { %> class="number"<% } %><% if (column.sort !== '') { %> aria-sort="<%= column.sort %>"<% } %>><a href="<%= column.href %>"><%= column.label %></a></th>
<% } %><th scope="col">Types</th><th scope="col">Now</th><th scope="col">Last 28 days</th>
</tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><a href="<%= row.url %>"><%= row.code %></a><%= row.others %></th>
<td><%= row.country %></td>
<td><time datetime="<%= row.first_data_date %>"><%= row.first %></time></td>
<td><time datetime="<%= row.last_data_date %>"><%= row.last %></time></td>
<td class="number"><a href="<%= row.files %>"><%= row.number %></a></td>
<td><%= row.types %></td>
<td><% if (row.state !== '') { %><span class="state <%= row.state %>"><%= row.state %></span><% } %></td>
<td class="share"><% if (row.percent !== null) { %><meter min="0" max="100" low="80" high="90" optimum="100" value="<%= row.percent %>" aria-hidden="true"></meter> <%= row.share %><% } %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
`

const oneTemplate = `<p class="lead"><a class="button" href="<%= it.files %>">Files of <%= it.code %></a> <a class="button" href="../../missing/?format=api&amp;station=<%= it.code %>">Missing files</a> <%= it.summary %></p>
<% for (const series of it.calendars) { %>
<section>
<h2><%= series.title %></h2>
<p><%= series.sentence %> <a href="<%= series.href %>">In detail</a></p>
<div class="wide" tabindex="0" role="region" aria-label="<%= series.title %>">
<%~ series.picture %>
</div>
</section>
<% } %>
<% if (it.latency !== undefined && it.latency.picture !== '') { %>
<section>
<h2>Arrival of hourly observation files</h2>
<p><%= it.latency.sentence %> <a href="latency/?format=api">In detail</a></p>
<div class="wide" tabindex="0" role="region" aria-label="Arrivals">
<%~ it.latency.picture %>
</div>
</section>
<% } %>
<h2>Years</h2>
<p><% for (const year of it.years) { %><a href="<%= year.href %>"><%= year.year %></a> <% } %></p>
<h2>Facts</h2>
<dl class="facts">
<% for (const fact of it.facts) { %>
<div><dt><%= fact.name %></dt>
<dd><%= fact.value %></dd></div>
<% } %>
</dl>
`

const renderAll = page('stations', ignoredTemplate + listTemplate + pagerTemplate)
const renderOne = page('station', oneTemplate)

const columns: readonly Column<StationOrdering['key']>[] = [
  { key: 'code', label: 'Station', first: 'ascending' },
  { key: 'country', label: 'Country', first: 'ascending' },
  { key: 'first_data_date', label: 'First data', first: 'ascending' },
  { key: 'last_data_date', label: 'Last data', first: 'descending' },
  { key: 'count', label: 'Files', first: 'descending' },
]

export interface StationsPageData extends CollectionPage<WireStation> {
  readonly ordering: StationOrdering
}

/** @param series by station */
export function renderStations(
  list: StationsPageData,
  series: ReadonlyMap<string, NetworkState>,
): string {
  const { kept, range, ordering } = list
  const state = { kept, limit: range.limit }
  const extent = extentOf(list, ['station', 'stations'])
  const frame = { title: 'Stations', section: 'station', up: '../', json: jsonLink(list) }
  const valueOf = (name: string): string =>
    kept
      .filter(([key]) => key === name)
      .map(([, value]) => value)
      .join(',')
  return renderAll(
    { ...frame, description: `Stations of the archive: ${extent}` },
    {
      extent,
      states: seriesStates,
      search: valueOf('search'),
      country: valueOf('country'),
      hidden: kept
        .filter(([name]) => name !== 'search' && name !== 'country')
        .map(([name, value]) => ({ name, value })),
      active: activeFilters(state, (name) => name),
      columns: columns.map((column) => sortLink(column, ordering, state)),
      rows: list.results.map((station) => ({
        ...station,
        country: station.country ?? (station.merged ? 'merged navigation' : ''),
        others: station.codes.map((code) => (code === station.code ? '' : `, ${code}`)).join(''),
        first: readableDate(station.first_data_date),
        last: readableDate(station.last_data_date),
        number: readableNumber(station.count),
        types: Object.keys(station.file_type)
          .map((type) => typeLabel(type as FileType))
          .join(', '),
        ...stateOf(series.get(station.code)),
      })),
      ignored: list.ignored,
      pager: pagerOf(list),
    },
  )
}

function stateOf(series: NetworkState | undefined) {
  const share = series?.summary.share
  return {
    state: series?.summary.state ?? '',
    share: readableShare(share ?? null),
    percent: share === undefined ? null : Math.round(share * 100),
  }
}

/** A series with its picture. */
export interface SeriesPicture {
  readonly title: string
  readonly sentence: string
  readonly href: string
  /** SVG. */
  readonly picture: string
}

export function renderStation(
  station: WireStation,
  calendars: readonly SeriesPicture[],
  latency?: { readonly sentence: string; readonly picture: string },
): string {
  const [first, last] = [station.first_data_date, station.last_data_date]
  const summary = `${readableNumber(station.count)} files from ${readableDate(first)} to ${readableDate(last)}`
  const frame = {
    title: `Station ${station.code}`,
    section: 'station',
    description: `RINEX files of ${station.code}: ${summary}`,
    up: '../../',
    json: '?format=json',
  }
  const facts = [
    { name: 'country', value: station.country ?? 'unknown' },
    { name: 'first data date', value: station.first_data_date },
    { name: 'last data date', value: station.last_data_date },
    { name: 'files', value: readableNumber(station.count) },
    { name: 'by area', value: counts(station.area, (area) => area) },
    { name: 'by type', value: counts(station.file_type, (type) => typeLabel(type as FileType)) },
    {
      name: 'by period',
      value: counts(station.file_duration, (period) => durationLabel(period as FileDuration)),
    },
    { name: 'by version', value: counts(station.file_version, (version) => version) },
  ]
  return renderOne(frame, {
    ...station,
    facts,
    calendars,
    latency,
    summary,
    years: yearsOf(station),
  })
}

/** Links to the files of each year. */
function yearsOf({ first_data_date, last_data_date, files }: WireStation) {
  const [first, last] = [first_data_date, last_data_date].map((date) => Number(date.slice(0, 4)))
  const years = Math.min((last ?? 0) - (first ?? 0) + 1, maxYears)
  return Array.from({ length: years }, (_value, index) => {
    const year = (last ?? 0) - index
    return { year, href: `${files}&year=${year}` }
  })
}

/** A wrong year in a name must not make the list long. */
const maxYears = 60

/** `observation: 12, navigation: 3` */
function counts(
  values: Readonly<Record<string, number>>,
  labelOf: (value: string) => string,
): string {
  return Object.entries(values)
    .map(([value, count]) => `${labelOf(value)}: ${readableNumber(count)}`)
    .join(', ')
}
