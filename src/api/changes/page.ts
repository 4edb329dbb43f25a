/** The HTML page of the change feed: newest changes first. */
import type { Change } from '../../catalogue/questions/changes.ts'
import { microsecondsToIso } from '../../parse/calendar.ts'
import { counted, readableNumber, readableSize, readableTime } from '../../runtime/readable.ts'
import type { FileView } from '../files/file-view.ts'
import { startCell, viewOf } from '../files/file-view.ts'
import type { Links } from '../http/links.ts'
import type { Worded, WordedFilters } from '../pages/active-filters.ts'
import { activeFilters, chips, filterWords } from '../pages/active-filters.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { changeLabel } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { fetchCommand, getLine, link } from '../pages/parts.ts'
import { headerColumn, table, timeCell } from '../pages/table.ts'
import type { FilterParameters } from '../parameters/file-filters.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { FeedPage } from './feed.ts'
import type { ChangesRequest } from './schema.ts'
import { changesParameters } from './schema.ts'

interface ChangesPageData {
  readonly feedPage: FeedPage
  readonly feedRequest: ChangesRequest
  /** The URL of the next page. */
  readonly next: string
  readonly links: Links
  readonly filters: FilterParameters
  /** The countries of the archive. */
  readonly countries: readonly string[]
}

const { since, change } = changesParameters

const formOf = (filters: WordedFilters): FormView => ({
  fields: formFieldsOf(filters, [
    'since',
    'change',
    'station',
    'country',
    'file_type',
    'file_duration',
  ]),
  all: 'All changes',
})

export function renderChanges(data: ChangesPageData): Page {
  const filters = new Map<string, Worded>([...Object.entries({ since, change }), ...data.filters])
  const { feedPage, feedRequest, next, links } = data
  const { head, changes, throughSeq } = feedPage
  const { sinceText, limit, refused } = feedRequest
  const others = feedRequest.kept.filter(([name]) => name !== 'limit')
  const asked = sinceText === undefined ? [] : [['since', sinceText] as const]
  const state = { kept: [...asked, ...others], limit }
  // The number that the page began after, so that a program gets these changes and no others.
  const json = feedHref(next, feedPage.since)
  const words = filterWords(state.kept, filters)
  const isToNow = throughSeq >= head.seq
  return {
    frame: {
      section: 'changes',
      title: words === '' ? 'Changes' : `Changes, ${words}`,
      heading: 'Changes',
      up: '../',
      json,
    },
    body: html`${filterForm({ ...formOf(filters), countries: data.countries }, refused ?? state)}
${chips(activeFilters(state, filters))}
${getLine({ command: fetchCommand(new URL(json, next).href), formats: [{ text: 'JSON', href: json }] })}
<div${isLive(feedRequest) && html` data-live`}>
<p class="quiet">${extentOf(data)}</p>
${changes.length > 0 && changesTable(changes, links)}
${!isToNow && html`<p><a href="${next}" rel="next">Newer</a></p>\n`}</div>
<p>The latest change has number ${readableNumber(head.seq)}. Programs follow the
 <a href="${feedHref(next, throughSeq)}">feed from here</a>: each page names the next, and waits for changes
 with <code>wait=60</code>.</p>
`,
  }
}

/** A page that begins at a number stays as it is. */
function isLive({ sinceText, sinceTime }: ChangesRequest): boolean {
  return sinceText === undefined || sinceTime !== undefined
}

/** `The latest 20 changes`, `7 changes since yesterday`, `The first 20 changes after number 3` */
function extentOf({ feedPage, feedRequest }: ChangesPageData): string {
  const { changes, throughSeq, head } = feedPage
  const { sinceText } = feedRequest
  const count = changes.length
  const begin = sinceText === undefined ? undefined : sinceWords(sinceText)
  if (count === 0) return `No changes${begin ? ` ${begin}` : ''}.`
  if (begin === undefined)
    return count === 1 ? 'The latest change.' : `The latest ${readableNumber(count)} changes.`
  const isToNow = throughSeq >= head.seq
  const found = counted(count, 'change', 'changes')
  return isToNow ? `${found} ${begin}.` : `The first ${found} ${begin}; newer ones follow.`
}

function sinceWords(text: string): string {
  return /^\d+$/.test(text) ? `after number ${text}` : `since ${since.textOf?.(text) ?? text}`
}

function changesTable(changes: readonly Change[], links: Links): Html {
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
    rows: changes.toReversed().map((each) => rowOf(each, viewOf(each.record, links))),
  })
}

/** The feed after a number. */
function feedHref(next: string, since: number): string {
  const query = new URLSearchParams(next.slice(next.indexOf('?') + 1))
  query.set('since', String(since))
  query.set('format', 'json')
  return `?${query.toString()}`
}

function rowOf({ atUs, change: kind, seq }: Change, file: FileView): readonly Child[] {
  return [
    link(file.name, kind === 'removed' ? null : file.href),
    changeLabel({ ...file, kind, atUs }),
    timeOf(atUs),
    readableSize(file.size),
    timeOf(file.mtimeUs),
    startCell(file),
    String(seq),
  ]
}

function timeOf(us: number): Html {
  const iso = microsecondsToIso(us)
  return timeCell(iso, readableTime(iso, 'second'))
}
