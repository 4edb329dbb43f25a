/** The HTML page of the change feed: newest changes first. */
import type { ChangeCounts } from '../../catalogue/questions/changes.ts'
import { changeKinds } from '../../catalogue/records.ts'
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
import { changeField } from './schema.ts'
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
<nav aria-label="Pages">
<ul>
<li><% if (it.isLatest) { %><span>Newer</span><% } else { %><a href="<%= it.next %>" rel="next">Newer</a><% } %></li>
<li><% if (it.earlier === null) { %><span>Older</span><% } else { %><a href="<%= it.earlier %>" rel="prev">Older</a><% } %></li>
</ul>
</nav>
</div>
<p>The latest change has number <%= it.number %>. Programs follow the <a href="<%= it.feed %>">feed from here</a>: each page names the next, and waits for changes with <code>wait=60</code>.</p>
`

interface ChangesPageData {
  readonly head: Head
  readonly since: number
  readonly throughSeq: number
  readonly next: string
  /** The headers of the same page as JSON, besides those of all JSON. */
  readonly headers: Readonly<Record<string, string>>
  /** URL of the page with earlier changes; null if the feed has none. */
  readonly earlier: string | null
  /** True if the request has no `since`: the page then shows the latest changes. */
  readonly isLatest: boolean
  readonly lastHour: ChangeCounts | undefined
  readonly kept: readonly Parameter[]
  readonly limit: number
  readonly results: readonly WireChange[]
}

const render = page('changes', template)

export const changesForm: FormView = {
  frame: { title: 'Changes', section: 'changes' },
  fields: [
    changeField,
    ...formFieldsOf(changesFilters, ['station', 'country', 'file_type', 'file_duration', 'area']),
  ],
  all: 'All changes',
}

export function renderChanges(data: ChangesPageData): Page {
  const { head, since, throughSeq, next, earlier, isLatest, lastHour, results } = data
  const noun = results.length === 0 ? 'No changes' : 'Changes'
  const extent = isLatest
    ? lastHourSentence(lastHour, data.kept)
    : `${noun} after number ${since} up to ${throughSeq}; the latest is ${head.seq}.`
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
    earlier,
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

/** `3 new, 1 replaced in the last hour.` */
function lastHourSentence(lastHour: ChangeCounts | undefined, kept: readonly Parameter[]): string {
  const { counts, isComplete } = lastHour ?? noChanges
  const words = { created: 'new', modified: 'replaced', removed: 'removed' }
  const found = changeKinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${readableNumber(counts[kind])} ${words[kind]}`)
  const where = kept.some(([name]) => changesFilters.has(name)) ? ' of these files' : ''
  if (found.length === 0) return `No change${where} in the last hour.`
  return `${isComplete ? '' : 'At least '}${found.join(', ')}${where} in the last hour.`
}

const noChanges: ChangeCounts = {
  counts: { created: 0, modified: 0, removed: 0 },
  isComplete: true,
}

/** The feed after a number, which has no filter on the kind of change. */
function feedHref(next: string, since: number): string {
  const query = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  query.delete('change')
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
