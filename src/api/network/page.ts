/**
 * The page Now, which is the start page: whether the network is well; if not, who, since when, and
 * whether the cause is here. What the archive is stands below.
 */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import type { Layout } from '../../parse/layout.ts'
import { hasSeedAreas } from '../../parse/layout.ts'
import { counted, readableNumber, readableSize } from '../../runtime/readable.ts'
import type { Loss } from '../../series/loss.ts'
import { startOf } from '../../series/series.ts'
import type { StationPlaces } from '../../series/station-places.ts'
import { lossRows } from '../alerts/loss-rows.ts'
import type { StationMap } from '../map/station-map.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { foldersOf } from '../pages/labels.ts'
import type { Page } from '../pages/layout.ts'
import { commandHtml, ignoredNotice } from '../pages/parts.ts'
import { mainSeries } from '../series/known-series.ts'
import type { ArchiveFacts } from './archive-facts.ts'
import type { KnownNetwork } from './figures.ts'
import { matrix } from './matrix.ts'
import { countryRows } from './matrix-cells.ts'

interface NetworkPageData {
  /** The name of the archive. */
  readonly title: string
  readonly archive: ArchiveFacts
  /** The sizes of damaged files in words, by the ids of their losses. */
  readonly damage: ReadonlyMap<string, string> | undefined
  /** The folder of the archive, if pages may say it. */
  readonly folder: string | undefined
  readonly layout: Pick<Layout, 'areas' | 'roots'>
  readonly map: Pick<StationMap, 'of'>
  /** `undefined` if the places cannot be read at this moment. */
  readonly places: StationPlaces | undefined
  /** The URL of the API. */
  readonly api: string
  /** UTC day since 1970. */
  readonly today: number
  /** `undefined` if the states cannot be read at this moment. */
  readonly known: KnownNetwork | undefined
  /** Why they cannot be read. */
  readonly reason: string | undefined
  readonly ignored: readonly string[]
}

export function renderNetwork(data: NetworkPageData): Page {
  const { title, archive, known, reason } = data
  const isEmpty = archive.total?.files === 0
  const { headline, detail } = known?.figures.verdict ?? {
    headline: 'The states of the stations are not known now',
    detail: reason ?? '',
  }
  const isKnown = known !== undefined && known.network.asOf.seconds !== undefined
  const heading = isEmpty && isKnown ? 'The archive has no files yet' : headline
  return {
    frame: {
      title: heading,
      heading: '',
      section: 'network',
      description: `${title}. ${known?.figures.verdict.words ?? ''}`.trim(),
      up: '../',
      json: '?format=json',
      banner: known?.network.banner ?? [],
    },
    body: html`${ignoredNotice(data.ignored)}
<div data-live>
<h1>${heading}</h1>
${(!isEmpty || !known) && detail && html`<p class="lead">${detail}</p>\n`}${isEmpty && emptyNotice(data)}
<div class="now">
${known && stateOf(known, data)}<section aria-label="Totals">
${totals(data)}${firstRequest(data)}</section>
</div>
</div>
`,
  }
}

/** What is lost, where, and all stations. */
function stateOf({ network }: KnownNetwork, { map, places, damage }: NetworkPageData): Html {
  const { states, stations, losses, asOf } = network
  const now = asOf.seconds ?? 0
  const countries = countryRows({ states, stations }, now)
  const shown = new Map(
    countries.flatMap(({ rows }) => rows).map((row) => [row.station, row.delivery]),
  )
  const onMap = Array.from(stations).flatMap(([code, state]) =>
    state === 'ended' ? [] : [{ code, state: shown.get(code), place: places?.of(code) }],
  )
  return html`${lossesOf(losses, asOf.notCurrent === undefined, damage)}${matrix(countries, now)}${map.of(onMap, '../', asOf.seconds !== undefined)}`
}

const seedFolders = html`the folders
 <code>obs/</code> (daily files, in <code>obs/2026/022/</code>) and <code>nrt/</code> (hourly files, in
 <code>nrt/2026/022/05/</code>)`

/** Where files are expected. */
function emptyNotice({ folder, known, layout }: NetworkPageData): Html {
  const isWatched = known !== undefined && known.network.asOf.notCurrent === undefined
  const seen = isWatched && ' A complete file appears here a few seconds after it was written.'
  const place = folder === undefined ? 'the archive' : html`<code>${folder}</code>`
  return html`<p class="notice" role="status">The catalogue has no files yet. They are expected in ${hasSeedAreas(layout) ? seedFolders : foldersOf(layout)} of ${place}.${seen} <a href="../status/?format=api">What the indexer does now</a></p>
`
}

/** Rows of losses; Alerts has all. */
const maxLosses = 12

function lossesOf(
  losses: readonly Loss[],
  isCurrent: boolean,
  damage: NetworkPageData['damage'],
): Child {
  if (losses.length === 0) return undefined
  const rest = losses.length - maxLosses
  const more = rest > 0 && linked('alerts', counted(rest, 'more loss', 'more losses'))
  return html`<section>
<h2>${isCurrent ? 'Lost now' : 'Lost then'}, the newest first</h2>
${lossRows(losses.slice(0, maxLosses), damage)}<p>${more && html`${more} · `}${linked('missing', more ? 'all missing files' : 'All missing files')}</p>
</section>
`
}

/**
 * `265,212 files, 20.7 GB, of 138 stations in 16 countries, from 1996 to now. 3,412 arrived in the
 * last hour.`: what is not known is left out.
 */
function totals({ archive: { total, stations, months }, today, known }: NetworkPageData): Child {
  if (total === undefined || total.files === 0) return undefined
  const files = linked('rinex-file', counted(total.files, 'file', 'files'))
  const bytes = linked('archive', readableSize(total.bytes))
  const { arrivals } = known?.figures ?? {}
  const isCurrent = known?.network.asOf.notCurrent === undefined
  const arrived =
    arrivals !== undefined && isCurrent && ` ${readableNumber(arrivals)} arrived in the last hour.`
  return html`<p>${files}, ${bytes}${stations && html`, of ${stationsText(stations)}`}${months && spanText(months, today)}.${arrived} <a href="../../data/">Directories</a></p>
`
}

function linked(name: string, text: string): Html {
  return html`<a href="../${name}/?format=api">${text}</a>`
}

function stationsText({ count, countries }: NonNullable<ArchiveFacts['stations']>): Html {
  const found = linked('station', counted(count, 'station', 'stations'))
  return html`${found}${countries > 0 && ` in ${counted(countries, 'country', 'countries')}`}`
}

/** `, from 1996 to now`, or to the year of the newest data. @param today since 1970 */
function spanText([first, last]: readonly [string, string], today: number): string {
  const [from, to, now] = [first, last, dayToIso(today)].map((text) => text.slice(0, 4))
  const end = to === now ? 'now' : to
  return from === to && to !== now ? `, of ${from}` : `, from ${from} to ${end}`
}

/** The request for the newest files of a station that delivers. */
function firstRequest({ api, known }: NetworkPageData): Child {
  const all = [...mainSeries(known?.network.states ?? []).values()]
  const found = all.find(({ summary }) => summary.state === 'present') ?? all[0]
  const { lastSlot } = found?.summary ?? {}
  if (found === undefined || lastSlot === undefined) return undefined
  const day = Math.floor(startOf(lastSlot, found.period) / secondsPerDay)
  const station = found.station.slice(0, 4)
  return commandHtml(`curl '${api}rinex-file/?station=${station}&date=${dayToIso(day)}'`)
}
