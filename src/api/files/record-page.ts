/** The HTML page of one record: what is known of the file, and the files beside it. */
import { page } from '../pages/layout.ts'
import {
  durationLabel,
  problemLabel,
  readableDate,
  readableNumber,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import type { WireRecord } from './serialise.ts'

const template = `<p class="lead"><a class="button" href="<%= it.download_path %>" download>Download</a> <%= it.summary %></p>
<% if (it.problem !== '') { %><p class="notice fault"><strong>Problem:</strong> <%= it.problem %>.</p><% } %>
<dl class="facts">
<% for (const fact of it.facts) { %>
<div><dt><%= fact.name %></dt>
<dd><% if (fact.href) { %><a href="<%= fact.href %>"><%= fact.value %></a><% } else { %><%= fact.value %><% } %></dd></div>
<% } %>
</dl>
<% for (const command of it.commands) { %>
<div class="command"><pre tabindex="0"><code><%= command %></code></pre><button type="button" class="copy" hidden>Copy</button></div>
<% } %>
<% for (const group of it.groups) { %>
<h2><%= group.title %></h2>
<% if (group.rows.length === 0) { %><p>None.</p><% } else { %>
<ul class="plain">
<% for (const row of group.rows) { %><li><a href="<%= row.url %>"><%= row.filename %></a> <span class="note"><%= row.note %></span></li>
<% } %></ul>
<% } %>
<% } %>
<details>
<summary>This record as JSON</summary>
<pre tabindex="0"><%= it.wire %></pre>
</details>
`

const render = page('record', template)

/** Files of the same station: at the same time, and the same series before and after. */
export interface FilesBeside {
  readonly sameTime: readonly WireRecord[]
  readonly before: readonly WireRecord[]
  readonly after: readonly WireRecord[]
}

export function renderRecord(record: WireRecord, beside: FilesBeside): string {
  const { file } = record
  const frame = {
    title: record.filename,
    section: 'rinex-file',
    description: `${typeLabel(record.file_type)} file, ${durationLabel(record.file_duration)}, data from ${readableDate(record.data_date)}`,
    up: '../../',
    json: '?format=json',
  }
  const period = durationLabel(record.file_duration)
  return render(frame, {
    ...record,
    summary: [
      `${typeLabel(record.file_type)} data`,
      period === '' ? '' : `of a ${period}`,
      record.data_date === null ? '' : `from ${readableDate(record.data_date)} UTC`,
    ]
      .filter((text) => text !== '')
      .join(' '),
    problem: problemLabel(file?.problem ?? null),
    facts: factsOf(record),
    commands: commandsOf(record),
    groups: [
      { title: 'The same time, in other types and names', rows: beside.sameTime.map(rowOf) },
      { title: 'Before', rows: beside.before.map(rowOf) },
      { title: 'After', rows: beside.after.map(rowOf) },
    ],
    wire: JSON.stringify(record, undefined, 2),
  })
}

function rowOf(record: WireRecord) {
  const note = `${typeLabel(record.file_type)}, ${readableDate(record.data_date)}`
  return { url: record.url, filename: record.filename, note }
}

function factsOf(record: WireRecord) {
  const { file } = record
  const directory = record.download_path.slice(0, record.download_path.lastIndexOf('/') + 1)
  const station = file?.station ?? null
  return [
    { name: 'Station', value: station, href: `../../station/${station ?? ''}/?format=api` },
    { name: 'Country', value: file?.country },
    { name: 'Start of data (UTC)', value: readableDate(record.data_date) },
    {
      name: 'Size',
      value: typeof file?.size !== 'number' ? null : `${readableNumber(file.size)} bytes`,
    },
    { name: 'Last written (UTC)', value: readableTime(file?.mtime ?? null, 'second') },
    { name: 'Interval', value: file?.interval },
    { name: 'Content', value: file?.content },
    { name: 'Source', value: file?.source },
    { name: 'Directory', value: new URL(directory).pathname, href: directory },
    { name: 'Listed (UTC)', value: readableTime(record.created, 'second') },
    {
      name: 'Replaced (UTC)',
      value: record.modified === record.created ? '' : readableTime(record.modified, 'second'),
    },
    { name: 'SHA-256', value: file?.sha256 ?? 'not computed yet' },
    { name: 'Record', value: String(record.id) },
  ].filter(({ value }) => value !== undefined && value !== null && value !== '')
}

function commandsOf({ download_path, filename, file }: WireRecord): readonly string[] {
  const check =
    typeof file?.sha256 !== 'string' ? [] : [`echo '${file.sha256}  ${filename}' | sha256sum -c`]
  return [`curl -O '${download_path}'`, ...check]
}
