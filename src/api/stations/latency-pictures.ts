/** Draws the latencies of a series: every arrival, and how many took how long. Pure. */
import { readableDuration, readableNumber } from '../../runtime/readable.ts'
import { percentile } from '../../series/ascending.ts'
import { slotsPerDay } from '../../series/series.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Scale } from '../pages/plot.ts'
import { days, durations, plotSvg, quantities } from '../pages/plot.ts'
import type { SeriesLatencies } from './series-reader.ts'

/** What the pictures show, and the limit of lateness in seconds. */
export interface DrawnLatencies extends Pick<
  SeriesLatencies,
  'arrivals' | 'period' | 'fromDay' | 'toDay'
> {
  readonly lateAfter: number
}

/** A dot for each arrival by day and latency, over a band from the 5th to the 95th percentile. */
export function arrivalsSvg(title: string, series: DrawnLatencies): Html {
  const { arrivals, period, fromDay, toDay, lateAfter } = series
  const perDay = slotsPerDay(period)
  const byDay = Map.groupBy(arrivals, ([slot]) => Math.floor(slot / perDay))
  return plotSvg({
    title,
    x: days(fromDay, toDay),
    y: scaleOf(series),
    draw({ x, y, bar, line }) {
      const bands = Array.from(byDay, ([day, ofDay]) => {
        const ascending = ofDay.map(([, latency]) => latency).sort((a, b) => a - b)
        const [low = 0, high = 0] = [0.05, 0.95].map((share) => percentile(ascending, share))
        return bar([day, day + 1], [low, high])
      })
      const dots = arrivals.map(([slot, latency]) => {
        const place = html`cx="${x((slot + 0.5) / perDay)}" cy="${y(latency)}"`
        return html`<circle ${place} r="1.5"/>`
      })
      return html`<g class="band">${bands}</g>
<g class="dots">${dots}</g>
${line(lateAfter, `late after ${readableDuration(lateAfter)}`)}`
    },
  })
}

/** Bars of the histogram. */
const bins = 40

/** How many arrivals took how long, in classes of one width on the axis of the arrivals. */
export function histogramSvg(title: string, series: DrawnLatencies): Html {
  const { at, ticks } = scaleOf(series)
  const counts = Array<number>(bins).fill(0)
  for (const [, latency] of series.arrivals) {
    const bin = Math.min(bins - 1, Math.floor(at(latency) * bins))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const files = quantities(Math.max(...counts), readableNumber)
  const y = { ...files, ticks: files.ticks.filter(({ value }) => Number.isInteger(value)) }
  const limit = at(series.lateAfter) * bins
  const shares: Scale = {
    at: (value) => value / bins,
    ticks: ticks.map(({ value, text }) => ({ value: at(value) * bins, text })),
  }
  return plotSvg({
    title,
    x: shares,
    y,
    height: 120,
    draw({ bar }) {
      const bars = counts.map((count, bin) => {
        const state = bin < limit ? 'present' : 'late'
        return count > 0 && html`<g class="${state}">${bar([bin, bin + 1], [0, count])}</g>`
      })
      return html`${bars}`
    },
  })
}

/** Reaches from the shortest to the longest latency, and has the limit. */
function scaleOf({ arrivals, lateAfter }: DrawnLatencies): Scale {
  let [shortest, longest] = [lateAfter, lateAfter]
  for (const [, latency] of arrivals) {
    shortest = Math.min(shortest, latency)
    longest = Math.max(longest, latency)
  }
  return durations(shortest, longest)
}
