/** The HTML page of a weekly report. */
import { dayToIso } from '../../parse/calendar.ts'
import { countryName, countryOf } from '../../parse/countries.ts'
import { counted, readableDate, readableShare } from '../../runtime/readable.ts'
import { shareClass } from '../../series/completeness.ts'
import type { FormView } from '../pages/filter-form.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { ignoredNotice, note } from '../pages/parts.ts'
import { codeLines, headerColumn, numberColumns, shareCell, table } from '../pages/table.ts'
import { stationCell } from '../series/series-fields.ts'
import type { SeriesWeek, StationWeek, WeekReport } from './week-report.ts'

export const weekForm: FormView = {
  frame: { title: 'Report of a week', section: 'report' },
  fields: [{ name: 'week', label: 'GPS week', hint: '2402' }],
  all: 'Last week',
}

interface ReportContext {
  /** The UTC days since 1970 to whose weeks the page links: from the first file to today. */
  readonly first: number
  readonly today: number
  readonly banner: readonly string[]
  readonly ignored: readonly string[]
}

export function renderReport(
  { week, ended, stations }: WeekReport,
  { first, today, ignored, banner }: ReportContext,
): Page {
  const { number, fromDay, toDay } = week
  const query = `?week=${number}`
  const frame = {
    title: `Report of GPS week ${number}`,
    section: 'report',
    up: '../',
    json: `${query}&format=json`,
    banner,
  }
  const { worst, restLabel, rest } = tablesOf(stations)
  const days = [fromDay, toDay].map((day) => readableDate(dayToIso(day))).join(' to ')
  const count = counted(stations.length, 'station', 'stations')
  const before = number === 0 || fromDay <= first ? undefined : number - 1
  const after = toDay >= today ? undefined : number + 1
  return {
    frame,
    body: html`${ignoredNotice(ignored)}
${filterForm(weekForm, { kept: [['week', String(number)]], limit: 0 })}
<p class="extent">${days}: ${count}${endedText(ended)}</p>
<nav aria-label="Weeks"><ul>
<li>${weekLink('Week before', 'prev', before)}</li>
<li>${weekLink('Week after', 'next', after)}</li>
</ul></nav>
${worst.rows.length > 0 && html`<h2>${worst.label}</h2>\n${table(worst)}`}
${rest.rows.length > 0 && html`<details class="printed"><summary>${restLabel}</summary>\n${table(rest)}</details>`}
<p>The same as <a href="${query}&amp;format=json">JSON</a> or <a href="${query}&amp;format=csv">CSV</a>.</p>
`,
  }
}

function weekLink(text: string, rel: string, week: number | undefined): Html {
  return week === undefined
    ? html`<span>${text}</span>`
    : html`<a href="?week=${week}&amp;format=api" rel="${rel}">${text}</a>`
}

function endedText(ended: number): string {
  const had = counted(ended, 'series had', 'series had')
  return ended === 0 ? '' : `; ${had} ended by the end of this week`
}

/** Stations that are shown; the others are folded, and printed. */
const maxWorst = 10

/** The stations that are least complete, and all others. */
function tablesOf(stations: readonly StationWeek[]) {
  const sorted = stations.toSorted((a, b) => worstShare(a) - worstShare(b))
  const count = sorted.slice(0, maxWorst).filter((each) => worstShare(each) < 1).length
  const common = {
    className: 'cards',
    caption: 'Observation files; in time is within 10 minutes of the end of the hour',
    columns: [headerColumn('Station'), ...numberColumns('Daily', 'Hourly', 'In time'), 'Missing'],
  }
  const [worst, rest] = [sorted.slice(0, count), sorted.slice(count)]
  const label = count === 1 ? 'The least complete station' : `The ${count} least complete stations`
  const others = counted(rest.length, 'station', 'stations')
  return {
    worst: { ...common, label, rows: worst.map(rowOf) },
    restLabel: count === 0 ? `${others}, nothing is missing` : `${others} more`,
    rest: { ...common, label: 'Other stations', rows: rest.map(rowOf) },
  }
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

function rowOf(row: StationWeek): readonly Child[] {
  const { station, daily, hourly, inTime, missing } = row
  const country = countryOf(station)
  return [
    [stationCell({ station }), country !== undefined && note(countryName(country))],
    shareText(daily),
    shareText(hourly),
    classText(inTime, shareClass(inTime)),
    codeLines(missing, counted(missing.length, 'name', 'names')),
  ]
}

/** A share in the colour of its class. */
function classText(share: number | undefined, name: string | undefined): Html {
  return html`<span class="share ${name}">${readableShare(share)}</span>`
}

function shareText(series: SeriesWeek | undefined): Child {
  if (series === undefined) return ''
  const { possible, delivered, completeness, class: name } = series
  if (possible === 0) return '0 of 0'
  const text = classText(completeness, name)
  return [shareCell(completeness ?? null, text), note(`${delivered} of ${possible}`)]
}
