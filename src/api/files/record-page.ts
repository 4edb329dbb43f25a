import type { WireRecord } from './serialise.ts'
import { page } from '../pages/layout.ts'
import { durationWord, problemWord, typeWord } from '../pages/words.ts'

const template = `<p><a href="<%= it.download_path %>">Download <%= it.filename %></a></p>
<dl>
<% for (const field of it.fields) { %>
<dt><%= field.name %></dt>
<dd><% if (field.isLink) { %><a href="<%= field.value %>"><%= field.value %></a><% } else { %><%= field.value %><% } %><% if (field.word !== '') { %> (<%= field.word %>)<% } %></dd>
<% } %>
</dl>
`

const links = ['url', 'download_path']

const render = page('record', template)

export function renderRecord(record: WireRecord): string {
  const words: Readonly<Record<string, string>> = {
    file_duration: durationWord(record.file_duration),
    file_type: typeWord(record.file_type),
    size: 'bytes',
    problem: problemWord(record.file?.problem ?? null),
  }
  const { file, ...ten } = record
  const known = Object.entries(file ?? {}).filter(([, value]) => value !== null)
  const fields = [...Object.entries(ten), ...known].map(([name, value]) => ({
    name,
    value: value,
    isLink: links.includes(name),
    word: words[name] ?? '',
  }))
  const frame = { title: record.filename, up: '../../', json: '?format=json' }
  return render(frame, { ...record, fields })
}
