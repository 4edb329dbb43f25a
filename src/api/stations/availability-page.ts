import type { SlotState } from '../../insight/slot-states.ts'
import { page } from '../pages/layout.ts'
import { readableNumber, readableTime } from '../pages/labels.ts'
import { linesOf, serialiseAvailability } from './availability-formats.ts'
import type { SeriesAvailability } from './availability-formats.ts'
import { seriesForm } from './series-form.ts'
import { calendarSvg } from './calendar.ts'

const template = `<%~ include('@series-form', it) %>
<p><%= it.sentence %></p>
<div class="wide" tabindex="0">
<%~ it.calendar %>
</div>
<p>The same as <a href="<%= it.query %>&amp;format=json">JSON</a>, <a href="<%= it.query %>&amp;format=csv">CSV</a>, <a href="<%= it.query %>&amp;format=txt">text</a> or <a href="<%= it.query %>&amp;format=svg">SVG</a>.</p>
<div class="wide" tabindex="0">
<table>
<caption><%= it.caption %></caption>
<thead><tr><th scope="col"><%= it.rowName %></th><th scope="col" class="number">Present</th><th scope="col" class="number">Missing</th><th scope="col" class="number">Late or due</th><th scope="col" class="number">Removed</th></tr></thead>
<tbody>
<% for (const row of it.rows) { %>
<tr><th scope="row"><%= row.label %></th><td class="number"><%= row.present %></td><td class="number"><%= row.missing %></td><td class="number"><%= row.late %></td><td class="number"><%= row.removed %></td></tr>
<% } %>
</tbody>
</table>
</div>
`

const render = page('availability', template)

export function renderAvailability(series: SeriesAvailability): string {
  const wire = serialiseAvailability(series)
  const { station, file_type, period } = wire
  const [fromDay, toDay] = [wire.from.slice(0, 10), lastDay(wire.to)]
  const query = `?file_type=${file_type}&period=${period}&from=${fromDay}&to=${toDay}`
  const isDaily = period === '01D'
  return render(
    {
      title: `Availability of ${station}`,
      section: 'station',
      up: '../../../',
      json: `${query}&format=json`,
    },
    {
      form: seriesForm({ file_type, period, fromDay, toDay, ambiguous: wire.ambiguous }),
      query,
      sentence: sentenceOf(series),
      calendar: calendarSvg(series),
      caption: isDaily ? 'Days by year' : 'Files by day (UTC)',
      rowName: isDaily ? 'Year' : 'Day',
      rows: rowsOf(series),
    },
  )
}

/** The day of the last slot: an end at midnight belongs to the day before. */
function lastDay(end: string): string {
  return new Date(Date.parse(end) - 1000).toISOString().slice(0, 10)
}

function sentenceOf(series: SeriesAvailability): string {
  const { expected, delivered, share, known_from: knownFrom } = serialiseAvailability(series)
  const since = knownFrom === null ? '' : ` since ${readableTime(knownFrom, 'minute')} UTC`
  if (share === null)
    return `No files are expected in this range: deliveries are recorded${since}, and a series is expected after some regular days.`
  const percent = `${(share * 100).toFixed(1)} %`
  return `${readableNumber(delivered)} of ${readableNumber(expected)} expected files (${percent}, ${series.availability.class ?? ''})${since}.`
}

function rowsOf(series: SeriesAvailability) {
  return linesOf(series.availability.runs, series.period).map(({ label, cells }) => {
    const count = (...states: readonly SlotState[]): number =>
      cells.filter((cell) => cell !== undefined && states.includes(cell)).length
    return {
      label,
      present: count('present'),
      missing: count('missing'),
      late: count('late', 'due'),
      removed: count('removed'),
    }
  })
}
