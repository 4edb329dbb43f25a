/** The HTML page of a weekly report: what is mailed, printed on at most three pages. */
import { secondsToIso } from '../../parse/calendar.ts'
import { countryName, countryOf } from '../../parse/countries.ts'
import {
  counted,
  readableDuration,
  readableNumber,
  readableShare,
  readableTime,
} from '../../runtime/readable.ts'
import { shareClass, sumOf } from '../../series/completeness.ts'
import { periodRules } from '../../series/series.ts'
import type { FormState } from '../http/errors.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import { namesHtml } from '../missing/page.ts'
import { filterWords } from '../pages/active-filters.ts'
import { daysWords } from '../pages/date-words.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { halfWords } from '../pages/marks.ts'
import { ignoredNotice, note } from '../pages/parts.ts'
import { headerColumn, numberColumns, shareCell, table } from '../pages/table.ts'
import { placeFilters } from '../parameters/file-filters.ts'
import { stationCell } from '../series/series-fields.ts'
import { flaggedHtml } from './flagged-html.ts'
import type { SeriesWeek, StationWeek, WeekReport } from './week-report.ts'

interface ReportContext {
  /** The UTC days since 1970 to whose weeks the page links: from the first file to today. */
  readonly first: number
  readonly today: number
  readonly banner: readonly string[]
  readonly ignored: readonly string[]
  /** What the form says of parameters that were refused. */
  readonly refused: FormState | undefined
  /** In seconds since 1970; `undefined` before the first scan has ended. */
  readonly asOf: number | undefined
  /** The parameters that chose the stations. */
  readonly place: readonly QueryPair[]
  readonly form: FormView
}

/** Rows that are not folded, and names that are shown: more would not fit on three pages. */
const most = { rows: 35, names: 320 }

export function renderReport(
  report: WeekReport,
  { first, today, ignored, refused, banner, asOf, place, form }: ReportContext,
): Page {
  const { week, stations } = report
  const { number, fromDay, toDay } = week
  const kept = [...place, ['week', String(number)]] as const
  const hrefOf = (format: string): string => `?${queryText([...kept, ['format', format]])}`
  const weekLink = (text: string, rel: string, week: number | undefined): Html => {
    const href = `?${queryText([...place, ['week', String(week)]])}`
    return week === undefined
      ? html`<span class="quiet">${text}</span>`
      : html`<a href="${href}" rel="${rel}">${text}</a>`
  }
  const places = filterWords(place, placeFilters)
  const frame = {
    title: [`Report of GPS week ${number}`, places].filter(Boolean).join(', '),
    section: 'report',
    up: '../',
    json: hrefOf('json'),
    banner,
  }
  const made = asOf === undefined ? '' : `, as of ${readableTime(secondsToIso(asOf))} UTC`
  const before = number === 0 || fromDay <= first ? undefined : number - 1
  const after = toDay >= today ? undefined : number + 1
  const complete = stations.filter(isComplete)
  const others = stations
    .filter((each) => !isComplete(each))
    .toSorted((a, b) => worstShare(a) - worstShare(b))
  const names = stations.flatMap(({ missing }) => missing)
  return {
    frame,
    body: html`${ignoredNotice(ignored)}
${filterForm(form, refused ?? { kept: [...place, ['when', `week ${number}`]], limit: 0 })}
<nav aria-label="Weeks"><ul class="plain row">
<li>${weekLink('Week before', 'prev', before)}</li>
<li>${weekLink('Week after', 'next', after)}</li>
</ul></nav>
<p>${daysWords(fromDay, toDay)}${made}. ${sentencesOf(report)}${halfLink(report, place)}</p>
${others.length > 0 && stationsTable(others)}
${flaggedHtml(report, place)}
${complete.length > 0 && completeHtml(complete)}
${namesHtml({ heading: 'Patterns of the names of missing files', names, most: most.names, kept })}
${
  names.length === 0 &&
  html`<p>The same as <a href="${hrefOf('json')}">JSON</a> or <a href="${hrefOf('csv')}">CSV</a>.</p>
`
}`,
  }
}

/** `Observation files of 124 stations: 98.4 % of the daily files (840 of 854) are there …` */
function sentencesOf({ stations, endedStations }: WeekReport): string {
  const shares = (['daily', 'hourly'] as const).flatMap((of) => {
    const counted = stations.flatMap((each) => (each[of]?.ended === false ? [each[of]] : []))
    const { possible, delivered, completeness } = sumOf(counted)
    if (completeness === undefined) return []
    const counts = `${readableNumber(delivered)} of ${readableNumber(possible)}`
    return [`${readableShare(completeness)} of the ${of} files (${counts})`]
  })
  const count = counted(stations.length, 'station', 'stations')
  const delivered = shares.length === 0 ? '' : `: ${shares.join(' and ')} were delivered`
  const ended =
    endedStations.length === 0
      ? ''
      : ` Not counted, because they ended: ${endedStations.join(', ')}.`
  return `Observation files of ${count}${delivered}.${ended}`
}

/** Where the files are listed that were delivered, but are half; nothing without such files. */
function halfLink({ week, stations }: WeekReport, place: readonly QueryPair[]): Child {
  const files = stations.reduce((sum, each) => sum + halfOf(each), 0)
  const query = queryText([
    ...place,
    ['file_type', 'o'],
    ['period', '01D,01H'],
    ['state', 'half'],
    ['when', `week ${week.number}`],
    ['format', 'api'],
  ])
  return files > 0 && html` <a href="../missing/?${query}">${halfWords(files)}</a>.`
}

function halfOf({ daily, hourly }: StationWeek): number {
  return (daily?.half ?? 0) + (hourly?.half ?? 0)
}

/** True if nothing is missing, and the files come in time or are usually later. */
function isComplete(row: StationWeek): boolean {
  const { inTime, missing } = row
  const isInTime = isUsuallyLater(row) || inTime === undefined || shareClass(inTime) === 'good'
  return missing.length === 0 && worstShare(row) === 1 && isInTime
}

/** True for a station half of whose hourly files come after the target: it sends them so. */
function isUsuallyLater({ usualLatency = 0 }: StationWeek): boolean {
  return usualLatency > periodRules['01H'].target
}

/** The lower completeness of daily and hourly files; of a series that has ended none. */
function worstShare({ daily, hourly, missing }: StationWeek): number {
  // A series of `expected_file` may have delivered nothing at all.
  const unknown = missing.length > 0 ? 0 : 1
  return Math.min(
    ...[daily, hourly].map((share) =>
      share?.ended === false ? (share.completeness ?? unknown) : 1,
    ),
  )
}

function stationsTable(stations: readonly StationWeek[]): Html {
  const rows = stations.map(rowOf)
  const more = rows.slice(most.rows)
  const part = {
    className: 'cards',
    caption:
      'The worst first. In time: within 10 minutes of the end of the hour; of a station that is usually later, its usual delay',
    columns: [
      headerColumn('Station'),
      ...numberColumns('Daily', 'Hourly', 'In time', 'Missing files'),
    ],
  }
  const label = 'Stations that are incomplete or late'
  return html`<h2>${counted(rows.length, 'station is', 'stations are')} incomplete or late</h2>
${table({ ...part, label, rows: rows.slice(0, most.rows) })}
${
  more.length > 0 &&
  html`<details><summary>${counted(more.length, 'more station', 'more stations')}, less incomplete</summary>
${table({ ...part, label: 'More stations', rows: more })}</details>`
}`
}

function rowOf(row: StationWeek): readonly Child[] {
  const { station, daily, hourly } = row
  const country = countryOf(station)
  const lost = (daily?.missing ?? 0) + (hourly?.missing ?? 0)
  return [
    [stationCell({ station }), country !== undefined && note(countryName(country))],
    shareText(daily),
    shareText(hourly),
    timelinessText(row),
    lost > 0 && readableNumber(lost),
  ]
}

/** The share in time; of a station that is usually later, how late it is. */
function timelinessText(row: StationWeek): Child {
  const { inTime, usualLatency } = row
  if (isUsuallyLater(row)) return note(`after ${readableDuration(usualLatency ?? null)}`)
  return classText(inTime, shareClass(inTime))
}

/** A share in the colour of its class. */
function classText(share: number | undefined, name: string | undefined): Html {
  return html`<span ${name === 'poor' && html` class="bad"`}>${readableShare(share)}</span>`
}

function shareText(series: SeriesWeek | undefined): Child {
  if (series === undefined) return ''
  const { possible, delivered, half, completeness, class: name, missing } = series
  if (possible === 0) return '0 of 0'
  const text = classText(completeness, name)
  const others = possible - delivered - missing
  const unexpected = others > 0 ? `, ${readableNumber(others)} not expected` : ''
  const few = half > 0 ? `, ${readableNumber(half)} half` : ''
  const counts = `${readableNumber(delivered)} of ${readableNumber(possible)}${few}${unexpected}`
  return [shareCell(completeness ?? null, text), note(counts)]
}

/** The stations of which nothing is missing, by code. */
function completeHtml(stations: readonly StationWeek[]): Html {
  return html`<h2>${counted(stations.length, 'station is', 'stations are')} complete</h2>
<ul class="codes plain row">${stations.map(codeItem)}</ul>
`
}

function codeItem(row: StationWeek): Html {
  const half = halfOf(row)
  return html`<li>${stationCell(row)}${half > 0 && note(`${readableNumber(half)} half`)}</li> `
}
