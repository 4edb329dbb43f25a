/** The HTML page of a station: how it is, its hours, days, gaps, latency and last files. */
import { dateOf } from '../../parse/calendar.ts'
import { isMergedNavigation } from '../../parse/countries.ts'
import {
  counted,
  readableDate,
  readableDuration,
  readableNumber,
  readableShare,
} from '../../runtime/readable.ts'
import { part } from '../../series/availability.ts'
import type { Stretch } from '../../series/equipment.ts'
import { recentDays } from '../../series/series.ts'
import type { StationPlace } from '../../series/station-places.ts'
import type { FileView } from '../files/file-view.ts'
import { arrivedCell, faultMark, startCell } from '../files/file-view.ts'
import { dayAt, dayWords } from '../pages/date-words.ts'
import {
  antennaWords,
  changeWords,
  degreesWords,
  receiverWords,
  typesLinks,
} from '../pages/equipment-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Page, PageFrame } from '../pages/layout.ts'
import { factList, fromHeader, link } from '../pages/parts.ts'
import type { Table } from '../pages/table.ts'
import { headerColumn, table } from '../pages/table.ts'
import { arrivalsSvg } from './latency-pictures.ts'
import type { DayChange } from './pictures.ts'
import { daysSvg, yearsSvg } from './pictures.ts'
import type { SeriesPortrait } from './portrait.ts'
import { serialiseLatency } from './serialise.ts'
import { latencySentence } from './series-pages.ts'
import type { SeriesLatencies } from './series-reader.ts'
import type { WireStation } from './station-fields.ts'
import { filesUrl, hrefOfDays } from './station-fields.ts'
import { gapsSection } from './station-gaps.ts'
import type { HeadOfStation } from './station-head.ts'
import { seriesWords, shownCode, stationFrame } from './station-head.ts'

interface StationPage extends Omit<HeadOfStation, 'tab'>, Required<Pick<PageFrame, 'banner'>> {
  readonly nowSeconds: number
  /** The series that says most of the past; `undefined` without deliveries. */
  readonly portrait: SeriesPortrait | undefined
  readonly hours: SeriesPortrait | undefined
  readonly latencies: SeriesLatencies
  /** Its equipment, by the first days. */
  readonly stretches: readonly Stretch[]
  /** Where it is, as on the map. */
  readonly place: StationPlace | undefined
  readonly files: readonly FileView[]
  /** The template of the link to the site log, with `{code}`. */
  readonly stationLink: string | undefined
}

/** @param station its facts; their code is the short one, if it belongs to that of the page */
export function renderStation(station: WireStation, page: StationPage): Page {
  const { code, codes, portrait, banner, nowSeconds: now } = page
  const head = { ...page, tab: 'Overview' } as const
  const shown = shownCode(head)
  const [first, last] = [station.first_data_date, station.last_data_date].map((date) =>
    readableDate(date),
  )
  const summary = `${counted(station.count, 'file', 'files')} from ${first ?? ''} to ${last ?? ''}`
  const frame = stationFrame(head, {
    title: `Station ${shown}`,
    json: station.code === code ? '?format=json' : `../${station.code}/?format=json`,
    banner,
  })
  return {
    frame: { ...frame, description: `RINEX files of ${code}: ${summary}` },
    body: html`<div class="columns">
${hoursSection(page)}
<div>
${gapsSection(page.known, portrait, { codes: codes.length === 0 ? [code] : codes, now })}
${latencySection(page, shown)}
</div>
</div>
${portrait && yearsSection(portrait, page)}
${equipmentSection(page)}
${page.files.length > 0 && html`<section>\n<h2>Last files</h2>\n${table(filesTable(page.files, now))}\n</section>`}
${factsSection(station, page)}`,
  }
}

/** The hours of the last four weeks; nothing if no file came in them. */
function hoursSection({ hours, known, code, codes, nowSeconds: now }: StationPage): Child {
  if (hours === undefined || hours.ended) return undefined
  const [last, first] = [Math.floor(hours.last / 24), Math.floor(hours.first / 24)]
  const begin = Math.max(first, last - recentDays + 1) * 24
  const runs = hours.runs.flatMap((run) => part(run, begin, last * 24 + 23))
  const own = known
    .flatMap(({ series }) => series)
    .find(({ fileType, period }) => fileType === 'o' && period === '01H')
  const title = `Hours of the last four weeks of ${shownCode({ code, codes })}`
  const hrefOf = hrefOfDays({ api: '../../' }, codes, [['file_duration', 'h']])
  return html`<section>
<h2>Hours of four weeks, ${readableShare(own?.summary.completeness)} <small><a href="availability/?period=01H&amp;format=api">more</a></small></h2>
${daysSvg(title, runs, '01H', { hrefOf, now })}
</section>`
}

function latencySection({ latencies: series, nowSeconds }: StationPage, code: string): Child {
  if (series.arrivals.length === 0) return undefined
  const wire = serialiseLatency(series)
  const drawn = { ...series, lateAfter: wire.late_after_s }
  return html`<section>
<h2>Latency of hours, 28 days <small><a href="latency/?format=api">more</a></small></h2>
<p class="quiet">${latencySentence(wire, nowSeconds)}</p>
${arrivalsSvg(`Latency of each hourly file of ${code} by day`, drawn)}
</section>`
}

/** All days of a series. */
function yearsSection(portrait: SeriesPortrait, page: StationPage): Html {
  const { period, runs, first, last, all } = portrait
  const { codes, nowSeconds: now } = page
  const firstDay = dayWords(Math.floor((first * 86_400) / (period === '01D' ? 1 : 24) / 86_400))
  const files = seriesWords({ fileType: 'o', period })
  const own = runs.flatMap((run) => part(run, first, last))
  const title = `Days by year of ${shownCode(page)}`
  return html`<section>
<h2>Days of all years, ${readableShare(all.completeness)} <small>${files} from ${firstDay} · <a href="availability/?period=${period}&amp;format=api">more</a></small></h2>
${yearsSvg(title, { runs: own, period }, { hrefOf: hrefOfDays({ api: '../../' }, codes), now, changes: changesOf(page) })}
</section>`
}

/** When the equipment changed, for the picture. */
function changesOf({ stretches }: StationPage): readonly DayChange[] {
  return realStretches(stretches)
    .slice(1)
    .map((stretch) => {
      const words = `${dayWords(stretch.fromDay)}: ${changeWords(stretch).join('; ')}`
      return { day: stretch.fromDay, words, href: 'equipment/?format=api' }
    })
}

function realStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.filter(({ isOdd }) => !isOdd)
}

/** Number of the last changes of equipment that the page shows. */
const lastChanges = 5

/** What the station has, and when that changed; nothing if no header was read. */
function equipmentSection({ stretches, nowSeconds: now }: StationPage): Child {
  const real = realStretches(stretches)
  const last = real.at(-1)
  if (last === undefined) return undefined
  const { receiver, antenna } = last.equipment
  const thisYear = dateOf(dayAt(now)).year
  const changes = real.slice(1).slice(-lastChanges).toReversed()
  return html`<section>
<h2>Equipment <small>by the headers of its files · <a href="equipment/?format=api">more</a> · ${typesLinks('../../')}</small></h2>
<p>${fromHeader(receiverWords(receiver))} · ${fromHeader(antennaWords(antenna))}</p>
${
  changes.length > 0 &&
  html`<ul aria-label="Changes of equipment">${changes.map(
    (
      stretch,
    ) => html`<li>${dayWords(stretch.fromDay, { thisYear })}: ${fromHeader(changeWords(stretch).join('; '))}</li>
`,
  )}</ul>`
}
</section>`
}

function filesTable(files: readonly FileView[], now: number): Table {
  const thisYear = dateOf(dayAt(now)).year
  return {
    label: 'Last files',
    className: 'files cards',
    columns: [headerColumn('File'), 'Start of data', 'Arrived', 'After its period'],
    rows: files.map((file) => [
      [link(file.name, file.href), faultMark(file)],
      startCell(file),
      arrivedCell(file, thisYear),
      latencyOf(file),
    ]),
  }
}

function latencyOf({ arrivalUs, parsed }: FileView): Child {
  if (arrivalUs === undefined || parsed?.spanSeconds === undefined) return ''
  const end = parsed.startSeconds + parsed.spanSeconds
  return readableDuration(Math.max(0, Math.floor(arrivalUs / 1e6) - end))
}

function factsSection(station: WireStation, { stationLink, place, ...page }: StationPage) {
  const shown = shownCode(page)
  const isSite = !isMergedNavigation(shown)
  const siteLog = isSite ? stationLink?.replaceAll('{code}', encodeURIComponent(shown)) : undefined
  const facts = [
    { name: 'Site log', value: siteLog && `Site log of ${shown}`, href: siteLog },
    { name: 'Codes', value: station.codes.join(', ') },
    { name: 'Position', value: place && degreesWords(place) },
    { name: 'First data', value: readableDate(station.first_data_date) },
    { name: 'Last data', value: readableDate(station.last_data_date) },
    {
      name: 'Files',
      value: readableNumber(station.count),
      href: filesUrl({ api: '../../' }, station.codes),
    },
  ]
  return html`<section>
<h2>Files in numbers</h2>
${factList(facts)}
</section>`
}
