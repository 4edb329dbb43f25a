/** The HTML page of the network. */
import { secondsToIso } from '../../parse/calendar.ts'
import { counted, readableNumber, readableShare, readableTime } from '../pages/labels.ts'
import { page, partial } from '../pages/eta.ts'
import { headerColumn, numberColumns, stateCell } from '../pages/table.ts'
import type { Page } from '../pages/layout.ts'
import { mainSeries } from '../series/known-series.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { severityOf, stateOf } from '../../series/station-states.ts'
import type { NetworkState } from '../series/network-context.ts'
import { stationCell } from '../series/series-fields.ts'
import { daysPicture, hoursPicture } from './network-pictures.ts'
import { lossList } from './loss-list.ts'
import type { NetworkFigures } from './figures.ts'

/** Shows a picture: its legend, a part for each country, and the complete stations folded. */
partial(
  'network-picture',
  `<section>
<h2><%= it.label %></h2>
<p class="note"><%= it.text %></p>
<% if (it.legend.length > 0) { %><ul class="legend"><% for (const { svg, label } of it.legend) { %><li><%~ svg %> <%= label %></li><% } %></ul><% } %>
<div class="wide countries" tabindex="0" role="region" aria-label="<%= it.label %>">
<% for (const { name, note, svg } of it.countries) { %><section>
<h3><%= name %> <span class="note"><%= note %></span></h3>
<%~ svg %></section>
<% } %></div>
<% for (const { label, countries } of it.named) { %><details>
<summary><%= label %></summary>
<% for (const { name, stations } of countries) { %><p><%= name %>: <% for (const station of stations) { %><a href="../station/<%= station %>/"><%= station %></a> <% } %></p>
<% } %></details>
<% } %></section>
`,
)

const template = `<%~ include('@ignored', it) %>
<div data-live>
<p class="lead verdict<%= it.ok ? '' : ' bad' %>"><%= it.verdict %></p>
<ul class="totals">
<% for (const total of it.totals) { %><li><a href="../station/?format=api&amp;state=<%= total.state %>"><b><%= total.count %></b> <span class="state <%= total.state %>"><%= total.label %></span></a></li>
<% } %></ul>
<% if (it.losses.length + it.single.files.length > 0) { %>
<h2>Losses</h2>
<ul class="losses">
<% for (const loss of it.losses) { %><li><details id="<%= loss.id %>">
<summary><span class="state <%= loss.kind === 'ingest-stalled' ? 'late' : loss.kind %>"><%= loss.words %></span></summary>
<ul>
<% for (const { text, href } of loss.series) { %><li><a href="<%= href %>"><%= text %></a></li>
<% } %><% if (loss.more) { %><li><%= loss.more %></li>
<% } %></ul>
<p><a href="<%= loss.missingHref %>">Missing files</a>, <a href="<%= loss.seriesHref %>">all its series</a></p>
</details></li>
<% } %><% if (it.more) { %><li><a href="../alerts/?format=api"><%= it.more %></a></li>
<% } %><% if (it.single.files.length > 0) { %><li><details>
<summary><span class="state late"><%= it.single.label %></span></summary>
<ul>
<% for (const { text, href, expectedBy } of it.single.files) { %><li><a href="<%= href %>"><code><%= text %></code></a> expected by <%= expectedBy %></li>
<% } %></ul>
</details></li>
<% } %></ul>
<p><a href="../alerts/?format=api">Alerts</a>, <a href="../missing/?format=api">all missing files</a></p>
<% } %>
<% for (const picture of it.pictures) { %><%~ include('@network-picture', picture) %>
<% } %>
<% if (it.table.rows.length > 0) { %>
<details>
<summary>All stations as a table</summary>
<%~ include('@table', it.table) %>
</details>
<% } %>
<p><%= it.sentence %></p>
</div>
`

const render = page('network', template)

export function renderNetwork(
  network: NetworkState,
  figures: NetworkFigures,
  ignored: readonly string[],
): Page {
  const { states, losses, banner, currency } = network
  const { verdict } = figures
  const shown = worstFirst(states)
  const frame = {
    title: 'Network',
    section: 'network',
    description: verdict.words,
    up: '../',
    json: '?format=json',
    banner,
  }
  return render(frame, {
    ignored,
    ok: verdict.ok,
    verdict: verdict.words,
    sentence: sentenceOf(figures, currency.asOf),
    totals: tilesOf(figures),
    ...lossList(states, losses),
    pictures: picturesOf(shown, currency.asOf ?? 0),
    table: seriesTable(shown),
  })
}

/** Numbers of stations by state, without those of no station. */
function tilesOf({ inStates, ended }: NetworkFigures) {
  const counts = { ...inStates, ended }
  const shown = ['present', 'late', 'down', 'silent', 'ended'] as const
  return shown.flatMap((state) => {
    const count = counts[state]
    return count === 0 ? [] : [{ state, label: state, count: readableNumber(count) }]
  })
}

function picturesOf(shown: readonly KnownSeries[], nowSeconds: number) {
  const hourly = shown.filter(({ period }) => period === '01H')
  const pictures = [
    {
      text: 'Hourly observation files by the hour of their data in UTC, the newest at the left; at the right the number of hours. A cell leads to its files, or to what is missing.',
      ...hoursPicture(hourly, nowSeconds),
    },
    {
      text: 'Observation files by the day of their data, today at the left; at the right how complete they are.',
      ...daysPicture(shown, nowSeconds),
    },
  ]
  return pictures.filter(({ named, countries }) => named.length + countries.length > 0)
}

function seriesTable(shown: readonly KnownSeries[]) {
  return {
    label: 'Stations',
    columns: [
      headerColumn('Station'),
      'Period',
      'State',
      ...numberColumns('Delivered', 'Possible', 'Complete'),
    ],
    rows: shown.map(({ station, period, summary }) => [
      stationCell({ station }),
      period,
      stateCell(stateOf(summary)),
      String(summary.delivered),
      String(summary.possible),
      readableShare(summary.completeness),
    ]),
  }
}

function sentenceOf(
  { stations, ended, total, arrivals = 0 }: NetworkFigures,
  asOf: number | undefined,
): string {
  const { possible, completeness } = total
  const all = counted(stations, 'station', 'stations')
  if (asOf === undefined) return `${all}.`
  const share =
    possible === 0
      ? 'Nothing was delivered in the last 28 days.'
      : `${readableShare(completeness)} of ${readableNumber(possible)} files of the last 28 days are delivered.`
  const over = ended === 0 ? '' : ` ${counted(ended, 'station has', 'stations have')} ended.`
  const arrived = ` Arrived in the last hour: ${counted(arrivals, 'file', 'files')}.`
  return `${all} at ${readableTime(secondsToIso(asOf))} UTC. ${share}${over}${arrived}`
}

/** The main series, the worst state first, then the least complete; without those that ended. */
function worstFirst(states: readonly KnownSeries[]): readonly KnownSeries[] {
  const completeness = ({ summary }: KnownSeries): number => summary.completeness ?? -1
  return [...mainSeries(states).values()]
    .filter(
      ({ summary: { completeness, state, ended } }) =>
        (completeness !== undefined || state === 'down') && !ended,
    )
    .sort(
      (a, b) =>
        severityOf(stateOf(a.summary)) - severityOf(stateOf(b.summary)) ||
        completeness(a) - completeness(b) ||
        (a.station < b.station ? -1 : 1),
    )
}
