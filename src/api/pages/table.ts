/** The tables of HTML pages, and their cells. */
import { dayToIso, secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { exactTime, readableDate, readableShare, readableTime } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import type { State } from '../../series/station-states.ts'
import { periodNoun } from './date-words.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'
import { stationMark } from './marks.ts'
import { link } from './parts.ts'

export interface Column {
  readonly label: string
  readonly isNumber?: boolean
  /** True if the cells name their rows. */
  readonly isHeader?: boolean
  /** True for sentences, which may break. */
  readonly isProse?: boolean
  readonly href?: string
  readonly sort?: 'ascending' | 'descending' | ''
}

export interface Table {
  readonly label?: string
  readonly caption?: string
  readonly className?: string
  readonly columns: readonly (Column | string)[]
  readonly rows: readonly (readonly Child[])[]
}

/** A table, in a region that scrolls sideways on narrow screens. */
export function table({ label, caption, className = '', columns: named, rows }: Table): Html {
  const columns = named.map((each) => (typeof each === 'string' ? { label: each } : each))
  const isCards = className.split(' ').includes('cards')
  return html`<div class="wide" tabindex="0"${label && html` role="region" aria-label="${label}"`}>
<table${className && html` class="${className}"`}${isCards && html` role="table"`}>
${caption && html`<caption>${caption}</caption>\n`}<thead>
<tr>${columns.map(headOf)}</tr>
</thead>
<tbody>
${rows.map((cells) => rowOf(cells, columns, isCards))}</tbody>
</table>
</div>
`
}

function headOf({ label, isNumber = false, href, sort }: Column): Html {
  const attributes = [isNumber && html` class="number"`, sort && html` aria-sort="${sort}"`]
  return html`<th scope="col"${attributes}>${link(label, href)}</th>`
}

/** @param isCards true if a row is a card on narrow screens: the cells have labels */
function rowOf(cells: readonly Child[], columns: readonly Column[], isCards: boolean): Html {
  const all = cells.map((content, index) => {
    const { label, isNumber = false, isHeader = false, isProse = false } = columns[index] ?? {}
    const className = isNumber ? 'number' : isProse && 'prose'
    const role = isHeader ? 'rowheader' : 'cell'
    const attributes = [
      className && html` class="${className}"`,
      isCards && html` role="${role}" data-label="${label}"`,
    ]
    return isHeader
      ? html`<th scope="row"${attributes}>${content}</th>`
      : html`<td${attributes}>${content}</td>`
  })
  return html`<tr${isCards && html` role="row"`}>${all}</tr>\n`
}

export function numberColumns(...labels: readonly string[]): readonly Column[] {
  return labels.map((label) => ({ label, isNumber: true }))
}

/** The name of a cell's row. */
export function headerColumn(label: string): Column {
  return { label, isHeader: true }
}

/** A text with its code, or with what is exact. */
export function titled(text: string, title: string): Html {
  return html`<span title="${title}">${text}</span>`
}

/** A time, which the script shows as `3 min ago`; its title is exact. */
export function momentCell(iso: string | null): Child {
  if (iso === null) return ''
  return timeCell(iso, readableTime(iso), 'ago')
}

/** The period of a series in words. */
export function periodCell(period: Period): Child {
  return titled(periodNoun(period), period)
}

/** The start of data. */
export function dateCell(iso: string | null): Child {
  return iso === null ? '' : timeCell(iso, readableDate(iso))
}

/**
 * The end of data: for people the last day itself, with 24:00 if it is one of hours.
 * @param end in seconds since 1970
 */
export function endCell(end: number, ofDays: boolean): Child {
  const iso = secondsToIso(end)
  if (end % secondsPerDay !== 0) return dateCell(iso)
  const day = dayToIso(end / secondsPerDay - 1)
  return ofDays ? dateCell(day) : timeCell(iso, `${readableDate(day)} 24:00`)
}

/** A time or a date in words, with what is exact. @param text what shows the time */
export function timeCell(iso: string, text: string, className = ''): Html {
  const attributes = className && html` class="${className}"`
  return html`<time datetime="${iso}"${attributes} title="${exactTime(iso)}">${text}</time>`
}

/** The state of a series: the mark of a station that is so, and a word. */
export function stateCell(state: State): Child {
  const isLost = state === 'late' || state === 'down'
  return html`${stationMark(state === 'present' ? 'delivers' : isLost ? state : undefined)} ${state}`
}

/** A share, 0 to 1, with a bar; empty if it is null. @param text what shows the share */
export function shareCell(share: number | null, text: Child = readableShare(share)): Child {
  if (share === null) return text
  const percent = Math.round(share * 100)
  return html`${text} <meter min="0" max="100" low="80" high="90" optimum="100"
 value="${percent}" aria-hidden="true"></meter>`
}
