/** The HTML pages of the availability and the latency of a station. */
import type { Availability } from '../../series/availability.ts'
import type { Measure } from '../../series/completeness.ts'
import { startOf } from '../../series/series.ts'
import type { ShownState } from '../../series/slot-states.ts'
import { secondsToIso } from '../../parse/calendar.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { FormView } from '../pages/filter-form.ts'
import { readableDate, readableNumber, readableDuration, readableShare } from '../pages/labels.ts'
import { page, numberColumns } from '../pages/layout.ts'
import type { Page } from '../pages/layout.ts'
import type { Table } from '../pages/layout.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import { calendarSvg, dotsSvg, histogramSvg } from './pictures.ts'
import { availabilityParameters, latencyParameters } from './series-reader.ts'
import { linesOf, serialiseAvailability } from './series-formats.ts'
import type { WireLatency } from './series-formats.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'

const render = page(
  'series-of-station',
  `<%~ include('@ignored', it) %>
<%~ include('@form', it.form) %>
<% if (it.ambiguous.length > 0) { %>
<p class="notice">The short code belongs to several stations: <% for (const code of it.ambiguous) { %><a href="../../<%= code %>/?format=api"><%= code %></a> <% } %></p>
<% } %>
<p class="lead"><%= it.sentence %></p>
<% for (const picture of it.pictures) { %>
<%~ include('@picture', picture) %>
<% } %>
<p>The same as <% for (const format of it.formats) { %><a href="<%= it.query %>&amp;format=<%= format %>"><%= format.toUpperCase() %></a> <% } %></p>
<% if (it.table.rows.length > 0) { %><%~ include('@table', it.table) %><% } %>
`,
)

export const availabilityForm: FormView = {
  frame: { title: 'Availability', section: 'station' },
  fields: formFieldsOf(Object.entries(availabilityParameters)),
  all: 'All days',
}

export const latencyForm: FormView = {
  frame: { title: 'Latency', section: 'station' },
  fields: formFieldsOf(Object.entries(latencyParameters)),
  all: 'Last four weeks',
}

export function renderAvailability(
  series: SeriesAvailability,
  { measure, ...said }: Said & { readonly measure: Measure },
): Page {
  const wire = serialiseAvailability(series)
  const { station, file_type, period } = wire
  const days = { from: wire.from.slice(0, 10), to: lastDay(wire.to) }
  const label = `Availability of ${station}`
  const isDaily = period === '01D'
  return renderSeriesPage(availabilityForm, wire, {
    ...said,
    title: label,
    parameters: { file_type, period, ...days, measure },
    formats: ['json', 'csv', 'txt', 'svg'],
    sentence: availabilitySentence(series.availability),
    pictures: [{ label, svg: calendarSvg(series) }],
    table: {
      label: isDaily ? 'Days by year' : 'Files by day',
      caption: isDaily ? 'Days by year' : 'Files by day (UTC)',
      columns: [
        isDaily ? 'Year' : 'Day',
        ...numberColumns('Present', 'Missing', 'Late or due', 'Removed'),
      ],
      rows: rowsOf(series),
    },
  })
}

/** @param arrivals slots with their latency in seconds */
export function renderLatency(
  wire: WireLatency,
  arrivals: SeriesLatencies['arrivals'],
  said: Said,
): Page {
  const { station, file_type, period, from, to } = wire
  return renderSeriesPage(latencyForm, wire, {
    ...said,
    title: `Latency of ${station}`,
    parameters: { file_type, period, from, to },
    formats: ['json', 'csv'],
    sentence: latencySentence(wire),
    pictures:
      wire.arrivals === 0
        ? []
        : [
            { label: 'Histogram of the latency', svg: histogramSvg(wire) },
            { label: 'Arrivals by day and latency', svg: dotsSvg(wire, arrivals) },
          ],
    table: {
      label: 'Arrivals by day',
      caption: 'Arrivals by day of the data (UTC)',
      columns: ['Day', ...numberColumns('Arrivals', 'Within 10 minutes', 'Median')],
      rows: wire.days
        .toReversed()
        .map(({ date, n, within_600, median_s }) => [
          { text: readableDate(date), isHeader: true },
          ...[String(n), String(within_600), readableDuration(median_s)],
        ]),
    },
  })
}

/** What a page says beside its subject: the names of unknown parameters, and its banner. */
interface Said {
  readonly ignored: readonly string[]
  readonly banner: readonly string[]
}

interface SeriesPage extends Said {
  readonly title: string
  readonly parameters: Readonly<Record<string, string>>
  readonly formats: readonly string[]
  readonly sentence: string
  readonly pictures: readonly { readonly label: string; readonly svg: string }[]
  readonly table: Table
}

function renderSeriesPage(
  form: FormView,
  { ambiguous }: Pick<WireLatency, 'ambiguous'>,
  { title, banner, parameters, ...parts }: SeriesPage,
): Page {
  const query = `?${new URLSearchParams(parameters).toString()}`
  return render(
    { title, banner, section: 'station', up: '../../../', json: `${query}&format=json` },
    {
      ...parts,
      ambiguous,
      query,
      form: filterForm(form, { kept: Object.entries(parameters), limit: 0 }),
    },
  )
}

/** Returns the day of the last slot. An end at midnight belongs to the day before. */
function lastDay(end: string): string {
  return new Date(Date.parse(end) - 1000).toISOString().slice(0, 10)
}

export function availabilitySentence(availability: Availability): string {
  const { completeness, possible, present, expected, delivered, ended } = availability
  if (completeness === undefined) return 'No files were possible in this range.'
  const name = availability.class === undefined ? '' : `, ${availability.class}`
  const files = `${readableNumber(present)} of ${readableNumber(possible)} files`
  const expectation =
    expected === possible && delivered === present
      ? ''
      : ` Of ${readableNumber(expected)} that were expected, ${readableNumber(delivered)} were delivered.`
  const end = ended ? ' The series has ended: this counts to its last file.' : ''
  return `${readableShare(completeness)} complete${name}: ${files}.${expectation}${end}`
}

export function latencySentence({ arrivals, within, median_s, late_after_s }: WireLatency): string {
  const limit = `A file is late after ${readableDuration(late_after_s)}.`
  if (arrivals === 0) return `No arrivals are recorded in this range. ${limit}`
  const share = readableShare(within['600'] / arrivals)
  return `${readableNumber(arrivals)} arrivals, ${share} of them within 10 minutes; median ${readableDuration(median_s)}. ${limit}`
}

function rowsOf(series: SeriesAvailability) {
  const { period, availability } = series
  return linesOf(availability.runs, period).map(({ label, cells, firstSlot }) => {
    const day = readableDate(secondsToIso(startOf(firstSlot, period)))
    const count = (...states: readonly ShownState[]): string =>
      String(cells.filter((cell) => cell !== undefined && states.includes(cell)).length)
    const states = [count('present'), count('missing'), count('late', 'due'), count('removed')]
    return [{ text: period === '01D' ? label : day, isHeader: true }, ...states]
  })
}
