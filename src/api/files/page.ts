/** The HTML pages of the list and of one record. */
import type { WireRecord } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import {
  durationLabel,
  problemLabel,
  readableNumber,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'

const listTemplate = `<p><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide">
<table>
<caption>Times in UTC</caption>
<thead>
<tr>
<th scope="col">Id</th><th scope="col">File</th><th scope="col">Data date</th><th scope="col">Period</th>
<th scope="col">Version</th><th scope="col">Type</th><th scope="col">Modified</th>
<% if (it.details) { %><th scope="col" class="number">Bytes</th><th scope="col">Problem</th><% } %>
</tr>
</thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<td><a href="<%= row.url %>"><%= row.id %></a></td>
<th scope="row"><a href="<%= row.download_path %>"><%= row.filename %></a></th>
<td><time datetime="<%= row.data_date %>"><%= row.date %></time></td>
<td><%= row.period %></td>
<td><%= row.file_version %></td>
<td><%= row.type %></td>
<td><time datetime="<%= row.modified %>"><%= row.changed %></time></td>
<% if (it.details) { %><td class="number"><%= row.bytes %></td><td><%= row.problem %></td><% } %>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
`

const recordTemplate = `<p><a href="<%= it.download_path %>">Download <%= it.filename %></a></p>
<dl>
<% for (const field of it.fields) { %>
<dt><%= field.name %></dt>
<dd><% if (field.isLink) { %><a href="<%= field.value %>"><%= field.value %></a><% } else { %><%= field.value %><% } %><% if (field.label !== '') { %> (<%= field.label %>)<% } %></dd>
<% } %>
</dl>
`

const linkFields = ['url', 'download_path']

const renderListPage = page('list', ignoredTemplate + listTemplate + pagerTemplate)
const renderRecordPage = page('record', recordTemplate)

export function renderList(list: CollectionPage<WireRecord>): string {
  const frame = { title: 'Rinex File List', up: '../', json: jsonLink(list) }
  return renderListPage(frame, {
    extent: extentOf(list, ['file', 'files']),
    rows: list.results.map((record) => ({
      ...record,
      date: readableTime(record.data_date),
      period: durationLabel(record.file_duration),
      type: typeLabel(record.file_type),
      changed: readableTime(record.modified, 'second'),
      bytes: sizeText(record.file?.size ?? null),
      problem: record.file?.problem ?? '',
    })),
    details: list.results.some(({ file }) => file !== undefined),
    ignored: list.ignored,
    pager: pagerOf(list.pages),
  })
}

function sizeText(bytes: number | null): string {
  return bytes === null ? '' : readableNumber(bytes)
}

export function renderRecord(record: WireRecord): string {
  const labels: Readonly<Record<string, string>> = {
    file_duration: durationLabel(record.file_duration),
    file_type: typeLabel(record.file_type),
    size: 'bytes',
    problem: problemLabel(record.file?.problem ?? null),
  }
  const { file, ...recordFields } = record
  const details = Object.entries(file ?? {}).filter(([, value]) => value !== null)
  const fields = [...Object.entries(recordFields), ...details].map(([name, value]) => ({
    name,
    value,
    isLink: linkFields.includes(name),
    label: labels[name] ?? '',
  }))
  const frame = { title: record.filename, up: '../../', json: '?format=json' }
  return renderRecordPage(frame, { ...record, fields })
}
