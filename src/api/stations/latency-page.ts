import { slotsPerDay } from '../../insight/series.ts'
import { page } from '../pages/layout.ts'
import { readableNumber, readableSeconds } from '../pages/labels.ts'
import type { WireLatency } from './latency-formats.ts'
import { seriesForm } from './series-form.ts'

const template = `<%~ include('@series-form', it) %>
<p><%= it.sentence %></p>
<div class="wide" tabindex="0">
<%~ it.histogram %>
</div>
<div class="wide" tabindex="0">
<%~ it.dots %>
</div>
<div class="wide" tabindex="0">
<table>
<caption>Arrivals by day of the data (UTC)</caption>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">Arrivals</th><th scope="col" class="number">Within 10 minutes</th><th scope="col" class="number">Median</th></tr></thead>
<tbody>
<% for (const day of it.days) { %>
<tr><th scope="row"><%= day.date %></th><td class="number"><%= day.n %></td><td class="number"><%= day.within_600 %></td><td class="number"><%= day.median %></td></tr>
<% } %>
</tbody>
</table>
</div>
`

const render = page('latency', template)

/** @param arrivals slots with their latency in seconds */
export function renderLatency(
  wire: WireLatency,
  arrivals: readonly (readonly [slot: number, latency: number])[],
): string {
  const { station, file_type, period, from, to, ambiguous } = wire
  const query = `?file_type=${file_type}&period=${period}&from=${from}&to=${to}`
  return render(
    {
      title: `Latency of ${station}`,
      section: 'station',
      up: '../../../',
      json: `${query}&format=json`,
    },
    {
      form: seriesForm({ file_type, period, fromDay: from, toDay: to, ambiguous }),
      sentence: sentenceOf(wire),
      histogram: histogramSvg(wire),
      dots: dotsSvg(wire, arrivals),
      days: wire.days
        .toReversed()
        .map((day) => ({ ...day, median: readableSeconds(day.median_s) })),
    },
  )
}

/** The picture of arrivals and the sentence above it, for the page of a station. */
export function latencyPicture(
  wire: WireLatency,
  arrivals: readonly (readonly [slot: number, latency: number])[],
): { readonly sentence: string; readonly picture: string } {
  return { sentence: sentenceOf(wire), picture: wire.arrivals === 0 ? '' : dotsSvg(wire, arrivals) }
}

function sentenceOf({ arrivals, within, median_s, usual_s }: WireLatency): string {
  if (arrivals === 0)
    return `No arrivals are recorded in this range. The usual latency is taken as ${readableSeconds(usual_s)}.`
  const share = ((100 * within['600']) / arrivals).toFixed(1)
  return `${readableNumber(arrivals)} arrivals, ${share} % of them within 10 minutes; median ${readableSeconds(median_s)}, usual latency ${readableSeconds(usual_s)}.`
}

const open = (height: number, title: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${height}" role="img" font-family="system-ui, sans-serif" font-size="11" fill="#808080"><title>${title}</title>`

function histogramSvg({ histogram, station }: WireLatency): string {
  const most = Math.max(1, ...histogram.map(([, , count]) => count))
  const width = 736 / histogram.length
  const bars = histogram.map(([from, to, count], index) => {
    const x = 64 + index * width
    const height = Math.round((count / most) * 120)
    const name = to === null ? `over ${readableSeconds(from)}` : `up to ${readableSeconds(to)}`
    const color = to !== null && to <= 600 ? '#009e73' : '#e69f00'
    return `<rect x="${x.toFixed(1)}" y="${140 - height}" width="${(width - 3).toFixed(1)}" height="${height}" fill="${color}"><title>${name}: ${count}</title></rect><text x="${x.toFixed(1)}" y="155">${to === null ? '' : `≤ ${readableSeconds(to)}`}</text>`
  })
  const line = (
    64 +
    histogram.filter(([, to]) => to !== null && to <= 600).length * width -
    1.5
  ).toFixed(1)
  return `${open(165, `Histogram of the latency of ${station}`)}<text x="0" y="24">${most}</text>${bars.join('')}<path d="M${line} 10V140" stroke="#d55e00" stroke-dasharray="4 3"/><text x="${Number(line) + 4}" y="16">10 minutes</text></svg>`
}

/** A dot for each arrival by day and latency up to an hour; later ones are counted. */
function dotsSvg(
  { from, to, period, station }: WireLatency,
  arrivals: readonly (readonly [slot: number, latency: number])[],
): string {
  const [first, end] = [Date.parse(from) / 864e5, Date.parse(to) / 864e5 + 1]
  const perDay = slotsPerDay(period)
  const shown = arrivals.filter(([, latency]) => latency <= 3600)
  const path = shown
    .map(([slot, latency]) => {
      const x = 64 + ((slot / perDay - first) / (end - first)) * 736
      return `M${x.toFixed(1)} ${(140 - (latency / 3600) * 120).toFixed(1)}h0`
    })
    .join('')
  const later = arrivals.length - shown.length
  const levels = [0, 600, 1800, 3600]
    .map((level) => {
      const y = 140 - (level / 3600) * 120
      return `<text x="0" y="${y + 4}">${readableSeconds(level)}</text><path d="M64 ${y}H800" stroke="${level === 600 ? '#d55e00' : '#80808060'}"${level === 600 ? ' stroke-dasharray="4 3"' : ''}/>`
    })
    .join('')
  return `${open(165, `Arrivals of ${station} by day and latency`)}${levels}<path d="${path}" stroke="#0072b2" stroke-width="3" stroke-linecap="round"/><text x="64" y="158">${from}</text><text x="740" y="158">${to}</text>${later === 0 ? '' : `<text x="300" y="158">${later} later than an hour</text>`}</svg>`
}
