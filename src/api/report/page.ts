/** The HTML page of a weekly report. */
import type { Week } from '../../series/weeks.ts'
import { filterForm } from '../pages/filter-form.ts'
import type { FormView } from '../pages/filter-form.ts'
import { counted, readableDate, readableShare } from '../pages/labels.ts'
import { countryName } from '../../parse/countries.ts'
import { page } from '../pages/eta.ts'
import { codeLines, headerColumn, numberColumns, shareCell } from '../pages/table.ts'
import type { Page } from '../pages/layout.ts'
import { stationCell } from '../series/series-fields.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { note } from '../pages/parts.ts'

const template = `<%~ include('@ignored', it) %>
<%~ it.form %>
<p class="extent"><%= it.extent %></p>
<nav aria-label="Weeks"><ul>
<li><% if (it.before === null) { %><span>Week before</span><% } else { %><a href="?week=<%= it.before %>&amp;format=api" rel="prev">Week before</a><% } %></li>
<li><% if (it.after === null) { %><span>Week after</span><% } else { %><a href="?week=<%= it.after %>&amp;format=api" rel="next">Week after</a><% } %></li>
</ul></nav>
<% if (it.worst.rows.length > 0) { %><h2><%= it.worst.label %></h2>
<%~ include('@table', it.worst) %>
<% } %><% if (it.rest.rows.length > 0) { %><details class="printed"><summary><%= it.restLabel %></summary>
<%~ include('@table', it.rest) %></details>
<% } %>
<p>The same as <a href="<%= it.query %>&amp;format=json">JSON</a> or <a href="<%= it.query %>&amp;format=csv">CSV</a>.</p>
`

const render = page('report', template)

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
  report: WireReport,
  week: Week,
  { first, today, ignored, banner }: ReportContext,
): Page {
  const { stations } = report
  const query = `?week=${report.week}`
  const { number, fromDay, toDay } = week
  const frame = {
    title: `Report of GPS week ${report.week}`,
    section: 'report',
    up: '../',
    json: `${query}&format=json`,
    banner,
  }
  return render(frame, {
    form: filterForm(weekForm, { kept: [['week', report.week]], limit: 0 }),
    extent: `${readableDate(report.from)} to ${readableDate(report.to)}: ${counted(stations.length, 'station', 'stations')}${endedText(report.ended)}`,
    ...tablesOf(stations),
    query,
    ignored,
    before: number === 0 || fromDay <= first ? null : number - 1,
    after: toDay >= today ? null : number + 1,
  })
}

function endedText(ended: number): string {
  const had = counted(ended, 'series had', 'series had')
  return ended === 0 ? '' : `; ${had} ended by the end of this week`
}

/** Stations that are shown; the others are folded, and printed. */
const maxWorst = 10

/** The stations that are least complete, and all others. */
function tablesOf(stations: readonly WireReportStation[]) {
  const sorted = stations.toSorted((a, b) => worstShare(a) - worstShare(b))
  const count = sorted.slice(0, maxWorst).filter((each) => worstShare(each) < 1).length
  const table = {
    className: 'cards',
    caption: 'Observation files; in time is within 10 minutes of the end of the hour',
    columns: [headerColumn('Station'), ...numberColumns('Daily', 'Hourly', 'In time'), 'Missing'],
  }
  const [worst, rest] = [sorted.slice(0, count), sorted.slice(count)]
  const label = count === 1 ? 'The least complete station' : `The ${count} least complete stations`
  const others = counted(rest.length, 'station', 'stations')
  return {
    worst: { ...table, label, rows: worst.map(rowOf) },
    restLabel: count === 0 ? `${others}, nothing is missing` : `${others} more`,
    rest: { ...table, label: 'Other stations', rows: rest.map(rowOf) },
  }
}

/** The lower completeness of daily and hourly files; of a series that has ended none. */
function worstShare({ daily, hourly, missing }: WireReportStation): number {
  // A series of `expected_file` may have delivered nothing at all.
  const unknown = missing.length > 0 ? 0 : 1
  return Math.min(
    ...[daily, hourly].map((share) =>
      share?.ended === false ? (share.completeness ?? unknown) : 1,
    ),
  )
}

function rowOf(row: WireReportStation): readonly Child[] {
  const { station, country, daily, hourly, within_600, timeliness, missing } = row
  return [
    [stationCell({ station }), country !== null && note(countryName(country))],
    shareText(daily),
    shareText(hourly),
    classText(within_600, timeliness),
    codeLines(missing, counted(missing.length, 'name', 'names')),
  ]
}

/** A share in the colour of its class. */
function classText(share: number | null, name: string | null): Html {
  return html`<span class="share ${name}">${readableShare(share)}</span>`
}

function shareText(share: WireReportShare | null): Child {
  if (share === null) return ''
  const { possible, delivered, completeness, class: name } = share
  if (possible === 0) return '0 of 0'
  const text = classText(completeness, name)
  return [shareCell(completeness, text), note(`${delivered} of ${possible}`)]
}
