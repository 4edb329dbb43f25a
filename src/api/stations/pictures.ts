/** Draws the slots of a series: a row is a day or a year, the newest first. Pure. */
import { dateOf, daysInYear, parseDay, twoDigits } from '../../parse/calendar.ts'
import { readableShare } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { slotsPerDay } from '../../series/series.ts'
import type { ShownState, StateRun } from '../../series/slot-states.ts'
import type { DayState, DrawnState } from '../../series/station-days.ts'
import { addDays, dayStateOf } from '../../series/station-days.ts'
import { shortDay, shortDays, slotsWords } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Cell, SlotMark } from '../pages/marks.ts'
import { markRuns, runMark, slotLegend, slotMarks } from '../pages/marks.ts'

/** Where cells with a mark lead, or all days of a row: days since 1970, both included. */
export type HrefOfDays = (first: number, last: number, mark?: SlotMark) => string

/** What changed on a day, and where that leads. */
export interface DayChange {
  /** UTC day since 1970. */
  readonly day: number
  readonly words: string
  readonly href: string
}

interface Row {
  readonly label: Child
  readonly cells: readonly Cell[]
  /** The run in words, and its days. */
  readonly wordsOf: (first: number, count: number) => string
  readonly daysOf: (first: number, count: number) => readonly [first: number, last: number]
  readonly end?: string
  /** True for a cell that begins a run, also beside an equal one. */
  readonly startsRun?: (column: number) => boolean
  /** Changes are lines before the columns of their days. */
  readonly changes?: readonly (DayChange & { readonly column: number })[] | undefined
}

interface Rows {
  readonly title: string
  readonly rows: readonly Row[]
  readonly columns: number
  readonly labels: readonly (readonly [column: number, text: string])[]
  readonly pitch: number
  readonly hrefOf: HrefOfDays
  readonly className?: string
}

const top = 18

/** Width of a cell before the picture is stretched to its place. */
const cell = 8

function rowsSvg({ title, rows, columns, labels, pitch, hrefOf, className = '' }: Rows): Html {
  const height = rows.length * pitch
  const place = { cell, height: pitch - 2 }
  const named = labels.map(([column, text]) => {
    const share = percent(column, columns)
    const anchor = share > 95 ? 'end' : 'start'
    return html`<text x="${share}%" y="12" text-anchor="${anchor}">${text}</text>`
  })
  const texts = rows.map(({ label, end }, index) => {
    const y = top + index * pitch + pitch / 2 + 3
    return html`${label && html`<text class="value" x="-8" y="${y}">${label}</text>`}${end && html`<text x="100%" dx="8" y="${y}">${end}</text>`}\n`
  })
  const marks = rows.map(({ cells, wordsOf, daysOf, startsRun }, index) =>
    runsOf(cells, startsRun).map(({ mark, first, count }) => {
      const shape = runMark(mark, { first, count }, { ...place, y: index * pitch + 1 })
      const content = html`<title>${wordsOf(first, count)}: ${slotMarks[mark]}</title>${shape}`
      // Nothing is listed of what is not due, and of files that are not kept.
      if (mark === 'due' || mark === 'removed') return html`<g>${content}</g>`
      return html`<a href="${hrefOf(...daysOf(first, count), mark)}" tabindex="-1">${content}</a>`
    }),
  )
  const lines = rows.flatMap(({ changes = [] }, index) =>
    changes.map(({ column, words, href }) => {
      const place = html`x="${percent(column, columns)}%" y="${top + index * pitch}" height="${pitch}"`
      // The wide one is what a pointer meets.
      return html`<a href="${href}" tabindex="-1"><title>${words}</title><rect ${place} width="8" transform="translate(-4)" opacity="0"/><rect class="change" ${place} width="2" transform="translate(-1)"/></a>\n`
    }),
  )
  return html`<svg class="plot ${className}" height="${top + height}" role="group" aria-label="${title}">
${named}
<svg class="cells" y="${top}" width="100%" height="${height}" viewBox="0 0 ${columns * cell} ${height}" preserveAspectRatio="none">${marks}</svg>
${texts}${lines}</svg>
`
}

/** With two digits after the point. */
function percent(column: number, columns: number): number {
  return Math.round((column / columns) * 1e4) / 100
}

function runsOf(cells: readonly Cell[], startsRun: Row['startsRun']) {
  return markRuns(cells).flatMap((run) => {
    const starts = [run.first]
    for (let column = run.first + 1; column < run.first + run.count; column++)
      if (startsRun?.(column) === true) starts.push(column)
    const end = run.first + run.count
    return starts.map((first, index) => ({
      mark: run.mark,
      first,
      count: (starts[index + 1] ?? end) - first,
    }))
  })
}

/** The slots of some days: a row is a day, every seventh one has its name. */
export function daysSvg(
  title: string,
  runs: readonly StateRun<ShownState | DrawnState>[],
  period: Exclude<Period, '01D'>,
  { hrefOf, now }: { readonly hrefOf: HrefOfDays; readonly now: number },
): Html {
  const perDay = slotsPerDay(period)
  const lines = linesOf(runs, (slot) => Math.floor(slot / perDay) * perDay)
  const rows = lines.map(({ start, cells }, index): Row => {
    const day = start / perDay
    return {
      label: index % 7 === 0 && shortDay(day, now),
      cells,
      wordsOf: (first, slots) => slotsWords({ firstSlot: start + first, slots }, period, now),
      daysOf: () => [day, day],
    }
  })
  const labels = [0, 6, 12, 18].map((hour) => [(hour * perDay) / 24, twoDigits(hour)] as const)
  return html`${rowsSvg({ title, rows, columns: perDay, labels: [...labels, [perDay, '24 UTC']], pitch: 11, hrefOf })}
${slotLegend(
  runs.map(({ state }) => state),
  'to come, or not expected',
)}`
}

interface Years {
  readonly hrefOf: HrefOfDays
  readonly now: number
  /** When equipment changed, in the order of the days. */
  readonly changes?: readonly DayChange[]
}

/**
 * The days of a series: a row is a year with its share, and begins a run with each month. Changes
 * of equipment are lines; those outside of these years are not drawn.
 */
export function yearsSvg(
  title: string,
  series: { readonly runs: readonly StateRun<ShownState | DrawnState>[]; readonly period: Period },
  { hrefOf, now, changes = [] }: Years,
): Html {
  const drawn = Map.groupBy(changes.slice(-mostLines), ({ day }) => dateOf(day).year)
  const days = daysOf(series.runs, series.period)
  const shares = sharesOf(series)
  const lines = linesOf(days, (day) => firstOfYear(dateOf(day).year))
  const rows = lines.map(({ start, cells }): Row => {
    const { year } = dateOf(start)
    const last = start + daysInYear(year) - 1
    return {
      label: html`<a href="${hrefOf(start, last)}">${String(year)}</a>`,
      cells,
      end: readableShare(shares.get(year)),
      startsRun: (column) => dateOf(start + column).day === 1,
      changes: drawn.get(year)?.map((each) => ({ ...each, column: each.day - start })),
      wordsOf: (first, count) => shortDays(start + first, start + first + count - 1, now),
      daysOf: (first, count) => [start + first, start + first + count - 1],
    }
  })
  // The columns of the months in a year without a leap day.
  const labels = [
    [0, 'Jan'],
    [90, 'Apr'],
    [181, 'Jul'],
    [273, 'Oct'],
  ] as const
  const found = days.map(({ state }) => state)
  return html`${rowsSvg({ title, rows, columns: 366, labels, pitch: 13, hrefOf, className: 'year-rows' })}
${slotLegend(found, 'before the first file, to come, or not expected', rows.some((row) => row.changes) && changeLegend)}`
}

/** More lines, of headers that change all the time, would hide the days. */
const mostLines = 200

const changeLegend = html`<svg width="12" height="12" aria-hidden="true"><rect class="change" x="5" width="2" height="12"/></svg> equipment changed`

function firstOfYear(year: number): number {
  return parseDay(`${String(year).padStart(4, '0')}-01-01`) ?? NaN
}

/** The states of days, from the runs of a series. */
function daysOf(
  runs: readonly StateRun<ShownState | DrawnState>[],
  period: Period,
): readonly StateRun<DayState>[] {
  const days = new Map<number, Set<DrawnState>>()
  for (const { state, ...run } of runs)
    if (state !== 'unknown') addDays(days, { ...run, state }, period)
  return Array.from(days, ([day, slots]) => ({
    state: dayStateOf(slots),
    firstSlot: day,
    slots: 1,
  }))
}

/** The share of the slots of each year that were delivered; of those that were possible. */
function sharesOf({
  runs,
  period,
}: {
  readonly runs: readonly StateRun<ShownState | DrawnState>[]
  readonly period: Period
}): ReadonlyMap<number, number> {
  const perDay = slotsPerDay(period)
  const counts = new Map<number, { delivered: number; possible: number }>()
  for (const { state, firstSlot, slots } of runs) {
    if (['due', 'future', 'unknown'].includes(state)) continue
    for (let slot = firstSlot; slot < firstSlot + slots;) {
      const { year } = dateOf(Math.floor(slot / perDay))
      const next = Math.min(firstSlot + slots, firstOfYear(year + 1) * perDay)
      const ofYear = counts.get(year) ?? { delivered: 0, possible: 0 }
      ofYear.possible += next - slot
      if (['present', 'half', 'removed'].includes(state)) ofYear.delivered += next - slot
      counts.set(year, ofYear)
      slot = next
    }
  }
  return new Map(
    Array.from(counts, ([year, { delivered, possible }]) => [year, delivered / possible]),
  )
}

/** A row of cells; those outside of the range are `undefined`. */
interface Line {
  /** The slot of the first cell. */
  readonly start: number
  readonly cells: Cell[]
}

/** Splits runs into rows, the newest first. @param startOf the first slot of the row of a slot */
function linesOf(
  runs: readonly StateRun<ShownState | DayState>[],
  startOf: (slot: number) => number,
): readonly Line[] {
  const lines: Line[] = []
  for (const { state, firstSlot, slots } of runs)
    for (let slot = firstSlot; slot < firstSlot + slots; slot++) {
      const last = lines.at(-1)
      const start = startOf(slot)
      const line = last?.start === start ? last : { start, cells: [] }
      if (line !== last) lines.push(line)
      line.cells[slot - start] = state
    }
  return lines.reverse().map(({ start, cells }) => ({ start, cells: Array.from(cells) }))
}
