/** The HTML page of the network. */
import {
  counted,
  readableDate,
  readableNumber,
  readableSeconds,
  readableShare,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import { followLink, page } from '../pages/layout.ts'
import { stateCell } from '../pages/table.ts'
import { mainSeries } from '../series/network-status.ts'
import type { NetworkStatus, SeriesStatus } from '../series/network-status.ts'
import type { WireSeries } from '../series/schema.ts'
import { daysSvg, hoursSvg } from './network-pictures.ts'
import type { WireNetwork } from './schema.ts'

const template = `<div data-live="<%= it.follow %>">
<p class="lead"><%= it.sentence %></p>
<ul class="totals">
<% for (const total of it.totals) { %><li><a href="../series/?format=api&amp;state=<%= total.state %>"><b><%= total.count %></b> <span class="state <%= total.state %>"><%= total.state %></span></a></li>
<% } %></ul>
<% if (it.late.rows.length > 0) { %>
<h2>Late now</h2>
<%~ include('@table', it.late) %>
<p><a href="../series/?state=late&amp;ordering=since&amp;format=api">All late series</a>, <a href="../missing/?format=api">all missing files</a>, <a href="../alerts/?format=api">open alerts</a></p>
<% } %>
<div class="pictures">
<% for (const picture of it.pictures) { %>
<section>
<h2><%= picture.title %></h2>
<p><%= picture.text %></p>
<div class="wide" tabindex="0" role="region" aria-label="<%= picture.title %>">
<%~ picture.svg %>
</div>
</section>
<% } %>
</div>
<% if (it.table.rows.length > 0) { %>
<details>
<summary>The same as a table</summary>
<%~ include('@table', it.table) %>
</details>
<% } %>
<% if (it.directories.length > 0) { %>
<h2>Most changes today</h2>
<ul class="plain">
<% for (const directory of it.directories) { %><li><a href="<%= directory.href %>"><%= directory.path %></a> <%= directory.files %></li>
<% } %></ul>
<% } %>
</div>
`

const render = page('network', template)

/** Maximum number of late series on the page; the list of series has all late series. */
const maxLate = 25

export function renderNetwork(wire: WireNetwork, network: NetworkStatus): string {
  const { states, nowSeconds, head } = network
  const shown = worstFirst(states)
  const frame = {
    title: 'Network',
    section: 'network',
    description: sentenceOf(wire),
    up: '../',
    json: '?format=json',
  }
  return render(frame, {
    follow: followLink('../', head),
    sentence: sentenceOf(wire),
    totals: Object.entries(wire.series)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => ({ state, count: readableNumber(count) })),
    late: lateTable(wire.late.slice(0, maxLate)),
    pictures: picturesOf(shown, nowSeconds),
    table: seriesTable(shown),
    directories: wire.changed_directories.map((directory) => ({
      ...directory,
      files: counted(directory.files, 'file', 'files'),
      href: `../../data/${directory.path}/`,
    })),
  })
}

function lateTable(late: readonly WireSeries[]) {
  return {
    label: 'Late series',
    caption: 'Expected files that have not arrived; times in UTC, (022) is the day of the year',
    columns: ['Station', 'Files', 'First missing', 'Newest data', 'Usually after'],
    rows: late.map(({ station, file_type, period, since, last_slot, usual_s }) => [
      { text: station, href: `../station/${station}/?format=api`, isHeader: true },
      `${typeLabel(file_type)}, ${period}`,
      ...[readableDate(since), readableDate(last_slot), readableSeconds(usual_s)],
    ]),
  }
}

function picturesOf(shown: readonly SeriesStatus[], nowSeconds: number) {
  const hourly = shown.filter(({ period }) => period === '01H')
  return [
    {
      title: 'The last 24 hours',
      text: 'Hourly observation files by the hour of their data (UTC); at the right the number of hours that are delivered.',
      svg: hourly.length === 0 ? '' : hoursSvg(hourly, nowSeconds),
    },
    {
      title: 'The last 28 days',
      text: 'Observation files by the day of the year of their data; at the right the share of 28 days, the lowest first.',
      svg: shown.length === 0 ? '' : daysSvg(shown, nowSeconds),
    },
  ].filter(({ svg }) => svg !== '')
}

function seriesTable(shown: readonly SeriesStatus[]) {
  const numbers = ['Delivered', 'Expected', 'Share'].map((label) => ({ label, isNumber: true }))
  return {
    label: 'Stations',
    columns: ['Station', 'Period', 'State', ...numbers],
    rows: shown.map(({ station, period, summary }) => [
      { text: station, href: `../station/${station}/?format=api`, isHeader: true },
      period,
      stateCell(summary.state),
      ...[
        String(summary.delivered),
        String(summary.expected),
        readableShare(summary.share ?? null),
      ],
    ]),
  }
}

function sentenceOf(wire: WireNetwork): string {
  const { expected_28d: expected, delivered_28d: delivered, arrivals_1h: arrivals } = wire
  const shares =
    expected === 0
      ? 'The expected files are learned from the first days of deliveries.'
      : `${readableShare(delivered / expected)} of ${readableNumber(expected)} expected files of the last 28 days are delivered.`
  const arrived =
    arrivals === null ? '' : ` Listed in the last hour: ${counted(arrivals, 'file', 'files')}.`
  return `${counted(wire.stations, 'station', 'stations')} at ${readableTime(wire.time)} UTC. ${shares}${arrived}`
}

/** Returns the main series of the stations, the lowest share first. Series without expected files are left out. */
function worstFirst(states: readonly SeriesStatus[]): readonly SeriesStatus[] {
  return [...mainSeries(states).values()]
    .filter(({ summary }) => summary.share !== undefined)
    .sort(
      (a, b) => (a.summary.share ?? 2) - (b.summary.share ?? 2) || (a.station < b.station ? -1 : 1),
    )
}
