/** The HTML page of the network: the start page, with the archive above it. */
import { secondsToIso } from '../../parse/calendar.ts'
import {
  counted,
  readableNumber,
  readableShare,
  readableSize,
  readableTime,
} from '../../runtime/readable.ts'
import { severityOf, stateOf } from '../../series/station-states.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import { ignoredNotice } from '../pages/parts.ts'
import { headerColumn, numberColumns, stateCell, table } from '../pages/table.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'
import { stationCell } from '../series/series-fields.ts'
import type { ArchiveFacts } from './archive-facts.ts'
import type { Picture } from './by-country.ts'
import type { KnownNetwork, NetworkFigures } from './figures.ts'
import { lossList } from './loss-list.ts'
import { daysPicture, hoursPicture } from './network-pictures.ts'

interface NetworkPageData {
  /** The name of the archive. */
  readonly title: string
  readonly archive: ArchiveFacts
  /** `undefined` if the states cannot be read at this moment. */
  readonly known: KnownNetwork | undefined
  /** Why they cannot be read. */
  readonly reason: string | undefined
  readonly ignored: readonly string[]
}

export function renderNetwork({ title, archive, known, reason, ignored }: NetworkPageData): Page {
  const isCurrent = known !== undefined && known.network.asOf.notCurrent === undefined
  return {
    frame: {
      title: 'Now',
      heading: title,
      section: 'network',
      description: `${title}. ${known?.figures.verdict.words ?? ''}`.trim(),
      up: '../',
      json: '?format=json',
      banner: known?.network.banner ?? [],
    },
    body: html`${ignoredNotice(ignored)}
<div data-live>
${archive.total?.files === 0 ? emptyNotice(isCurrent) : archiveTotals(archive)}
${known ? stateOfNetwork(known) : html`<p class="notice" role="status">${reason ?? unknownState}</p>\n`}
</div>
`,
  }
}

const unknownState =
  'Who delivers is not known at this moment; files and directories that are listed can be downloaded.'

/** @param isWatched true if files that arrive are seen */
function emptyNotice(isWatched: boolean): Html {
  const seen = isWatched && '; a complete file appears here a few seconds after it was written'
  return html`<p class="notice" role="status">The catalogue has no files yet. They are expected in the folders
 <code>obs/</code> (daily files, in <code>obs/2026/022/</code>) and <code>nrt/</code> (hourly files, in
 <code>nrt/2026/022/05/</code>) of the archive${seen}. <a href="../status/?format=api">What the indexer does now</a></p>
`
}

/** Files, bytes and stations, as far as they are known, and the same files as directories. */
function archiveTotals({ total, stations }: ArchiveFacts): Html {
  const items = [
    total &&
      totalItem('rinex-file', readableNumber(total.files), total.files === 1 ? 'file' : 'files'),
    total && totalItem('archive', readableSize(total.bytes), 'of data'),
    stations !== undefined &&
      totalItem('station', readableNumber(stations), stations === 1 ? 'station' : 'stations'),
  ]
  return html`<ul class="totals">
${items}<li><a href="../../data/">Directories</a></li>
</ul>
`
}

function totalItem(name: string, value: string, label: string): Html {
  return html`<li><a href="../${name}/?format=api"><b>${value}</b> ${label}</a></li>\n`
}

function stateOfNetwork({ network, figures }: KnownNetwork): Html {
  const { states, losses, asOf } = network
  const { verdict } = figures
  const shown = worstFirst(states)
  return html`<p class="lead verdict${!verdict.ok && ' bad'}">${verdict.words}</p>
<ul class="totals">
${tiles(figures)}</ul>
${lossList(states, losses)}
${pictures(shown, asOf.seconds ?? 0)}
${shown.length > 0 && seriesTable(shown)}
<p>${sentenceOf(figures, asOf.seconds)}</p>
`
}

/** Numbers of stations by state, without those of no station. */
function tiles({ inStates, ended }: NetworkFigures): Child {
  const counts = { ...inStates, ended }
  const shown = ['present', 'late', 'down', 'silent', 'ended'] as const
  return shown.map((state) => {
    const count = html`<b>${readableNumber(counts[state])}</b>`
    const href = `../station/?format=api&state=${state}`
    return counts[state] > 0 && html`<li><a href="${href}">${count} ${stateCell(state)}</a></li>\n`
  })
}

function pictures(shown: readonly KnownSeries[], nowSeconds: number): Child {
  const hourly = shown.filter(({ period }) => period === '01H')
  return [
    pictureHtml(
      hoursPicture(hourly, nowSeconds),
      'Hourly observation files by the hour of their data in UTC, the newest at the left; at the right the number of hours. A cell leads to its files, or to what is missing.',
    ),
    pictureHtml(
      daysPicture(shown, nowSeconds),
      'Observation files by the day of their data, today at the left; at the right how complete they are.',
    ),
  ]
}

/** A picture: its legend, a part for each country, and the complete stations folded. */
function pictureHtml({ label, legend, countries, named }: Picture, text: string): Child {
  if (countries.length + named.length === 0) return undefined
  const marks = legend.map((mark) => html`<li>${mark.svg} ${mark.label}</li>`)
  return html`<section>
<h2>${label}</h2>
<p class="note">${text}</p>
${marks.length > 0 && html`<ul class="legend">${marks}</ul>`}
<div class="wide countries" tabindex="0" role="region" aria-label="${label}">
${countries.map(
  ({ name, note, svg }) => html`<section>
<h3>${name} <span class="note">${note}</span></h3>
${svg}</section>
`,
)}</div>
${named.map(namedStations)}</section>
`
}

function namedStations({ label, countries }: Picture['named'][number]): Html {
  return html`<details>
<summary>${label}</summary>
${countries.map(
  ({ name, stations }) => html`<p>${name}: ${stations.map(
    (station) => html`<a href="../station/${station}/">${station}</a> `,
  )}</p>
`,
)}</details>
`
}

function seriesTable(shown: readonly KnownSeries[]): Html {
  return html`<details>
<summary>All stations as a table</summary>
${table({
  label: 'Stations',
  columns: [
    headerColumn('Station'),
    ...['Period', 'State'],
    ...numberColumns('Delivered', 'Possible', 'Complete'),
  ],
  rows: shown.map(({ station, period, summary }) => [
    stationCell({ station }),
    period,
    stateCell(stateOf(summary)),
    summary.delivered,
    summary.possible,
    readableShare(summary.completeness),
  ]),
})}
</details>
`
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
