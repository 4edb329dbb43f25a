/** The pictures of the network: a row is a station, a column an hour or a day. Pure. */
import { recentDays, slotsPerDay } from '../../series/series.ts'
import { shareClass } from '../../series/completeness.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { dayOfYearAt, secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { readableShare } from '../pages/labels.ts'
import { gridSvg, looks } from '../pages/svg.ts'
import type { GridRow } from '../pages/svg.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { stationHref } from '../series/series-fields.ts'

/** `poor` and `late` look the same, because no picture has both. */
const marks = {
  good: { ...looks.good, label: 'delivered' },
  fair: { ...looks.fair, label: '80 to 90 %' },
  poor: { ...looks.poor, label: 'below 80 %' },
  late: { ...looks.poor, label: 'late' },
  none: { ...looks.bad, label: 'nothing' },
  due: { ...looks.open, label: 'due' },
}

type Mark = keyof typeof marks

const hourMarks: Readonly<Partial<Record<SlotState, Mark>>> = {
  present: 'good',
  removed: 'good',
  late: 'late',
  missing: 'none',
  silent: 'none',
  due: 'due',
}

const lostStates: ReadonlySet<SlotState | undefined> = new Set(['late', 'missing', 'silent'])

/** Draws the last 24 hours of hourly series. The last column is the current hour. */
export function hoursSvg(states: readonly KnownSeries[], nowSeconds: number): string {
  const current = Math.floor(nowSeconds / secondsPerHour)
  const first = current - 23
  const rows = states.map((each) => {
    const cells = slotCells(each, first, current).map((state) => state && hourMarks[state])
    const words = (['good', 'late', 'due', 'none'] as const).flatMap((mark) => {
      const count = cells.filter((cell) => cell === mark).length
      return count === 0 ? [] : [`${count} ${marks[mark].label}`]
    })
    const end = String(cells.filter((cell) => cell === 'good').length)
    return rowOf(each, { title: words.join(', '), cells, end })
  })
  const labels = Array.from({ length: 24 }, (_value, column) => column)
    .filter((column) => (first + column) % 3 === 0)
    .map((column) => [column, `${String((first + column) % 24).padStart(2, '0')} h`] as const)
  return picture('The last 24 hours by station', rows, labels, 24)
}

/** Draws the last 28 days: each cell has the share of the day's possible files. */
export function daysSvg(states: readonly KnownSeries[], nowSeconds: number): string {
  const today = Math.floor(nowSeconds / secondsPerDay)
  const firstDay = today - recentDays + 1
  const rows = states.map((each) => {
    const { completeness, possible, present } = each.summary
    const cells = dayCells(each, firstDay, today)
    return rowOf(each, {
      title: `${present} of ${possible} files`,
      cells,
      end: readableShare(completeness ?? null),
    })
  })
  const labels = Array.from({ length: recentDays }, (_value, index) => index)
    .filter((index) => index % 4 === 0)
    .map((index) => {
      const { dayOfYear } = dayOfYearAt((firstDay + index) * secondsPerDay)
      return [index, String(dayOfYear).padStart(3, '0')] as const
    })
  return picture('The last 28 days by station', rows, labels, recentDays)
}

function picture(
  title: string,
  rows: readonly GridRow<Mark>[],
  columnLabels: readonly (readonly [number, string])[],
  columns: number,
): string {
  const sizes = { width: 640, labelWidth: 84, endWidth: 52 }
  // A phone shows only the right part of the picture, so the stations are beside the newest hours
  // or days.
  return gridSvg({ title, marks, rows, columns, columnLabels, ...sizes, labelsAtEnd: true })
}

function rowOf({ station }: KnownSeries, row: Omit<GridRow<Mark>, 'label' | 'href'>) {
  return { ...row, label: station, href: stationHref({ station }) }
}

/** The states of some slots; `undefined` without one, and for silence before the first. */
function slotCells(
  { summary, past }: KnownSeries,
  from: number,
  to: number,
): (SlotState | undefined)[] {
  const cells = Array<SlotState | undefined>(to - from + 1).fill(undefined)
  const { first = Infinity } = past
  for (const { state, firstSlot, slots } of summary.runs) {
    const start = state === 'silent' ? Math.max(firstSlot, first) : firstSlot
    const end = firstSlot + slots - from
    if (start - from < end) cells.fill(state, Math.max(0, start - from), Math.max(0, end))
  }
  return cells
}

/** The mark of each day by its share; `due` or none for a day without possible slots. */
function dayCells(series: KnownSeries, firstDay: number, today: number): (Mark | undefined)[] {
  const perDay = slotsPerDay(series.period)
  const slots = slotCells(series, firstDay * perDay, (today + 1) * perDay - 1)
  return Array.from({ length: today - firstDay + 1 }, (_value, day) => {
    const states = slots.slice(day * perDay, (day + 1) * perDay)
    const delivered = states.filter((state) => state === 'present' || state === 'removed').length
    const lost = states.filter((state) => lostStates.has(state)).length
    if (delivered + lost === 0) return states.includes('due') ? 'due' : undefined
    return delivered === 0 ? 'none' : shareClass(delivered / (delivered + lost))
  })
}
