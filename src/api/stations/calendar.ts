/** Draws the availability calendar as SVG: a year a row for daily files, a day a row for others. Pure. */
import { periodRules } from '../../insight/series.ts'
import type { SlotState } from '../../insight/slot-states.ts'
import { secondsToIso } from '../files/serialise.ts'
import { linesOf } from './availability-formats.ts'
import type { CalendarLine, SeriesAvailability } from './availability-formats.ts'

/** Sizes in pixels of a 1:1 picture. */
const size = { label: 64, line: 14, gap: 2, top: 20, legend: 26, width: 800 }

/** Colours of Okabe and Ito, distinct for any colour vision; shapes differ too: top and height of the mark within its line. */
const marks: Readonly<
  Record<Exclude<SlotState, 'future'>, readonly [color: string, top: number, height: number]>
> = {
  present: ['#009e73', 0, 1],
  removed: ['#56b4e9', 0.25, 0.75],
  due: ['#f0e442', 0.5, 0.5],
  late: ['#e69f00', 0.25, 0.5],
  missing: ['#d55e00', 0.375, 0.25],
  silent: ['#999999', 0.85, 0.15],
  unknown: ['#999999', 0.45, 0.1],
}

/** Run of cells of a line in one state. */
interface LineRun {
  readonly state: SlotState
  readonly first: number
  readonly cells: number
}

/** @returns an SVG document without scripts and styles; every run of slots has its dates and state as title */
export function calendarSvg(series: SeriesAvailability): string {
  const { period, station, availability } = series
  const lines = linesOf(availability.runs, period)
  const columns = Math.max(1, ...lines.map(({ cells }) => cells.length), period === '01D' ? 366 : 0)
  const cell = (size.width - size.label) / columns
  const height = size.top + lines.length * (size.line + size.gap) + size.legend
  const rows = lines.map((line, index) =>
    lineSvg(line, {
      y: size.top + index * (size.line + size.gap),
      cell,
      seconds: periodRules[period].seconds,
    }),
  )
  const title = `Availability of ${station}, ${period}, file type ${series.fileType}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="11" fill="#808080"><title>${title}</title>
${columnLabels(period, cell)}
${rows.join('\n')}
${legend(height - 10, lines)}
</svg>
`
}

function lineSvg(
  line: CalendarLine,
  { y, cell, seconds }: { readonly y: number; readonly cell: number; readonly seconds: number },
): string {
  const runs = runsOf(line).flatMap((run) => {
    if (run.state === 'future') return []
    const [color, top, height] = marks[run.state]
    const x = rounded(size.label + run.first * cell)
    const path = `M${x} ${rounded(y + top * size.line)}h${rounded(run.cells * cell)}v${rounded(height * size.line)}h-${rounded(run.cells * cell)}z`
    const start = secondsToIso((line.firstSlot + run.first) * seconds)
    const end = secondsToIso((line.firstSlot + run.first + run.cells) * seconds)
    return [
      `<path fill="${color}" d="${path}"><title>${start} to ${end}: ${run.state}, ${run.cells}</title></path>`,
    ]
  })
  return `<text x="0" y="${y + 11}">${line.label}</text>${runs.join('')}`
}

function runsOf({ cells }: CalendarLine): readonly LineRun[] {
  const runs: { state: SlotState; first: number; cells: number }[] = []
  cells.forEach((state, index) => {
    const last = runs.at(-1)
    if (state === undefined) return
    if (last?.state === state && last.first + last.cells === index) last.cells++
    else runs.push({ state, first: index, cells: 1 })
  })
  return runs
}

/** Days of the year every 30 days, or hours every 3 hours. */
function columnLabels(period: SeriesAvailability['period'], cell: number): string {
  const perHour = 3600 / periodRules[period].seconds
  const labels =
    period === '01D'
      ? [1, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330].map(
          (day) => [day - 1, String(day)] as const,
        )
      : [0, 3, 6, 9, 12, 15, 18, 21].map(
          (hour) => [hour * perHour, `${String(hour).padStart(2, '0')} h`] as const,
        )
  return labels
    .map(
      ([column, text]) => `<text x="${rounded(size.label + column * cell)}" y="12">${text}</text>`,
    )
    .join('')
}

/** The states that occur, each with its mark. */
function legend(y: number, lines: readonly CalendarLine[]): string {
  const present = new Set(lines.flatMap(({ cells }) => cells))
  return Object.entries(marks)
    .filter(([state]) => present.has(state as SlotState))
    .map(([state, [color, top, height]], index) => {
      const x = size.label + index * 100
      const mark = `<rect x="${x}" y="${rounded(y - 11 + top * size.line)}" width="12" height="${rounded(height * size.line)}" fill="${color}"/>`
      return `${mark}<text x="${x + 16}" y="${y}">${state}</text>`
    })
    .join('')
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
