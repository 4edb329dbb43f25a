/** The tables of HTML pages, and their cells. */
import { secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import type { Period } from '../../series/series.ts'
import { exactTime, periodLabel, readableDate, readableShare, readableTime } from './labels.ts'
import { partial } from './layout.ts'

/** Shows a table, in a region that scrolls sideways on narrow screens. */
partial(
  'table',
  `<div class="wide" tabindex="0"<% if (it.label) { %> role="region" aria-label="<%= it.label %>"<% } %>>
<% const isCards = (it.className ?? '').split(' ').includes('cards') %><table<% if (it.className) { %> class="<%= it.className %>"<% } %><% if (isCards) { %> role="table"<% } %>>
<% if (it.caption) { %><caption><%= it.caption %></caption>
<% } %><thead>
<tr><% const columns = it.columns.map((each) => (typeof each === 'string' ? { label: each } : each)); for (const column of columns) { %><th scope="col"<% if (column.isNumber) { %> class="number"<% } %><% if (column.sort) { %> aria-sort="<%= column.sort %>"<% } %>><% if (column.href) { %><a href="<%= column.href %>"><%= column.label %></a><% } else { %><%= column.label %><% } %></th><% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %><tr<% if (isCards) { %> role="row"<% } %>><% for (let index = 0; index < row.length; index++) { const cell = row[index]; const number = columns[index].isNumber ? ' class="number"' : cell.isProse ? ' class="prose"' : ''; const { label } = columns[index]; if (typeof cell === 'string') { %><td<%~ number %><% if (isCards) { %> role="cell" data-label="<%= label %>"<% } %>><%= cell %></td><% } else { const tag = cell.isHeader ? 'th' : 'td' %><<%~ tag %><% if (cell.isHeader) { %> scope="row"<% } %><%~ number %><% if (isCards) { %> role="<%= cell.isHeader ? 'rowheader' : 'cell' %>" data-label="<%= label %>"<% } %>><% if (cell.href) { %><a href="<%= cell.href %>"<% if (cell.label) { %> aria-label="<%= cell.label %>"<% } %>><%= cell.text %></a><% } else if (cell.time) { %><time datetime="<%= cell.time %>"<% if (cell.isMoment) { %> class="ago"<% } %><% if (cell.title) { %> title="<%= cell.title %>"<% } %>><%= cell.text %></time><% } else if (cell.title) { %><abbr title="<%= cell.title %>"><%= cell.text %></abbr><% } else if (cell.isProse) { %><%~ include('@prose', cell) %><% } else if (cell.isCode) { %><code><%= cell.text %></code><% } else if (cell.className) { %><span class="<%= cell.className %>"><%= cell.text %></span><% } else { %><%= cell.text %><% } %><% if (typeof cell.percent === 'number') { %> <meter min="0" max="100" low="80" high="90" optimum="100" value="<%= cell.percent %>" aria-hidden="true"></meter><% } %><% if (cell.problem) { %> <span class="state bad"><%= cell.problem %></span><% } %><% if (cell.note) { %> <span class="note"<% if (cell.noteTitle) { %> title="<%= cell.noteTitle %>"<% } %>><%= cell.note %></span><% } %><% if (cell.lines && cell.lines.length > 0) { if (cell.summary) { %><details><summary><%= cell.summary %></summary><% } %><% for (const line of cell.lines) { %><code><%= line %></code><br><% } %><% if (cell.summary) { %></details><% } } %></<%~ tag %>><% } } %></tr>
<% } %></tbody>
</table>
</div>
`,
)

/** Shows a text; its parts in backticks become code. */
partial(
  'prose',
  `<% it.text.split('\`').forEach((part, position) => { if (position % 2 === 1) { %><code><%= part %></code><% } else { %><%= part %><% } }) %>`,
)

export interface Column {
  readonly label: string
  readonly isNumber?: boolean
  readonly href?: string
  readonly sort?: 'ascending' | 'descending' | ''
}

export interface Cell {
  readonly text: string
  readonly href?: string | null | undefined
  /** Text of the link for screen readers. */
  readonly label?: string
  /** The ISO time that the text shows. */
  readonly time?: string | null
  /** True if the script shows the time as an age. */
  readonly isMoment?: boolean
  /** The title of the text: its code, or what is exact. */
  readonly title?: string
  /** True if the cell names its row. */
  readonly isHeader?: boolean
  readonly isCode?: boolean
  /** True for sentences, which may break; their parts in backticks become code. */
  readonly isProse?: boolean
  /** CSS classes of the text: `state late`, with a symbol, or `share poor`. */
  readonly className?: string
  /** Length of the bar after the text, 0 to 100. */
  readonly percent?: number | null
  readonly problem?: string
  readonly note?: string
  readonly noteTitle?: string
  /** Further lines of the cell, shown as code. */
  readonly lines?: readonly string[]
  /** Text that opens the lines when clicked; without it, the lines are always shown. */
  readonly summary?: string
}

export interface Table {
  readonly label?: string
  readonly caption?: string
  readonly className?: string
  readonly columns: readonly (Column | string)[]
  readonly rows: readonly (readonly (Cell | string)[])[]
}

export function numberColumns(...labels: readonly string[]): readonly Column[] {
  return labels.map((label) => ({ label, isNumber: true }))
}

/** A time, which the script shows as `3 min ago`; its title is exact. */
export function momentCell(iso: string | null): Cell {
  return { text: readableTime(iso), time: iso, title: exactTime(iso), isMoment: true }
}

/** The period of a series in words. */
export function periodCell(period: Period): Cell {
  return { text: periodLabel(period), title: period }
}

/** The start of data. */
export function dateCell(time: string | null): Cell {
  return { text: readableDate(time), time }
}

/**
 * The end of data: for people the last day itself, with 24:00 if it is one of hours.
 * @param end in seconds since 1970
 */
export function endCell(end: number, ofDays: boolean): Cell {
  const time = secondsToIso(end)
  if (end % secondsPerDay !== 0) return dateCell(time)
  const day = readableDate(secondsToIso(end - secondsPerDay))
  return { text: ofDays ? day : `${day} 24:00`, time }
}

/** The state of a series or a slot: a shape and a word. */
export function stateCell(state: string): Cell {
  return { text: state, className: `state ${state}` }
}

/** A share, 0 to 1, with a bar; empty if it is null. */
export function shareCell(share: number | null): Cell {
  const percent = share === null ? null : Math.round(share * 100)
  return { text: readableShare(share), percent }
}
