/** The HTML page of the report of a week. */
import { gpsWeekOf } from '../../insight/weeks.ts'
import type { Week } from '../../insight/weeks.ts'
import { readableDate, readableNumber, readableShare, readableTime } from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import { weekLabel } from './text.ts'
import type { WireReport, WireReportShare } from './schema.ts'

const template = `<form class="filters" method="get" role="search" aria-label="Week">
<input type="hidden" name="format" value="api">
<div class="field"><label for="f-week">Week</label><input id="f-week" name="week" value="<%= it.week %>" placeholder="2402, 2026-W04" autocomplete="off" spellcheck="false"></div>
<div class="field submit"><button>Show</button></div>
</form>
<p class="extent"><%= it.extent %></p>
<% if (it.rows.length > 0) { %>
<div class="wide" tabindex="0" role="region" aria-label="Stations">
<table>
<caption>Observation files; in time is within 10 minutes of the end of the hour</caption>
<thead><tr><th scope="col">Station</th><th scope="col" class="number">Daily</th><th scope="col" class="number">Share</th><th scope="col" class="number">Hourly</th><th scope="col" class="number">Share</th><th scope="col" class="number">In time</th><th scope="col">Missing</th></tr></thead>
<tbody>
<% for (const row of it.rows) { %>
<tr>
<th scope="row"><a href="../station/<%= row.station %>/?format=api"><%= row.station %></a></th>
<td class="number"><%= row.daily.counts %></td><td class="number share <%= row.daily.class %>"><%= row.daily.share %></td>
<td class="number"><%= row.hourly.counts %></td><td class="number share <%= row.hourly.class %>"><%= row.hourly.share %></td>
<td class="number share <%= row.timeliness %>"><%= row.inTime %></td>
<td><% if (row.missing.length > 0) { %><details><summary><%= row.missing.length %> names</summary><ul><% for (const pattern of row.missing) { %><li><code><%= pattern %></code></li><% } %></ul></details><% } %></td>
</tr>
<% } %>
</tbody>
</table>
</div>
<% } %>
<h2>Replaced files</h2>
<% if (it.replaced.length === 0) { %><p>None.</p><% } else { %>
<ul>
<% for (const file of it.replaced) { %><li><%= file.time %> <code><%= file.path %></code></li>
<% } %></ul>
<% if (!it.isComplete) { %><p>And more.</p><% } %>
<% } %>
<p>The same as <a href="<%= it.query %>&amp;format=json">JSON</a> or <a href="<%= it.query %>&amp;format=txt">text for a mail</a>.</p>
<nav aria-label="Weeks"><ul>
<li><% if (it.before === null) { %><span>Week before</span><% } else { %><a href="?week=<%= it.before %>&amp;format=api" rel="prev">Week before</a><% } %></li>
<li><% if (it.after === null) { %><span>Week after</span><% } else { %><a href="?week=<%= it.after %>&amp;format=api" rel="next">Week after</a><% } %></li>
</ul></nav>
`

const render = page('report', template)

/** Replaced files that are shown; the JSON has more. */
const maxReplaced = 100

/** The UTC days since 1970 for which there are reports: from the first known delivery to today. */
export interface ReportDays {
  readonly first: number
  readonly today: number
}

export function renderReport(report: WireReport, week: Week, { first, today }: ReportDays): string {
  const query = `?week=${encodeURIComponent(report.week)}`
  const label = weekLabel(report.week)
  const [before, after] = [gpsWeekOf(week.fromDay - 7), gpsWeekOf(week.fromDay + 7)]
  return render(
    {
      title: `Report of ${label}`,
      section: 'report',
      up: '../',
      json: `${query}&format=json`,
    },
    {
      week: report.week,
      extent: `${readableDate(report.from)} to ${readableDate(report.to)}: ${readableNumber(report.stations.length)} stations`,
      rows: report.stations.map((station) => ({
        ...station,
        daily: sharesOf(station.daily),
        hourly: sharesOf(station.hourly),
        inTime: readableShare(station.within_600),
      })),
      replaced: report.replaced
        .slice(0, maxReplaced)
        .map(({ path, modified }) => ({ path, time: readableTime(modified) })),
      isComplete: report.replaced_complete && report.replaced.length <= maxReplaced,
      query,
      before: before.toDay < first ? null : before.name,
      after: after.fromDay > today ? null : after.name,
    },
  )
}

function sharesOf(share: WireReportShare | null) {
  return share === null
    ? { counts: '', share: '', class: '' }
    : {
        counts: `${share.delivered} of ${share.expected}`,
        share: readableShare(share.share),
        class: share.class ?? '',
      }
}
