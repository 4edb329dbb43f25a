import type { WireRecord } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { extentOf, ignoredTemplate, jsonLink, pagerOf, pagerTemplate } from '../pages/pager.ts'
import type { CollectionPage } from '../pages/pager.ts'
import { durationWord, readableNumber, readableTime, typeWord } from '../pages/words.ts'

const template = `<p><%= it.extent %></p>
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

const render = page('list', ignoredTemplate + template + pagerTemplate)

export function renderList(list: CollectionPage<WireRecord>): string {
  const frame = { title: 'Rinex File List', up: '../', json: jsonLink(list) }
  return render(frame, {
    extent: extentOf(list, ['file', 'files']),
    rows: list.results.map((record) => ({
      ...record,
      date: readableTime(record.data_date),
      period: durationWord(record.file_duration),
      type: typeWord(record.file_type),
      changed: readableTime(record.modified, 'second'),
      bytes: sizeOf(record.file?.size ?? null),
      problem: record.file?.problem ?? '',
    })),
    details: list.results.some(({ file }) => file !== undefined),
    ignored: list.ignored,
    pager: pagerOf(list.pages),
  })
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? '' : readableNumber(bytes)
}
