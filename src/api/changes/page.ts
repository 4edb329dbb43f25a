/** The HTML page of the change feed: newest changes first. */
import type { Head } from '../../catalogue/records.ts'
import { readableDate, readableNumber, readableSize, readableTime } from '../../runtime/readable.ts'
import type { FormState } from '../http/errors.ts'
import type { QueryPair } from '../http/links.ts'
import { filterWords } from '../pages/active-filters.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm, formOf } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { changeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { link, wireOf } from '../pages/parts.ts'
import { headerColumn, table, timeCell } from '../pages/table.ts'
import { changesFilters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { WireChange } from './schema.ts'

interface ChangesPageData {
  readonly head: Head
  readonly since: number
  readonly throughSeq: number
  readonly next: string
  /** The headers of the same page as JSON, besides those of all JSON. */
  readonly headers: Readonly<Record<string, string>>
  /** True if the request has no `since`: the page then shows the latest changes. */
  readonly isLatest: boolean
  readonly kept: readonly QueryPair[]
  readonly limit: number
  readonly results: readonly WireChange[]
}

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
  const state = { kept: data.kept.filter(([name]) => name !== 'limit'), limit: data.limit }
  const json = feedHref(next, since)
  const words = filterWords(state.kept, changesFilters)
  const title = words === '' ? 'Changes' : `Changes, ${words}`
  return {
    frame: { ...changesForm.frame, title, heading: 'Changes', up: '../', json },
    body: html`${filterForm(changesForm, state)}
${wireOf(new URL(json, next), data.headers)}
<div${isLatest && html` data-live`}>
<p class="extent">${noun} after number ${since} up to ${throughSeq}; the latest is ${head.seq}.</p>
${otherFilters(state)}
${results.length > 0 && changesTable(results)}
${!isLatest && html`<p><a href="${next}" rel="next">Newer</a></p>\n`}</div>
<p>The latest change has number ${readableNumber(head.seq)}. Programs follow the
 <a href="${feedHref(next, throughSeq)}">feed from here</a>: each page names the next, and waits for changes
 with <code>wait=60</code>.</p>
`,
  }
}

/** The filters without a field in the form. */
function otherFilters(state: FormState): Child {
  const others = formOf(changesForm, state).hidden.filter(({ name }) => changesFilters.has(name))
  const items = others.map(({ name, value }) => html`<code>${name}=${value}</code> `)
  return items.length > 0 && html`<p>Further filters: ${items}</p>\n`
}

function changesTable(results: readonly WireChange[]): Html {
  return table({
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
