/** Tables of HTML pages: each in a region that scrolls sideways on narrow screens. */
import { readableDate, readableShare } from './labels.ts'

export interface Column {
  readonly label: string
  readonly isNumber?: boolean
  /** The link that sorts by this column. */
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
  /** True if the cell names its row. */
  readonly isHeader?: boolean
  readonly isCode?: boolean
  /** True for sentences, which may break; their parts in backticks become code. */
  readonly isProse?: boolean
  /**
   * CSS classes of the text: `state late` (the style sheet draws a symbol before each state) or
   * `share poor` (see `shareClass`).
   */
  readonly className?: string
  /** Length of the bar after the text, 0 to 100. */
  readonly percent?: number | null
  /** A problem of the thing that the cell names. */
  readonly problem?: string
  /** Small print after the text. */
  readonly note?: string
  readonly noteTitle?: string
  /** Further lines of the cell, shown as code. */
  readonly lines?: readonly string[]
  /** Text that opens the lines when clicked; without it, the lines are always shown. */
  readonly summary?: string
}

export interface Table {
  /** Name of the table for screen readers. */
  readonly label?: string
  readonly caption?: string
  readonly className?: string
  readonly columns: readonly (Column | string)[]
  readonly rows: readonly (readonly (Cell | string)[])[]
}

/** The template of the partial `table`. */
export const tableTemplate = `<div class="wide" tabindex="0"<% if (it.label) { %> role="region" aria-label="<%= it.label %>"<% } %>>
<table<% if (it.className) { %> class="<%= it.className %>"<% } %>>
<% if (it.caption) { %><caption><%= it.caption %></caption>
<% } %><thead>
<tr><% const columns = it.columns.map((each) => (typeof each === 'string' ? { label: each } : each)); for (const column of columns) { %><th scope="col"<% if (column.isNumber) { %> class="number"<% } %><% if (column.sort) { %> aria-sort="<%= column.sort %>"<% } %>><% if (column.href) { %><a href="<%= column.href %>"><%= column.label %></a><% } else { %><%= column.label %><% } %></th><% } %></tr>
</thead>
<tbody>
<% for (const row of it.rows) { %><tr><% for (let index = 0; index < row.length; index++) { const cell = row[index]; const number = columns[index].isNumber ? ' class="number"' : cell.isProse ? ' class="prose"' : ''; if (typeof cell === 'string') { %><td<%~ number %>><%= cell %></td><% } else { const tag = cell.isHeader ? 'th' : 'td' %><<%~ tag %><% if (cell.isHeader) { %> scope="row"<% } %><%~ number %>><% if (cell.href) { %><a href="<%= cell.href %>"<% if (cell.label) { %> aria-label="<%= cell.label %>"<% } %>><%= cell.text %></a><% } else if (cell.time) { %><time datetime="<%= cell.time %>"><%= cell.text %></time><% } else if (cell.isProse) { %><%~ include('@prose', cell) %><% } else if (cell.isCode) { %><code><%= cell.text %></code><% } else if (cell.className) { %><span class="<%= cell.className %>"><%= cell.text %></span><% } else { %><%= cell.text %><% } %><% if (typeof cell.percent === 'number') { %> <meter min="0" max="100" low="80" high="90" optimum="100" value="<%= cell.percent %>" aria-hidden="true"></meter><% } %><% if (cell.problem) { %> <span class="state bad"><%= cell.problem %></span><% } %><% if (cell.note) { %> <span class="note"<% if (cell.noteTitle) { %> title="<%= cell.noteTitle %>"<% } %>><%= cell.note %></span><% } %><% if (cell.lines && cell.lines.length > 0) { if (cell.summary) { %><details><summary><%= cell.summary %></summary><% } %><% for (const line of cell.lines) { %><code><%= line %></code><br><% } %><% if (cell.summary) { %></details><% } } %></<%~ tag %>><% } } %></tr>
<% } %></tbody>
</table>
</div>
`

export function numberColumns(...labels: readonly string[]): readonly Column[] {
  return labels.map((label) => ({ label, isNumber: true }))
}

/** The start of data. */
export function dateCell(time: string | null): Cell {
  return { text: readableDate(time), time }
}

/** The state of a series or a slot: a shape and a word. */
export function stateCell(state: string): Cell {
  return { text: state, className: `state ${state}` }
}

/**
 * A share with a bar; empty if the share is null.
 * @param share 0 to 1
 */
export function shareCell(share: number | null): Cell {
  const percent = share === null ? null : Math.round(share * 100)
  return { text: readableShare(share), percent }
}
