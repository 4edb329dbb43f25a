/** Draws the pictures of a station's series as SVG. Pure. */
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { ShownState } from '../../series/slot-states.ts'
import { secondsToIso } from '../../parse/calendar.ts'
import { readableDate, readableDuration } from '../pages/labels.ts'
import { gridSvg, looks, rounded, svg, svgWidth } from '../pages/svg.ts'
import type { Mark } from '../pages/svg.ts'
import { linesOf } from './series-formats.ts'
import type { WireLatency } from './series-formats.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'

const labelWidth = 68
const targetLine = `stroke="${looks.bad.color}" stroke-dasharray="4 3"`

const marks: Readonly<Record<Exclude<ShownState, 'future'>, Mark>> = {
  present: looks.good,
  removed: looks.fair,
  due: looks.open,
  late: looks.poor,
  missing: looks.bad,
  silent: looks.open,
  unknown: { ...looks.open, top: 0.45, height: 0.1 },
}

/** The availability calendar: a row is a year of daily files, or a day; no future slots. */
export function calendarSvg(series: SeriesAvailability): string {
  const { period, station, availability } = series
  const lines = linesOf(availability.runs, period)
  const { seconds } = periodRules[period]
  return gridSvg({
    title: `Availability of ${station}, ${period}, file type ${series.fileType}`,
    marks,
    labelWidth,
    columnLabels: columnLabels(period),
    columns: Math.max(1, ...lines.map(({ cells }) => cells.length), period === '01D' ? 366 : 0),
    rows: lines.map(({ label, cells, firstSlot }) => ({
      label: period === '01D' ? label : readableDate(secondsToIso(firstSlot * seconds)).slice(5),
      cells: cells.map((state) => (state === 'future' ? undefined : state)),
    })),
    runTitle: (row, first, cells, state) => {
      const slot = (lines[row]?.firstSlot ?? NaN) + first
      const [start, end] = [slot, slot + cells].map((each) => secondsToIso(each * seconds))
      return `${start ?? ''} to ${end ?? ''}: ${state}, ${cells}`
    },
  })
}

/** The labels of the columns: the day of the year every 30 days, or the hour every 3 hours. */
function columnLabels(period: SeriesAvailability['period']): (readonly [number, string])[] {
  if (period === '01D')
    return [1, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330].map((day) => [
      day - 1,
      String(day).padStart(3, '0'),
    ])
  const perHour = 3600 / periodRules[period].seconds
  return [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => [
    hour * perHour,
    `${String(hour).padStart(2, '0')} h`,
  ])
}

/** Draws a bar for each class of latencies, and a line at 10 minutes. */
export function histogramSvg({ histogram, station }: WireLatency): string {
  const most = Math.max(1, ...histogram.map(([, , count]) => count))
  const width = (svgWidth - labelWidth) / histogram.length
  const bars = histogram.map(([from, to, count], index) => {
    const x = rounded(labelWidth + index * width)
    const height = Math.round((count / most) * 110)
    const name = to === null ? `over ${readableDuration(from)}` : `up to ${readableDuration(to)}`
    const { color } = to !== null && to <= 600 ? looks.good : looks.poor
    const bar = `<rect x="${x}" y="${140 - height}" width="${rounded(width - 4)}" height="${height}" fill="${color}"><title>${name}: ${count}</title></rect>`
    const number = count === 0 ? '' : `<text x="${x}" y="${136 - height}">${count}</text>`
    const label = to === null ? 'later' : `≤ ${readableDuration(to)}`
    return `${bar}${number}<text x="${x}" y="155">${label}</text>`
  })
  const inTime = histogram.filter(([, to]) => to !== null && to <= 600).length
  const line = rounded(labelWidth + inTime * width - 2)
  return svg(
    { height: 162, title: `Histogram of the latency of ${station}` },
    `<path d="M${labelWidth} 140.5H${svgWidth}" stroke="#80808060"/>${bars.join('')}<path d="M${line} 4V140" ${targetLine}/><text x="${line + 4}" y="12">10 minutes</text>`,
  )
}

/** A dot for each arrival within an hour, by day and latency; later ones are counted. */
export function dotsSvg(
  { from, to, period, station }: WireLatency,
  arrivals: SeriesLatencies['arrivals'],
): string {
  const [first, end] = [Date.parse(from) / 864e5, Date.parse(to) / 864e5 + 1]
  const perDay = slotsPerDay(period)
  const yOf = (latency: number): number => rounded(140 - (latency / 3600) * 125)
  const shown = arrivals.filter(([, latency]) => latency <= 3600)
  const dots = shown.map(([slot, latency]) => {
    const x = labelWidth + ((slot / perDay - first) / (end - first)) * (svgWidth - labelWidth)
    return `M${rounded(x)} ${yOf(latency)}h0`
  })
  const levels = [0, 600, 1800, 3600].map((level) => {
    const [y, isTarget] = [yOf(level), level === 600]
    const line = isTarget ? targetLine : 'stroke="#80808060"'
    const label = level === 0 ? '0' : readableDuration(level)
    return `<text y="${y + 4}">${label}</text><path d="M${labelWidth} ${y}H${svgWidth}" ${line}/>`
  })
  const later = arrivals.length - shown.length
  const note = later === 0 ? '' : `<text x="400" y="158">${later} later than an hour</text>`
  return svg(
    { height: 165, title: `Arrivals of ${station} by day and latency` },
    `${levels.join('')}<path d="${dots.join('')}" stroke="#0072b2" stroke-width="3" stroke-linecap="round"/><text x="${labelWidth}" y="158">${readableDate(from)}</text><text x="${svgWidth}" y="158" text-anchor="end">${readableDate(to)}</text>${note}`,
  )
}
