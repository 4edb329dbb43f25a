/** Draws the network as SVG within a page: a station a row, an hour or a day a column. Pure. */
import { learningDays, slotsPerDay } from '../../insight/series.ts'
import { shareClass } from '../../insight/slot-states.ts'
import type { SlotState } from '../../insight/slot-states.ts'
import { dayOfYearAt, secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { readableShare } from '../pages/labels.ts'
import type { NetworkState } from '../series/network-states.ts'

/** Sizes in pixels of a 1:1 picture. */
const size = { label: 84, row: 12, gap: 2, top: 20, legend: 24, width: 800, share: 52 }

/** The marks of cells. Colours of Okabe and Ito, distinct for any colour vision; heights differ too. */
const marks = {
  good: ['#009e73', 1, 'delivered'],
  fair: ['#56b4e9', 0.75, '80 to 90 %'],
  poor: ['#e69f00', 0.5, 'below 80 %'],
  none: ['#d55e00', 0.25, 'nothing'],
  late: ['#e69f00', 0.5, 'late'],
  due: ['#f0e442', 0.75, 'due'],
} as const
type Mark = keyof typeof marks

const hourMarks: Readonly<Partial<Record<SlotState, Mark>>> = {
  present: 'good',
  removed: 'good',
  late: 'late',
  missing: 'none',
  due: 'due',
}

interface Row {
  readonly station: string
  /** What the row says in words. */
  readonly text: string
  /** At the right end. */
  readonly share: string
  readonly cells: readonly (Mark | undefined)[]
}

/** The last 24 hours of hourly series; the last is the current hour. */
export function hoursSvg(states: readonly NetworkState[], nowSeconds: number): string {
  const current = Math.floor(nowSeconds / secondsPerHour)
  const first = current - 23
  const rows = states.map((each): Row => {
    const cells = slotCells(each, first, current).map((state) => state && hourMarks[state])
    const counts = countBy(cells)
    const text = `${counts.good} hours delivered, ${counts.late} late, ${counts.due} due, ${counts.none} missing`
    return { station: each.station, text, share: `${counts.good}`, cells }
  })
  const labels = Array.from({ length: 24 }, (_value, column) => column)
    .filter((column) => (first + column) % 3 === 0)
    .map((column) => [column, `${twoDigits((first + column) % 24)} h`] as const)
  return picture('The last 24 hours by station', rows, { columns: 24, labels })
}

/** The last 28 days; of hourly series the share of each day. */
export function daysSvg(states: readonly NetworkState[], nowSeconds: number): string {
  const today = Math.floor(nowSeconds / secondsPerDay)
  const firstDay = today - learningDays + 1
  const rows = states.map((each): Row => {
    const { share, expected, delivered } = each.summary
    return {
      station: each.station,
      text: `${delivered} of ${expected} expected files in 28 days`,
      share: readableShare(share ?? null),
      cells: dayCells(each, firstDay, today),
    }
  })
  const labels = Array.from({ length: learningDays }, (_value, index) => index)
    .filter((index) => index % 4 === 0)
    .map((index) => {
      const { dayOfYear } = dayOfYearAt((firstDay + index) * secondsPerDay)
      return [index, String(dayOfYear).padStart(3, '0')] as const
    })
  return picture('The last 28 days by station', rows, { columns: learningDays, labels })
}

/** The states of slots, both ends included; `undefined` outside of the summary. */
function slotCells({ summary }: NetworkState, from: number, to: number): (SlotState | undefined)[] {
  const cells = Array<SlotState | undefined>(to - from + 1).fill(undefined)
  for (const { state, firstSlot, slots } of summary.runs)
    cells.fill(state, Math.max(0, firstSlot - from), Math.max(0, firstSlot + slots - from))
  return cells
}

/** By the share of delivered slots of each day. */
function dayCells(series: NetworkState, firstDay: number, today: number): (Mark | undefined)[] {
  const perDay = slotsPerDay(series.period)
  const slots = slotCells(series, firstDay * perDay, (today + 1) * perDay - 1)
  return Array.from({ length: today - firstDay + 1 }, (_value, day) => {
    const states = slots.slice(day * perDay, (day + 1) * perDay)
    const delivered = states.filter((state) => state === 'present' || state === 'removed').length
    const lost = states.filter((state) => state === 'late' || state === 'missing').length
    if (delivered + lost === 0) return states.includes('due') ? 'due' : undefined
    return delivered === 0 ? 'none' : shareClass(delivered / (delivered + lost))
  })
}

function countBy(cells: readonly (Mark | undefined)[]): Record<Mark, number> {
  const counts = { good: 0, fair: 0, poor: 0, none: 0, late: 0, due: 0 }
  for (const cell of cells) if (cell !== undefined) counts[cell]++
  return counts
}

/** @param axis number of columns, and labels of some of them */
function picture(
  title: string,
  rows: readonly Row[],
  axis: { readonly columns: number; readonly labels: readonly (readonly [number, string])[] },
): string {
  const cell = (size.width - size.label - size.share) / axis.columns
  const step = size.row + size.gap
  const height = size.top + rows.length * step + size.legend
  const labels = axis.labels.map(
    ([column, text]) => `<text x="${rounded(size.label + column * cell)}" y="12">${text}</text>`,
  )
  const lines = rows.map((row, index) => rowSvg(row, size.top + index * step, cell))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="currentColor" role="group" aria-label="${title}"><title>${title}</title>
${labels.join('')}
${lines.join('\n')}
${legend(height - 8, rows)}
</svg>
`
}

function rowSvg({ station, text, share, cells }: Row, y: number, cell: number): string {
  const paths = new Map<Mark, string>()
  for (let first = 0; first < cells.length;) {
    const mark = cells[first]
    let end = first + 1
    while (end < cells.length && cells[end] === mark) end++
    if (mark !== undefined) {
      const height = rounded(size.row * marks[mark][1])
      const [x, width] = [rounded(size.label + first * cell), rounded((end - first) * cell)]
      const path = `M${x} ${rounded(y + size.row - height)}h${width}v${height}h-${width}z`
      paths.set(mark, (paths.get(mark) ?? '') + path)
    }
    first = end
  }
  const drawn = Array.from(paths, ([mark, path]) => `<path fill="${marks[mark][0]}" d="${path}"/>`)
  return `<g><title>${station}: ${text}</title><a href="../station/${station}/?format=api"><text y="${y + 10}">${station}</text></a>${drawn.join('')}<text x="${size.width}" y="${y + 10}" text-anchor="end">${share}</text></g>`
}

/** The marks that occur. */
function legend(y: number, rows: readonly Row[]): string {
  const found = new Set(rows.flatMap(({ cells }) => cells))
  return (Object.keys(marks) as Mark[])
    .filter((mark) => found.has(mark))
    .map((mark, index) => {
      const [color, height, text] = marks[mark]
      const x = size.label + index * 110
      const tall = rounded(size.row * height)
      return `<rect x="${x}" y="${rounded(y - tall)}" width="12" height="${tall}" fill="${color}"/><text x="${x + 16}" y="${y}">${text}</text>`
    })
    .join('')
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
