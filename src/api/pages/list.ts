import type { PageLinks, PageRange } from '../query.ts'
import type { WireRecord } from '../serialise.ts'
import { page } from './layout.ts'
import { durationWord, readableNumber, readableTime, typeWord } from './words.ts'

const template = `<p><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide">
<table>
<caption>Newest record first; times in UTC</caption>
<thead>
<tr>
<th scope="col">Id</th><th scope="col">File</th><th scope="col">Data date</th><th scope="col">Period</th>
<th scope="col">Version</th><th scope="col">Type</th><th scope="col">Modified</th>
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
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<nav aria-label="Pages">
<ul>
<% for (const link of it.pager) { %>
<li><% if (link.href === null) { %><span><%= link.text %></span><% } else { %><a href="<%= link.href %>" rel="<%= link.rel %>"><%= link.text %></a><% } %></li>
<% } %>
</ul>
</nav>
`

export interface ListPage {
  readonly count: number
  readonly range: PageRange
  readonly pages: PageLinks
  readonly results: readonly WireRecord[]
}

const render = page('list', template)

export function renderList(list: ListPage): string {
  const { limit, offset } = list.range
  const { first, previous, next, last } = list.pages
  const frame = {
    title: 'Rinex File List',
    up: '../',
    json: `?format=json&limit=${limit}&offset=${offset}`,
  }
  return render(frame, {
    extent: extentOf(list),
    rows: list.results.map((record) => ({
      ...record,
      date: readableTime(record.data_date),
      period: durationWord(record.file_duration),
      type: typeWord(record.file_type),
      changed: readableTime(record.modified, 'second'),
    })),
    pager: [
      { href: first, rel: 'first', text: 'First' },
      { href: previous, rel: 'prev', text: 'Previous' },
      { href: next, rel: 'next', text: 'Next' },
      { href: last, rel: 'last', text: 'Last' },
    ],
  })
}

function extentOf({ count, range, results }: ListPage): string {
  const total = `${readableNumber(count)} ${count === 1 ? 'file' : 'files'}`
  if (results.length === 0) return count === 0 ? 'No files yet.' : `Past the end of ${total}.`
  const first = readableNumber(range.offset + 1n)
  const last = readableNumber(range.offset + BigInt(results.length))
  return `${first} to ${last} of ${total}`
}
