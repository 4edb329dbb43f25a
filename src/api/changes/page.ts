/** The HTML page of the change feed: newest changes first. */
import type { Head } from '../../catalogue/records.ts'
import type { Parameter } from '../http/context.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { FormView } from '../pages/filter-form.ts'
import {
  changeLabel,
  readableDate,
  readableNumber,
  readableSize,
  readableTime,
} from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import type { Page, Cell } from '../pages/layout.ts'
import type { WireChange } from './schema.ts'

const template = `<%~ include('@form', it.form) %>
<div<% if (it.isLatest) { %> data-live<% } %>>
<p class="extent"><%= it.extent %></p>
<% if (it.others.length > 0) { %><p>Further filters: <% for (const { name, value } of it.others) { %><code><%= name %>=<%= value %></code> <% } %></p>
<% } %>
<% if (it.table.rows.length > 0) { %><%~ include('@table', it.table) %><% } %>
<nav aria-label="Pages">
<ul>
<li><% if (it.isLatest) { %><span>Newer</span><% } else { %><a href="<%= it.next %>" rel="next">Newer</a><% } %></li>
<li><% if (it.earlier === null) { %><span>Older</span><% } else { %><a href="<%= it.earlier %>" rel="prev">Older</a><% } %></li>
</ul>
</nav>
</div>
<p>Programs follow the <a href="<%= it.feed %>">feed from here</a>: each page names the next, and waits for changes with <code>wait=60</code>.</p>
`

interface ChangesPageData {
  readonly head: Head
  readonly since: number
  readonly throughSeq: number
  readonly next: string
  /** URL of the page with earlier changes; null if the feed has none. */
  readonly earlier: string | null
  /** True if the request has no `since`: the page then shows the latest changes. */
  readonly isLatest: boolean
  readonly kept: readonly Parameter[]
  readonly limit: number
  readonly results: readonly WireChange[]
}

const render = page('changes', template)

export const changesForm: FormView = {
  frame: { title: 'Changes', section: 'changes' },
  fields: formFieldsOf(changesFilters, [
    'station',
    'country',
    'file_type',
    'file_duration',
    'area',
  ]),
  all: 'All changes',
}

export function renderChanges(data: ChangesPageData): Page {
  const { head, since, throughSeq, next, earlier, isLatest, results } = data
  const json = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  json.set('since', String(since))
  json.set('format', 'json')
  const noun = results.length === 0 ? 'No changes' : 'Changes'
  const extent = isLatest
    ? `The latest change has number ${readableNumber(head.seq)}.`
    : `${noun} after number ${since} up to ${throughSeq}; the latest is ${head.seq}.`
  const kept = data.kept.filter(([name]) => name !== 'limit')
  const form = filterForm(changesForm, { kept, limit: data.limit })
  const frame = { title: 'Changes', section: 'changes', up: '../', json: `?${json.toString()}` }
  return render(frame, {
    extent,
    next,
    earlier,
    isLatest,
    form,
    others: form.hidden.filter(({ name }) => changesFilters.has(name)),
    feed: next.replace('format=api', 'format=json'),
    table: {
      label: 'Changes',
      className: 'files',
      caption:
        'Each file with its latest change, the newest first; size and time of the file as they are now, or were before its removal; times in UTC, (022) is the day of the year',
      columns: [
        // A phone shows only the first columns.
        ...['Change', 'File', 'At'],
        { label: 'Size', isNumber: true },
        ...['Last written', 'Start of data'],
        { label: 'Number', isNumber: true },
      ],
      rows: results.toReversed().map(rowOf),
    },
  })
}

function rowOf(wire: WireChange): readonly (Cell | string)[] {
  const { at, change, seq, record } = wire
  const { created, modified } = record
  return [
    changeLabel({ kind: change, at, created, modified }),
    {
      text: record.filename,
      isHeader: true,
      href: change === 'removed' ? null : record.url,
    },
    { text: readableTime(at, 'second'), time: at },
    sizeOf(wire),
    readableTime(record.file?.mtime ?? null, 'second'),
    readableDate(record.data_date),
    String(seq),
  ]
}

function sizeOf({ record }: WireChange): string {
  const size = record.file?.size
  return typeof size === 'number' ? readableSize(size) : ''
}
