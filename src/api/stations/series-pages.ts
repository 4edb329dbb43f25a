/** The HTML pages of the availability and the latency of a station. */
import { dayToIso, secondsToIso } from '../../parse/calendar.ts'
import {
  counted,
  readableDate,
  readableDuration,
  readableNumber,
  readableShare,
} from '../../runtime/readable.ts'
import type { Availability } from '../../series/availability.ts'
import { slotsPerDay, startOf } from '../../series/series.ts'
import type { ShownState } from '../../series/slot-states.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { ignoredNotice, picture } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, numberColumns, table } from '../pages/table.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { dotsSvg, histogramSvg, targetOf } from './latency-pictures.ts'
import { calendarSvg } from './pictures.ts'
import type { WireLatency } from './serialise.ts'
import { linesOf, serialiseAvailability, serialiseLatency } from './serialise.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'
import { availabilityParameters, latencyParameters } from './series-reader.ts'
import { filesUrl } from './station-fields.ts'
import type { StationTab } from './station-head.ts'
import { gapsHtml, seriesWords, shownCode, stationFrame, stationHead } from './station-head.ts'
import { gapLines, joinGaps } from './words.ts'

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

export function renderAvailability(series: SeriesAvailability, said: Said): Page {
  const wire = serialiseAvailability(series)
  const { file_type, period } = wire
  const days = { from: wire.from.slice(0, 10), to: lastDay(wire.to) }
  const isDaily = period === '01D'
  const label = `Availability of ${shownCode({ code: series.station, codes: series.codes })}`
  return renderSeriesPage(availabilityForm, series, {
    ...said,
    tab: 'Availability',
    title: `${label}: ${seriesWords(series)}`,
    parameters: { file_type, period, ...days },
    formats: ['json', 'csv'],
    sentence: availabilitySentence(series.availability),
    measure:
      'Counted are all files that were delivered and are not damaged, also those that were removed since.',
    pictures: [{ label, svg: calendarSvg(series) }],
    gaps: {
      text: gapLines(joinGaps(series.availability.gaps), period, maxGaps).join('\n'),
      files: filesUrl({ api: '../../../' }, series.codes, [
        ['file_type', file_type],
        ['overlaps', `${days.from}/${days.to}`],
      ]),
    },
    table: {
      label: isDaily ? 'Days by year' : 'Files by day',
      caption: isDaily ? 'Days by year' : 'Files by day (UTC)',
      columns: [
        headerColumn(isDaily ? 'Year' : 'Day'),
        ...numberColumns('Present', 'Missing', 'Damaged', 'Late or due', 'Removed', 'Not expected'),
      ],
      rows: rowsOf(series).toReversed(),
    },
  })
}

/** Maximum number of gaps on a page; CSV and JSON have all. */
const maxGaps = 200

/** @param series with its arrivals: slots with their latency in seconds */
export function renderLatency(series: SeriesLatencies, said: Said): Page {
  const wire = serialiseLatency(series)
  const { file_type, period, from, to } = wire
  const { arrivals } = series
  const target = targetOf(period)
  const perDay = slotsPerDay(series.period)
  const inTime = Map.groupBy(
    arrivals.filter(([, latency]) => latency <= target),
    ([slot]) => dayToIso(Math.floor(slot / perDay)),
  )
  const label = `Latency of ${shownCode({ code: series.station, codes: series.codes })}`
  return renderSeriesPage(latencyForm, series, {
    ...said,
    tab: 'Latency',
    title: `${label}: ${seriesWords(series)}`,
    parameters: { file_type, period, from, to },
    formats: ['json', 'csv'],
    sentence: latencySentence(wire),
    measure:
      'The latency of a file is the time from the end of its period to its arrival. Files that were not seen arriving do not count.',
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
      columns: [
        headerColumn('Day'),
        ...numberColumns('Arrivals', `Within ${readableDuration(target)}`, 'Median'),
      ],
      rows: wire.days
        .toReversed()
        .map(({ date, n, median_s }) => [
          readableDate(date),
          ...[String(n), String(inTime.get(date)?.length ?? 0), readableDuration(median_s)],
        ]),
    },
  })
}

/** What a page says beside its subject. */
interface Said {
  /** The names of unknown parameters. */
  readonly ignored: readonly string[]
  readonly banner: readonly string[]
  readonly states: readonly SeriesStatus[]
  readonly nowSeconds: number
}

interface SeriesPage extends Said {
  readonly tab: StationTab
  readonly title: string
  readonly parameters: Readonly<Record<string, string>>
  readonly formats: readonly string[]
  readonly sentence: string
  /** What is counted. */
  readonly measure: string
  readonly pictures: readonly { readonly label: string; readonly svg: Html }[]
  readonly gaps?: { readonly text: string; readonly files: string }
  readonly table: Table
}

function renderSeriesPage(
  form: FormView,
  { station: code, codes, ambiguous }: Pick<SeriesLatencies, 'station' | 'codes' | 'ambiguous'>,
  said: SeriesPage,
): Page {
  const { title, banner, parameters, tab, states, nowSeconds, gaps, formats, ignored } = said
  const query = `?${new URLSearchParams(parameters).toString()}`
  const head = { code, codes, ambiguous, states, nowSeconds, tab }
  const rows = said.table.rows.length > 0 && table(said.table)
  const same = formats.map(
    (format, index) =>
      html`${index > 0 && ', '}<a href="${query}&amp;format=${format}">${format.toUpperCase()}</a>`,
  )
  return {
    frame: stationFrame(head, { title, banner, json: `${query}&format=json` }),
    body: html`${stationHead(head)}
${ignoredNotice(ignored)}
${filterForm(form, { kept: Object.entries(parameters), limit: 0 })}
<p class="lead">${said.sentence}</p>
<p class="note">${said.measure}</p>
<div class="beside"><div>
${said.pictures.map(({ label, svg }) => picture(label, svg))}
</div>
${gaps === undefined ? rows : gapsSection(gaps)}</div>
<p>The same as ${same}.</p>
${gaps !== undefined && rows}
`,
  }
}

function gapsSection({ text, files }: NonNullable<SeriesPage['gaps']>): Html {
  return html`<section>
<h2>Gaps</h2>
${gapsHtml(text, 'No file is missing on these days.')}
<p><a href="${files}">Files of these days</a></p>
</section>`
}

/** Returns the day of the last slot. An end at midnight belongs to the day before. */
function lastDay(end: string): string {
  // The end of the year 9999, which a date with five digits has, is read only with a sign.
  const ms = Date.parse(end.replace(/^\d{5}/, '+0$&'))
  return new Date(ms - 1000).toISOString().slice(0, 10)
}

function availabilitySentence(availability: Availability): string {
  const { completeness, possible, delivered, ended } = availability
  if (completeness === undefined) return 'No files were possible in this range.'
  const name = availability.class === undefined ? '' : `, ${availability.class}`
  const files = `${readableNumber(delivered)} of ${readableNumber(possible)} files`
  const end = ended ? ' The series has ended: this counts to its last file.' : ''
  return `${readableShare(completeness)} complete${name}: ${files}.${end}`
}

export function latencySentence(wire: WireLatency): string {
  const { arrivals, within, median_s, p95_s, late_after_s, period } = wire
  const limit = `A file is late after ${readableDuration(late_after_s)}.`
  const target = targetOf(period)
  if (arrivals === 0) return `No arrivals are recorded in this range. ${limit}`
  const share = readableShare(within[String(target) as keyof typeof within] / arrivals)
  const times = `median ${readableDuration(median_s)}, 95 % within ${readableDuration(p95_s)}`
  const files = counted(arrivals, 'arrival', 'arrivals')
  return `${files}, ${share} of them within ${readableDuration(target)} after the period; ${times}. ${limit}`
}

function rowsOf(series: SeriesAvailability) {
  const { period, availability } = series
  return linesOf(availability.runs, period).map(({ label, cells, firstSlot }) => {
    const day = readableDate(secondsToIso(startOf(firstSlot, period)))
    const count = (...states: readonly ShownState[]): string =>
      String(cells.filter((cell) => cell !== undefined && states.includes(cell)).length)
    const counts = [count('present'), count('missing'), count('damaged'), count('late', 'due')]
    const others = [count('removed'), count('silent')]
    return [period === '01D' ? label : day, ...counts, ...others]
  })
}
