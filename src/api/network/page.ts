/** The HTML page of the network. */
import { mainSeries } from '../series/main-series.ts'
import type { Network, NetworkState } from '../series/network-states.ts'
import {
  readableDate,
  readableDuration,
  readableNumber,
  readableShare,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import { page } from '../pages/layout.ts'
import { daysSvg, hoursSvg } from './network-pictures.ts'
import type { WireNetwork } from './schema.ts'

const template = `<div data-live>
<p class="lead"><%= it.sentence %></p>
<ul class="totals">
<% for (const total of it.totals) { %><li><a href="../series/?format=api&amp;state=<%= total.state %>"><b><%= total.count %></b> <span class="state <%= total.state %>"><%= total.state %></span></a></li>
<% } %></ul>
<% if (it.late.length > 0) { %>
<h2>Late now</h2>
<div class="wide" tabindex="0" role="region" aria-label="Late series">
<table>
<caption>Expected files that have not arrived; times in UTC, (022) is the day of the year</caption>
<thead><tr><th scope="col">Station</th><th scope="col">Files</th><th scope="col">First missing</th><th scope="col">Newest data</th><th scope="col">Usually after</th></tr></thead>
<tbody>
<% for (const row of it.late) { %>
<tr><th scope="row"><a href="../station/<%= row.station %>/?format=api"><%= row.station %></a></th><td><%= row.files %></td><td><%= row.sinceText %></td><td><%= row.last %></td><td><%= row.usual %></td></tr>
<% } %>
</tbody>
</table>
</div>
<p><a href="../missing/?format=api">All missing files</a></p>
<% } %>
<% for (const picture of it.pictures) { %>
<section>
<h2><%= picture.title %></h2>
<p><%= picture.text %></p>
<div class="wide" tabindex="0" role="region" aria-label="<%= picture.title %>">
<%~ picture.svg %>
</div>
</section>
<% } %>
<% if (it.rows.length > 0) { %>
<details>
<summary>The same as a table</summary>
<table>
<thead><tr><th scope="col">Station</th><th scope="col">Period</th><th scope="col">State</th><th scope="col" class="number">Delivered</th><th scope="col" class="number">Expected</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
<% for (const row of it.rows) { %>
<tr><th scope="row"><a href="../station/<%= row.station %>/?format=api"><%= row.station %></a></th><td><%= row.period %></td><td><%= row.state %></td><td class="number"><%= row.delivered %></td><td class="number"><%= row.expected %></td><td class="number"><%= row.share %></td></tr>
<% } %>
</tbody>
</table>
</details>
<% } %>
<% if (it.directories.length > 0) { %>
<h2>Most changes today</h2>
<ul>
<% for (const directory of it.directories) { %><li><a href="<%= directory.href %>"><code><%= directory.path %></code></a>: <%= directory.files %> files</li>
<% } %></ul>
<% } %>
</div>
`

const render = page('network', template)

export function renderNetwork(wire: WireNetwork, { states, nowSeconds }: Network): string {
  const shown = worstFirst(states)
  const hourly = shown.filter(({ period }) => period === '01H')
  const frame = {
    title: 'Network',
    section: 'network',
    description: sentenceOf(wire),
    up: '../',
    json: '?format=json',
  }
  return render(frame, {
    sentence: sentenceOf(wire),
    totals: Object.entries(wire.series)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => ({ state, count: readableNumber(count) })),
    late: wire.late.map((row) => ({
      ...row,
      files: `${typeLabel(row.file_type)}, ${row.period}`,
      sinceText: readableDate(row.since),
      last: readableDate(row.last_slot),
      usual: readableDuration(row.usual_s),
    })),
    pictures: [
      ...(hourly.length === 0
        ? []
        : [
            {
              title: 'The last 24 hours',
              text: 'Hourly observation files by the hour of their data (UTC); at the right the number of hours that are delivered.',
              svg: hoursSvg(hourly, nowSeconds),
            },
          ]),
      ...(shown.length === 0
        ? []
        : [
            {
              title: 'The last 28 days',
              text: 'Observation files by the day of their data, with its day of the year; at the right the share of 28 days, the lowest first.',
              svg: daysSvg(shown, nowSeconds),
            },
          ]),
    ],
    rows: shown.map(({ station, period, summary }) => ({
      ...{ station, period, state: summary.state },
      ...{ delivered: summary.delivered, expected: summary.expected },
      share: readableShare(summary.share ?? null),
    })),
    directories: wire.changed_directories.map((directory) => ({
      ...directory,
      files: readableNumber(directory.files),
      href: `../../data/${directory.path}/`,
    })),
  })
}

function sentenceOf(wire: WireNetwork): string {
  const { expected_28d: expected, delivered_28d: delivered, arrivals_1h: arrivals } = wire
  const shares =
    expected === 0
      ? 'What is expected is learned from the first days of deliveries.'
      : `${readableShare(delivered / expected)} of ${readableNumber(expected)} expected files of the last 28 days are delivered.`
  const arrived =
    arrivals === null ? '' : ` ${readableNumber(arrivals)} files were listed in the last hour.`
  return `${readableNumber(wire.stations)} stations at ${readableTime(wire.time)} UTC. ${shares}${arrived}`
}

/** The main series of the stations, with the lowest share first; without those that nobody expects. */
function worstFirst(states: readonly NetworkState[]): readonly NetworkState[] {
  return [...mainSeries(states).values()]
    .filter(({ summary }) => summary.share !== undefined)
    .sort(
      (a, b) => (a.summary.share ?? 2) - (b.summary.share ?? 2) || (a.station < b.station ? -1 : 1),
    )
}
