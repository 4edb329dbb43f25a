import type { WireStation } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import { durationLabel, readableNumber, typeLabel } from '../pages/labels.ts'
import type { FileDuration, FileType } from '../../parse/types.ts'

const listTemplate = `<p><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide">
<table>
<caption>Dates are those of the data, in UTC</caption>
<thead>
<tr>
<th scope="col">Station</th><th scope="col">Country</th><th scope="col">First date</th><th scope="col">Last date</th>
<th scope="col" class="number">Files</th>
</tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><a href="<%= row.url %>"><%= row.code %></a><%= row.others %></th>
<td><%= row.country %></td>
<td><time><%= row.first_data_date %></time></td>
<td><time><%= row.last_data_date %></time></td>
<td class="number"><a href="<%= row.files %>"><%= row.number %></a></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
`

const oneTemplate = `<p><a href="<%= it.files %>">Files of <%= it.code %></a></p>
<h2>Daily observation files</h2>
<div class="wide">
<%~ it.calendar %>
</div>
<p><a href="availability/?format=api">Availability in detail</a>, <a href="availability/?period=01H&amp;format=api">of hourly files</a>, <a href="latency/?format=api">latency of hourly files</a></p>
<h2>Facts</h2>
<dl>
<% for (const fact of it.facts) { %>
<dt><%= fact.name %></dt>
<dd><%= fact.value %></dd>
<% } %>
</dl>
`

const renderAll = page('stations', ignoredTemplate + listTemplate + pagerTemplate)
const renderOne = page('station', oneTemplate)

export function renderStations(list: CollectionPage<WireStation>): string {
  const frame = { title: 'Stations', section: 'station', up: '../', json: jsonLink(list) }
  return renderAll(frame, {
    extent: extentOf(list, ['station', 'stations']),
    rows: list.results.map((station) => ({
      ...station,
      country: station.country ?? (station.merged ? 'merged navigation' : ''),
      others: station.codes.map((code) => (code === station.code ? '' : `, ${code}`)).join(''),
      number: readableNumber(station.count),
    })),
    ignored: list.ignored,
    pager: pagerOf(list),
  })
}

/** @param calendar of its daily observation files, as SVG */
export function renderStation(station: WireStation, calendar = ''): string {
  const frame = {
    title: `Station ${station.code}`,
    section: 'station',
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
  return renderOne(frame, { ...station, facts, calendar })
}

/** `observation: 12, navigation: 3` */
function counts(
  values: Readonly<Record<string, number>>,
  labelOf: (value: string) => string,
): string {
  return Object.entries(values)
    .map(([value, count]) => `${labelOf(value)}: ${readableNumber(count)}`)
    .join(', ')
}
