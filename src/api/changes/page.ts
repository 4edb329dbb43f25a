/** The HTML page of the change feed: newest changes first. */
import type { Head } from '../../catalogue/records.ts'
import type { Parameter } from '../http/context.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import { activeFilters, filterForm, formOf } from '../pages/filter-form.ts'
import type { FormView } from '../pages/filter-form.ts'
import {
  changeLabel,
  readableDate,
  readableNumber,
  readableSize,
  readableTime,
} from '../pages/labels.ts'
import { page } from '../pages/eta.ts'
import type { Page } from '../pages/layout.ts'
import { wireOf } from '../pages/wire.ts'
import type { WireChange } from './schema.ts'
import { headerColumn, timeCell } from '../pages/table.ts'
import type { Child } from '../pages/html.ts'
import { link } from '../pages/parts.ts'

const template = `<%~ it.form %>
<%~ it.wire %>
<div<% if (it.isLatest) { %> data-live<% } %>>
<p class="extent"><%= it.extent %></p>
<% if (it.others.length > 0) { %><p>Further filters: <% for (const { name, value } of it.others) { %><code><%= name %>=<%= value %></code> <% } %></p>
<% } %>
<% if (it.table.rows.length > 0) { %><%~ include('@table', it.table) %><% } %>
<% if (!it.isLatest) { %><p><a href="<%= it.next %>" rel="next">Newer</a></p>
<% } %></div>
<p>The latest change has number <%= it.number %>. Programs follow the <a href="<%= it.feed %>">feed from here</a>: each page names the next, and waits for changes with <code>wait=60</code>.</p>
`

interface ChangesPageData {
  readonly head: Head
  readonly since: number
  readonly throughSeq: number
  readonly next: string
  /** The headers of the same page as JSON, besides those of all JSON. */
  readonly headers: Readonly<Record<string, string>>
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
  const { head, since, throughSeq, next, isLatest, results } = data
  const noun = results.length === 0 ? 'No changes' : 'Changes'
  const extent = `${noun} after number ${since} up to ${throughSeq}; the latest is ${head.seq}.`
  const kept = data.kept.filter(([name]) => name !== 'limit')
  const state = { kept, limit: data.limit }
  const form = filterForm(changesForm, state)
  const json = feedHref(next, since)
  const words = activeFilters(state, changesForm.fields)
  const title = [changesForm.frame.title, ...words.map(({ value }) => value)].join(', ')
  const frame = { ...changesForm.frame, title, heading: 'Changes', up: '../', json }
  return render(frame, {
    wire: wireOf(new URL(json, next), data.headers),
    extent,
    next,
    isLatest,
    form,
    others: formOf(changesForm, state).hidden.filter(({ name }) => changesFilters.has(name)),
    feed: feedHref(next, throughSeq),
    number: readableNumber(head.seq),
    table: {
      label: 'Changes',
      className: 'files cards',
      caption:
        'Each file with its latest change, the newest first; size and time of the file as they are now, or were before its removal; times in UTC, (022) is the day of the year',
      columns: [
        headerColumn('File'),
        ...['Change', 'At'],
        { label: 'Size', isNumber: true },
        ...['Last written', 'Start of data'],
        { label: 'Number', isNumber: true },
      ],
      rows: results.toReversed().map(rowOf),
    },
  })
}

/** The feed after a number. */
function feedHref(next: string, since: number): string {
  const query = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  query.set('since', String(since))
  query.set('format', 'json')
  return `?${query.toString()}`
}

function rowOf(wire: WireChange): readonly Child[] {
  const { at, change, seq, record } = wire
  const { created, modified } = record
  return [
    link(record.filename, change === 'removed' ? null : record.url),
    changeLabel({ kind: change, at, created, modified }),
    timeCell(at, readableTime(at, 'second')),
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
