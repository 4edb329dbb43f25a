/** What the page of a station and its tabs have above: states, tabs, title, links. */
import { countryName, countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { stateOf } from '../../series/station-states.ts'
import { pageUrl, resourceUrl, stationUrl } from '../http/links.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import type { PageFrame } from '../pages/layout.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'
import { filesUrl } from './station-fields.ts'
import { sinceWords } from './words.ts'

/** The tabs that are pages of the station; the others lead to lists of its files and alerts. */
export type StationTab = 'Overview' | 'Availability' | 'Latency'

interface HeadOfStation {
  /** The code of the request, in upper case. */
  readonly code: string
  /** All codes whose files are meant. */
  readonly codes: readonly string[]
  /** Long codes that begin with the same short code, if there are several. */
  readonly ambiguous: readonly string[]
  readonly states: readonly SeriesStatus[]
  readonly nowSeconds: number
  readonly tab: StationTab
}

/** The series of a station. */
export function seriesOfStation<Series extends SeriesStatus>(
  states: readonly Series[],
  { code, codes }: Pick<HeadOfStation, 'code' | 'codes'>,
): readonly Series[] {
  return states.filter(({ station }) => station === code || codes.includes(station))
}

/** The code to show: the only long one, or that of the request. */
export function shownCode({ code, codes }: Pick<HeadOfStation, 'code' | 'codes'>): string {
  const [only, ...others] = codes.filter((each) => each.length === 9)
  return only !== undefined && others.length === 0 ? only : code
}

/** `GRAZ00AUT, Austria` */
function stationTitle(station: Pick<HeadOfStation, 'code' | 'codes'>): string {
  const code = shownCode(station)
  const country = countryOf(code)
  if (isMergedNavigation(code)) return `${code}, merged navigation`
  return country === undefined ? code : `${code}, ${countryName(country)}`
}

/** The frame of a page of a station. */
export function stationFrame(
  station: HeadOfStation,
  { title, json, banner }: Pick<PageFrame, 'title' | 'json' | 'banner'>,
): PageFrame {
  const { tab, code } = station
  const heading = stationTitle(station)
  const up = upOf(tab)
  const own = { text: shownCode(station), href: stationUrl({ api: up }, code) }
  return {
    title,
    heading,
    section: 'station',
    crumbs: [
      { text: 'Stations', href: resourceUrl({ api: up }, 'station') },
      ...(tab === 'Overview' ? [] : [own]),
    ],
    up,
    json,
    ...(banner && { banner }),
  }
}

function upOf(tab: StationTab): string {
  return tab === 'Overview' ? '../../' : '../../../'
}

/** What stands above the pages of a station. */
export function stationHead(station: HeadOfStation): Html {
  const { code, codes, ambiguous, nowSeconds, tab } = station
  const up = upOf(tab)
  const own = `${up}station/${code}/`
  const ofStation = [['station', code]] as const
  const tabs = [
    { label: 'Overview', href: `${own}?format=api` },
    { label: 'Availability', href: `${own}availability/?format=api` },
    { label: 'Latency', href: `${own}latency/?format=api` },
    { label: 'Missing', href: pageUrl({ api: up }, 'missing', ofStation) },
    { label: 'Files', href: filesUrl({ api: up }, codes) },
    { label: 'Alerts', href: pageUrl({ api: up }, 'alerts', ofStation) },
  ]
  const lines = linesOf(seriesOfStation(station.states, station), nowSeconds)
  const others = ambiguous.map(
    (each) => html` <a href="${stationUrl({ api: up }, each)}">${each}</a>`,
  )
  const items = tabs.map(({ label, href }) => {
    const isCurrent = label === tab && html` aria-current="page"`
    return html`<li><a href="${href}"${isCurrent}>${label}</a></li>`
  })
  return html`${lines.map(lineHtml)}
${others.length > 0 && html`<p class="notice">The short code belongs to several stations:${others}</p>`}
<nav class="tabs" aria-label="Station"><ul>${items}</ul></nav>`
}

type StateLine = ReturnType<typeof linesOf>[number]

function lineHtml({ isMain, state, words, files }: StateLine): Html {
  return html`<p class="${isMain ? 'station-state' : 'note'}"><span class="state ${state}">${state}</span>${words} <span class="note">${files}</span></p>
`
}

/** The state of the main series of each station, and the series whose state is another one. */
function linesOf(states: readonly SeriesStatus[], nowSeconds: number) {
  const main = mainSeries(states)
  const stations = new Set(states.map(({ station }) => station))
  return [...stations].flatMap((station) => {
    const own = states.filter((each) => each.station === station)
    const first = main.get(station) ?? own[0]
    const lineOf = (series: SeriesStatus) => ({
      isMain: series === first,
      state: stateOf(series.summary),
      words: sinceWords({ ...series.summary, lateSeconds: series.lateSeconds }, nowSeconds),
      files: `${stations.size > 1 ? `${station}, ` : ''}${seriesWords(series)}`,
    })
    const differs = own.filter(
      ({ summary }) => first && stateOf(summary) !== stateOf(first.summary),
    )
    return first === undefined ? [] : [first, ...differs].map(lineOf)
  })
}

/** Gaps to copy into a mail. @param none what is said without any */
export function gapsHtml(text: string, none: string): Html {
  if (text === '') return html`<p>${none}</p>`
  return html`<div class="command gaps"><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`
}

/** `hourly observation files` */
export function seriesWords({
  fileType,
  period,
}: Pick<SeriesStatus, 'fileType' | 'period'>): string {
  const often = { '01D': 'daily', '01H': 'hourly', '15M': '15-minute' }[period]
  return `${often} ${typeLabel(fileType)} files`
}
