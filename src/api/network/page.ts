/** The HTML page of the network. */
import {
  counted,
  readableDate,
  readableNumber,
  readableDuration,
  readableShare,
  readableTime,
  typeLabel,
} from '../pages/labels.ts'
import { page, numberColumns, stateCell } from '../pages/layout.ts'
import type { Page } from '../pages/layout.ts'
import { mainSeries } from '../series/known-series.ts'
import type { KnownSeries } from '../series/known-series.ts'
import type { NetworkState } from '../series/network-context.ts'
import { stationCell } from '../series/series-fields.ts'
import type { WireSeries } from '../series/series-fields.ts'
import { daysSvg, hoursSvg } from './network-pictures.ts'
import type { WireNetwork } from './schema.ts'

const template = `<div data-live>
<p class="lead"><%= it.sentence %></p>
<ul class="totals">
<% for (const total of it.totals) { %><li><a href="../series/?format=api&amp;state=<%= total.state %>"><b><%= total.count %></b> <span class="state <%= total.state %>"><%= total.state %></span></a></li>
<% } %></ul>
<% if (it.late.rows.length > 0) { %>
<h2>Late or down now</h2>
<%~ include('@table', it.late) %>
<p><a href="../series/?state=late,down&amp;ordering=since&amp;format=api">All of these series</a>, <a href="../missing/?format=api">all missing files</a>, <a href="../alerts/?format=api">open alerts</a></p>
<% } %>
<div class="pictures">
<% for (const picture of it.pictures) { %>
<section>
<h2><%= picture.label %></h2>
<p><%= picture.text %></p>
<%~ include('@picture', picture) %>
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

/** Maximum number of late series on the page, and of those down; the list has all. */
const maxLate = 25

export function renderNetwork(wire: WireNetwork, network: NetworkState): Page {
  const { states, banner } = network
  const { asOf = 0 } = network.currency
  const shown = worstFirst(states)
  const frame = {
    title: 'Network',
    section: 'network',
    description: sentenceOf(wire),
    up: '../',
    json: '?format=json',
    banner,
  }
  return render(frame, {
    sentence: sentenceOf(wire),
    totals: Object.entries(wire.series)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => ({ state, count: readableNumber(count) })),
    late: lateTable([...wire.down.slice(0, maxLate), ...wire.late.slice(0, maxLate)]),
    pictures: picturesOf(shown, asOf),
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
    label: 'Series that are late or down',
    caption:
      'Expected files that have not arrived, the longest loss first; times in UTC, (022) is the day of the year',
    columns: ['Station', 'Files', 'State', 'Nothing since', 'Newest data', 'Late after'],
    rows: late.map(({ station, file_type, period, state, since, last_slot, late_after_s }) => [
      stationCell({ station }),
      `${typeLabel(file_type)}, ${period}`,
      stateCell(state),
      since === null ? 'never delivered' : readableTime(since),
      readableDate(last_slot),
      readableDuration(late_after_s),
    ]),
  }
}

function picturesOf(shown: readonly KnownSeries[], nowSeconds: number) {
  const hourly = shown.filter(({ period }) => period === '01H')
  return [
    {
      label: 'The last 24 hours',
      text: 'Hourly observation files by the hour of their data (UTC); at the right the number of hours that are delivered.',
      svg: hourly.length === 0 ? '' : hoursSvg(hourly, nowSeconds),
    },
    {
      label: 'The last 28 days',
      text: 'Observation files by the day of the year of their data; at the right how complete they are, the least complete first.',
      svg: shown.length === 0 ? '' : daysSvg(shown, nowSeconds),
    },
  ].filter(({ svg }) => svg !== '')
}

function seriesTable(shown: readonly KnownSeries[]) {
  return {
    label: 'Stations',
    columns: ['Station', 'Period', 'State', ...numberColumns('Delivered', 'Possible', 'Complete')],
    rows: shown.map(({ station, period, summary }) => [
      stationCell({ station }),
      period,
      stateCell(summary.state),
      String(summary.present),
      String(summary.possible),
      readableShare(summary.completeness ?? null),
    ]),
  }
}

function sentenceOf(wire: WireNetwork): string {
  const { possible_28d: possible, completeness_28d: completeness, arrivals_1h: arrivals } = wire
  if (wire.as_of === null) return `${counted(wire.stations, 'station', 'stations')}.`
  const share =
    possible === 0
      ? 'Nothing was delivered in the last 28 days.'
      : `${readableShare(completeness)} of ${readableNumber(possible)} files of the last 28 days are delivered.`
  const ended =
    wire.ended === 0 ? '' : ` ${counted(wire.ended, 'series has', 'series have')} ended.`
  const arrived =
    arrivals === null ? '' : ` Arrived in the last hour: ${counted(arrivals, 'file', 'files')}.`
  return `${counted(wire.stations, 'station', 'stations')} at ${readableTime(wire.as_of)} UTC. ${share}${ended}${arrived}`
}

/** The main series, the least complete first, without those that ended or had no slots. */
function worstFirst(states: readonly KnownSeries[]): readonly KnownSeries[] {
  const completeness = ({ summary }: KnownSeries): number => summary.completeness ?? -1
  return [...mainSeries(states).values()]
    .filter(
      ({ summary: { completeness, state, ended } }) =>
        (completeness !== undefined || state === 'down') && !ended,
    )
    .sort((a, b) => completeness(a) - completeness(b) || (a.station < b.station ? -1 : 1))
}
