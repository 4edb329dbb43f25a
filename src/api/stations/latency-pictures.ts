/** Draws the latencies of a series as SVG. Pure. */
import { counted, readableDate, readableDuration } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { looks, rounded, svg, svgWidth } from '../pages/svg.ts'
import type { WireLatency } from './serialise.ts'
import type { SeriesLatencies } from './series-reader.ts'

const left = 84
const grid = html`stroke="#80808060"`
const targetLine = html`stroke="${looks.bad.color}" stroke-dasharray="4 3"`

/** The time within which files of a period are in time, in seconds. */
export function targetOf(period: string): number {
  return periodRules[period as Period].target
}

/** Draws a bar for each class of latencies, and a line at the target of the period. */
export function histogramSvg({ histogram, station, period }: WireLatency): Html {
  const target = targetOf(period)
  const most = Math.max(1, ...histogram.map(([, , count]) => count))
  const width = (svgWidth - left) / histogram.length
  const isInTime = (to: number | null): boolean => to !== null && to <= target
  const bars = histogram.map(([from, to, count], index) => {
    const x = rounded(left + index * width)
    const height = Math.round((count / most) * 110)
    const name = to === null ? `over ${readableDuration(from)}` : `up to ${readableDuration(to)}`
    const { color } = isInTime(to) ? looks.good : looks.poor
    const number = count > 0 && html`<text x="${x}" y="${136 - height}">${count}</text>`
    const label = to === null ? 'later' : `≤ ${readableDuration(to)}`
    return html`<rect x="${x}" y="${140 - height}" width="${rounded(width - 4)}" height="${height}"
 fill="${color}"><title>${name}: ${count}</title></rect>${number}<text x="${x}" y="155">${label}</text>`
  })
  const line = rounded(left + histogram.filter(([, to]) => isInTime(to)).length * width - 2)
  return svg(
    { height: 182, title: `Histogram of the latency of ${station}` },
    html`<text y="12">Files</text><text x="${svgWidth}" y="175" text-anchor="end">Arrived after the end of the period</text>
<path d="M${left} 140.5H${svgWidth}" ${grid}/>${bars}<path d="M${line} 4V140" ${targetLine}/>
<text x="${line + 4}" y="12">target: ${readableDuration(target)}</text>`,
  )
}

/** The lines of the picture of arrivals, in seconds; the last one is where it is cut off. */
const levels: Readonly<Record<Period, readonly number[]>> = {
  '15M': [10, 60, 600, 3600],
  '01H': [10, 60, 3600],
  '01D': [60, 600, 3600, 21_600, 86_400],
}

/** A dot for each arrival, by day and the logarithm of its latency; the latest are counted. */
export function dotsSvg(
  { from, to, period: text, station }: WireLatency,
  arrivals: SeriesLatencies['arrivals'],
): Html {
  const period = text
  const [first, end] = [Date.parse(from) / 864e5, Date.parse(to) / 864e5 + 1]
  const [shortest = 1, longest = 1] = [levels[period][0], levels[period].at(-1)]
  const yOf = (latency: number): number => {
    const share = Math.log(Math.max(latency, shortest) / shortest) / Math.log(longest / shortest)
    return rounded(160 - share * 135)
  }
  const shown = arrivals.filter(([, latency]) => latency <= longest)
  const dots = shown.map(([slot, latency]) => {
    const day = slot / slotsPerDay(period)
    const x = left + ((day - first) / (end - first)) * (svgWidth - left)
    return `M${rounded(x)} ${yOf(latency)}h0`
  })
  const target = targetOf(period)
  const lines = [...new Set([...levels[period], target])].map((level) => {
    const y = yOf(level)
    const label = `${level === shortest ? '≤ ' : ''}${readableDuration(level)}`
    const line = level === target ? targetLine : grid
    return html`<text y="${y + 4}">${label}</text><path d="M${left} ${y}H${svgWidth}" ${line}/>`
  })
  const later = arrivals.length - shown.length
  const cut =
    later === 0
      ? ''
      : `${counted(later, 'file', 'files')} later than ${readableDuration(longest)}: not drawn`
  return svg(
    { height: 188, title: `Arrivals of ${station} by day and latency` },
    html`<text y="12">Arrived after the end of the period (logarithmic)</text>
<text x="${svgWidth}" y="12" text-anchor="end">${cut}</text>
${lines}<path d="${dots.join('')}" stroke="#0072b2" stroke-width="3" stroke-linecap="round"/>
<text x="${left}" y="180">${readableDate(from)}</text>
<text x="${(left + svgWidth) / 2}" y="180" text-anchor="middle">Start of data</text>
<text x="${svgWidth}" y="180" text-anchor="end">${readableDate(to)}</text>`,
  )
}
