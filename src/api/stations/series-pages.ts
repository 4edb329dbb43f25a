/** The HTML pages of the availability and the latency of a station. */
import { dayToIso } from '../../parse/calendar.ts'
import { counted, readableDuration, readableNumber, readableShare } from '../../runtime/readable.ts'
import type { Availability } from '../../series/availability.ts'
import { part } from '../../series/availability.ts'
import { apartHalf } from '../../series/half.ts'
import { slotsPerDay } from '../../series/series.ts'
import type { ShownState, StateRun } from '../../series/slot-states.ts'
import type { FormState } from '../http/errors.ts'
import { recentRange } from '../missing/missing-slots.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { halfWords } from '../pages/marks.ts'
import { commandHtml, fetchCommand, getLine, ignoredNotice } from '../pages/parts.ts'
import type { StationTab } from '../pages/station-tabs.ts'
import { formFieldsOf } from '../parameters/parameter.ts'
import type { NetworkStatus } from '../series/known-series.ts'
import { gapLines, joinGaps } from './gaps.ts'
import { arrivalsSvg, histogramSvg } from './latency-pictures.ts'
import { daysSvg, yearsSvg } from './pictures.ts'
import type { WireLatency } from './serialise.ts'
import { serialiseAvailability, serialiseLatency } from './serialise.ts'
import type { SeriesAvailability, SeriesLatencies } from './series-reader.ts'
import { availabilityParameters, latencyParameters } from './series-reader.ts'
import { filesUrl, hrefOfDays } from './station-fields.ts'
import { seriesWords, shownCode, stationFrame, stationsWith } from './station-head.ts'

const availabilityForm: FormView = {
  fields: formFieldsOf(Object.entries(availabilityParameters)),
  all: 'All days',
}

const latencyForm: FormView = {
  fields: formFieldsOf(Object.entries(latencyParameters)),
  all: 'Last four weeks',
}

export function renderAvailability(series: SeriesAvailability, said: Said): Page {
  const wire = serialiseAvailability(series)
  const { file_type, period } = wire
  const perDay = slotsPerDay(period)
  const [from = '', to = ''] = [series.range.from, series.range.to].map((slot) =>
    dayToIso(Math.floor(slot / perDay)),
  )
  const label = `Availability of ${shownCode({ code: series.station, codes: series.codes })}`
  return renderSeriesPage(availabilityForm, series, {
    ...said,
    tab: 'Availability',
    title: `${label}: ${seriesWords(series)}`,
    parameters: { file_type, period, from, to },
    sentence: availabilitySentence(series.availability),
    content: html`${availabilitySvg(label, series, said.nowSeconds)}
${gapsSection({
  text: gapLines(joinGaps(series.availability.gaps), period, {
    most: maxGaps,
    now: said.nowSeconds,
  }).join('\n'),
  files: filesUrl({ api: '../../../' }, series.codes, [
    ['file_type', file_type],
    ['overlaps', `${from}/${to}`],
  ]),
})}`,
  })
}

/** From the first file on, and of an ended series to the last. */
function availabilitySvg(label: string, series: SeriesAvailability, now: number): Child {
  const { period, codes, availability, range, first } = series
  if (first === undefined) return undefined
  const last = availability.ended ? (series.last ?? range.to) : range.to
  const shown = apartHalf(availability.runs, series.half)
  const runs = shown.flatMap((run) => shownPart(run, first, last))
  const hrefOf = hrefOfDays({ api: '../../../' }, codes, [['file_type', series.fileType]])
  if (period === '01D') return yearsSvg(label, { runs, period }, { hrefOf, now })
  return daysSvg(label, runs, period, { hrefOf, now })
}

function shownPart(run: StateRun<ShownState | 'half'>, first: number, last: number) {
  const { state } = run
  return state === 'unknown' ? [] : part({ ...run, state }, first, last)
}

/** Maximum number of gaps on a page; CSV and JSON have all. */
const maxGaps = 200

/** @param series with its arrivals: slots with their latency in seconds */
export function renderLatency(series: SeriesLatencies, said: Said): Page {
  const wire = serialiseLatency(series)
  const { file_type, period, from, to } = wire
  const label = `Latency of ${shownCode({ code: series.station, codes: series.codes })}`
  return renderSeriesPage(latencyForm, series, {
    ...said,
    tab: 'Latency',
    title: `${label}: ${seriesWords(series)}`,
    parameters: { file_type, period, from, to },
    sentence: latencySentence(wire, said.nowSeconds),
    content: wire.arrivals > 0 && latencyHtml(series, wire),
  })
}

/** The pictures of the arrivals. */
function latencyHtml(series: SeriesLatencies, wire: WireLatency): Html {
  const drawn = { ...series, lateAfter: wire.late_after_s }
  const code = shownCode({ code: series.station, codes: series.codes })
  return html`<section>
<h2>Every arrival</h2>
<p class="quiet">By the start of the data, and how long after the end of its period a file came. Green: 5 to 95 of 100 files of a day.</p>
${arrivalsSvg(`Latency of each file of ${code} by day`, drawn)}
</section>
<section>
<h2>How many files took how long</h2>
${histogramSvg(`Number of files of ${code} by latency`, drawn)}
</section>
`
}

/** What a page says beside its subject. */
interface Said {
  /** The names of unknown parameters. */
  readonly ignored: readonly string[]
  /** What the form says of parameters that were refused. */
  readonly refused: FormState | undefined
  readonly banner: readonly string[]
  readonly network: NetworkStatus | undefined
  readonly nowSeconds: number
  /** The URL of the station. */
  readonly url: string
}

interface SeriesPage extends Said {
  readonly tab: StationTab
  readonly title: string
  readonly parameters: Readonly<Record<string, string>>
  readonly sentence: string
  readonly content: Child
}

function renderSeriesPage(
  form: FormView,
  { station: code, codes, ambiguous }: Pick<SeriesLatencies, 'station' | 'codes' | 'ambiguous'>,
  said: SeriesPage,
): Page {
  const { title, banner, parameters, tab, network, ignored, refused } = said
  const query = `?${new URLSearchParams(parameters).toString()}`
  const known = network === undefined ? [] : stationsWith(network, { code, codes })
  const head = { code, codes, ambiguous, known, tab }
  const formats = ['csv', 'json'].map((format) => ({
    text: format.toUpperCase(),
    href: `${query}&format=${format}`,
  }))
  return {
    frame: stationFrame(head, { title, banner, json: `${query}&format=json` }),
    body: html`${ignoredNotice(ignored)}
${filterForm(form, refused ?? { kept: Object.entries(parameters), limit: 0 })}
${getLine({ command: fetchCommand(`${said.url}${tab.toLowerCase()}/${query}&format=csv`), formats, what: 'it' })}
<p class="lead">${said.sentence}</p>
${said.content}
`,
  }
}

function gapsSection({ text, files }: { readonly text: string; readonly files: string }): Html {
  return html`<section>
<h2>Gaps</h2>
${text === '' ? html`<p>No file is missing on these days.</p>` : commandHtml(text)}
<p><a href="${files}">Files of these days</a></p>
</section>`
}

function availabilitySentence(availability: Availability): string {
  const { completeness, possible, delivered, half, ended } = availability
  if (completeness === undefined) return 'No files were possible in this range.'
  const name = availability.class === undefined ? '' : `, ${availability.class}`
  const files = `${readableNumber(delivered)} of ${readableNumber(possible)} files`
  const end = ended ? ' The series has ended: this counts to its last file.' : ''
  const few = half > 0 ? `; ${halfWords(half)}` : ''
  return `${readableShare(completeness)} complete${name}: ${files}${few}.${end}`
}

/** What is late, and what is usual: of the last 28 days; of other days, what half of them were. */
export function latencySentence(wire: WireLatency, nowSeconds: number): string {
  const { arrivals, from, to, median_s, p95_s, usual_s, late_after_s } = wire
  const days = recentRange(nowSeconds)
  const isRecent = from === dayToIso(days.fromDay) && to === dayToIso(days.toDay)
  const half = isRecent
    ? `usually after ${readableDuration(usual_s)}`
    : `half of them within ${readableDuration(median_s)}`
  const limit = `late after ${readableDuration(late_after_s)}`
  if (arrivals === 0) return `No file was seen arriving on these days; ${limit}.`
  const files = counted(arrivals, 'file', 'files')
  return `${files} came, ${half}, 95 of 100 within ${readableDuration(p95_s)}; ${limit}.`
}
