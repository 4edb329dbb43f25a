/** The HTML page of a station: its state, completeness, gaps, pictures and last files. */
import { daysAhead } from '../../parse/archive-path.ts'
import { dayToIso, microsecondsToIso, secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import type { FileDuration, FileType } from '../../parse/types.ts'
import {
  counted,
  readableDate,
  readableDuration,
  readableNumber,
  readableShare,
} from '../../runtime/readable.ts'
import type { Completeness } from '../../series/completeness.ts'
import { slotsPerDay } from '../../series/series.ts'
import { recordUrl } from '../http/links.ts'
import { daysWords, dayWords } from '../pages/date-words.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { durationLabel, typeLabel } from '../pages/labels.ts'
import type { Page, PageFrame } from '../pages/layout.ts'
import { factList, link, picture } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { dateCell, headerColumn, momentCell, table } from '../pages/table.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { ArrivedFile, SeriesPortrait } from './portrait.ts'
import type { WireStation } from './station-fields.ts'
import { gapsHtml, seriesWords, shownCode, stationFrame, stationHead } from './station-head.ts'
import { gapLines } from './words.ts'

/** A section of the station's page: a picture and its sentence. */
export interface StationSection {
  readonly label: string
  readonly sentence: string
  readonly href: string
  readonly svg: Html
}

interface StationPage extends Required<Pick<PageFrame, 'banner'>> {
  readonly sections: readonly StationSection[]
  readonly states: readonly SeriesStatus[]
  readonly nowSeconds: number
  /** The code of the request; that of the facts is the short one, if it belongs to it. */
  readonly code: string
  /** The series that the completeness and the gaps are of; `undefined` without deliveries. */
  readonly portrait: SeriesPortrait | undefined
  readonly files: readonly ArrivedFile[]
  /** The codes whose files the series of the page have. */
  readonly codes: readonly string[]
  readonly ambiguous: readonly string[]
  /** The template of the link to the site log, with `{code}`. */
  readonly stationLink: string | undefined
}

export function renderStation(
  station: WireStation,
  { code, sections, portrait, files, codes, stationLink, banner, ...present }: StationPage,
): Page {
  const [first, last] = [station.first_data_date, station.last_data_date].map((iso) =>
    readableDate(iso),
  )
  const summary = `${counted(station.count, 'file', 'files')} from ${first ?? ''} to ${last ?? ''}`
  const head = { code, codes, ...present, tab: 'Overview' } as const
  const frame = stationFrame(head, {
    title: `Station ${shownCode(head)}`,
    json: station.code === code ? '?format=json' : `../${station.code}/?format=json`,
    banner,
  })
  const siteLog = stationLink?.replaceAll('{code}', encodeURIComponent(shownCode(head)))
  const facts = [
    { name: 'Site log', value: siteLog && `Site log of ${shownCode(head)}`, href: siteLog },
    { name: 'Codes', value: station.codes.join(', ') },
    { name: 'First data', value: first },
    { name: 'Last data', value: last },
    { name: 'Files', value: readableNumber(station.count) },
    { name: 'By area', value: counts(station.area, (area) => area) },
    { name: 'By type', value: counts(station.file_type, (type) => typeLabel(type as FileType)) },
    {
      name: 'By period',
      value: counts(station.file_duration, (period) => durationLabel(period as FileDuration)),
    },
    { name: 'By version', value: counts(station.file_version, (version) => version) },
  ]
  const lastFiles = filesTable(files)
  return {
    frame: { ...frame, description: `RINEX files of ${code}: ${summary}` },
    body: html`${stationHead(head)}
${portrait && portraitHtml(portrait, head)}
<div${sections.length > 0 && html` class="portrait"`}><div>
${sections.map(sectionHtml)}
</div>
<div>
<h2>Facts</h2>
${factList(facts)}
<h2>Years</h2>
${yearsHtml(station, present.nowSeconds)}
</div>
</div>
${lastFiles.rows.length > 0 && html`<section>\n<h2>Last files</h2>\n${table(lastFiles)}\n</section>`}`,
  }
}

function sectionHtml({ label, sentence, href, svg }: StationSection): Html {
  return html`<section>
<h2>${label}</h2>
<p>${sentence} <a href="${href}">In detail</a></p>
${picture(label, svg)}
</section>
`
}

/** Maximum number of gaps that the page shows. */
const maxGaps = 12

type StationHead = Parameters<typeof stationHead>[0]

/** How complete a series is, and its gaps. */
function portraitHtml(portrait: SeriesPortrait, head: StationHead): Html {
  const { period, first, last, all, year } = portrait
  const perDay = slotsPerDay(period)
  const [firstDay, lastDay] = [first, last].map((slot) => Math.floor(slot / perDay)) as [
    number,
    number,
  ]
  const main = head.states.find((each) => each.fileType === 'o' && each.period === period)
  const recent = main?.summary
  const href = (days: number) =>
    `availability/?period=${period}&format=api&from=${dayToIso(Math.max(firstDay, lastDay - days + 1))}&to=${dayToIso(lastDay)}`
  const tile = (label: string, days: number, figures: Completeness | undefined) => {
    const share = readableShare(figures?.completeness) || '–'
    const counts =
      figures && `${readableNumber(figures.delivered)} of ${readableNumber(figures.possible)}`
    return html`<li><a href="${href(days)}"><b>${share}</b> ${label}<br><span class="note">${counts}</span></a></li>
`
  }
  const files = seriesWords({ fileType: 'o', period })
  const days = lastDay - firstDay + 1
  const gaps = gapsText(portrait, {
    code: shownCode(head),
    files,
    days: daysWords(firstDay, lastDay),
  })
  return html`<ul class="totals" aria-label="Completeness of the ${files}">
${tile('of 28 days', 28, recent?.ended === true ? undefined : recent)}
${tile('of a year', 365, year)}
${tile(`of all since ${dayWords(firstDay)}`, days, all)}
</ul>
<p class="note">Completeness of the ${files}: the share of delivered files among all that were possible.</p>
<section>
<h2>Gaps</h2>
${gapsHtml(gaps, 'No file is missing.')}
<p><a href="${href(days)}">All gaps, and CSV</a></p>
</section>
`
}

/** The gaps as people write them into a mail, the latest first; empty without gaps. */
function gapsText(
  { period, gaps, all }: SeriesPortrait,
  { code, files, days }: { readonly code: string; readonly files: string; readonly days: string },
): string {
  if (gaps.length === 0) return ''
  const share = readableShare(all.completeness)
  return [
    `${code}, ${files}, ${days}:`,
    `${readableNumber(all.delivered)} of ${readableNumber(all.possible)} delivered (${share})`,
    ...gapLines(gaps, period, maxGaps),
  ].join('\n')
}

function filesTable(files: readonly ArrivedFile[]): Table {
  return {
    label: 'Last files',
    className: 'files cards few',
    caption: 'The files that came last; times in UTC, (022) is the day of the year',
    columns: [headerColumn('File'), 'Start of data', 'Arrived', 'After its period'],
    rows: files.map(({ file, startSeconds, latency }) => [
      link(file.name, recordUrl({ api: '../../' }, file.id)),
      dateCell(secondsToIso(startSeconds)),
      // Of a file that was not seen arriving, nobody knows when it came.
      latency === undefined ? '' : momentCell(microsecondsToIso(file.createdUs)),
      latency === undefined ? 'not known' : readableDuration(latency),
    ]),
  }
}

/**
 * Links to the files of each year, the latest first. Years far ahead of now, from wrong dates in
 * names, must not hide the real ones; their files have one link.
 */
function yearsHtml(
  { first_data_date, last_data_date, files }: WireStation,
  nowSeconds: number,
): Html {
  const lastDay = Math.floor(nowSeconds / secondsPerDay) + daysAhead
  const isFuture = last_data_date > dayToIso(lastDay)
  const [first = 0, last = 0] = [
    first_data_date,
    isFuture ? dayToIso(lastDay) : last_data_date,
  ].map((date) => Number(date.slice(0, 4)))
  const count = Math.max(0, Math.min(last - first + 1, maxYears))
  const years = Array.from({ length: count }, (_value, index) => last - index)
  return html`<ul class="years">${years.map((year) => html`<li>${link(year, `${files}&year=${year}`)}</li>`)}</ul>
${isFuture && futureNotice(readableDate(last_data_date), `${files}&data_date__gte=${dayToIso(lastDay + 1)}`)}
`
}

function futureNotice(last: string, href: string): Html {
  return html`<p class="notice">Some files have a date in the future, up to ${last}. <a href="${href}">Show them</a></p>`
}

/** Maximum number of years in the list, because a wrong year in a name must not make it long. */
const maxYears = 60

/** `observation: 12, navigation: 3` */
function counts(
  values: Readonly<Record<string, number>>,
  labelOf: (value: string) => string,
): string {
  return Object.entries(values)
    .map(([value, count]) => `${labelOf(value)}: ${readableNumber(count)}`)
    .join(', ')
}
