/** What the pages of a station have above: its name, how it is in a line, and its tabs. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryName, countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { hourWords, readableDuration } from '../../runtime/readable.ts'
import { endOfSlot, startOf } from '../../series/series.ts'
import { resourceUrl, stationUrl } from '../http/links.ts'
import { slotsWords } from '../pages/date-words.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import type { PageFrame } from '../pages/layout.ts'
import { stationMark } from '../pages/marks.ts'
import type { StationTab } from '../pages/station-tabs.ts'
import type { NetworkStatus, SeriesStatus } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'
import type { KnownStation } from './how-words.ts'
import { howWords, lastDataOf, lastGapOf } from './how-words.ts'
import { knownStations } from './known-stations.ts'

export interface HeadOfStation {
  /** The code of the request, in upper case. */
  readonly code: string
  /** All codes whose files are meant. */
  readonly codes: readonly string[]
  /** Long codes that begin with the same short code, if there are several. */
  readonly ambiguous: readonly string[]
  /** The stations of the network that have these codes; one, or none without a series. */
  readonly known: readonly KnownStation[]
  readonly tab: StationTab
}

/** The stations of a network with these codes. */
export function stationsWith(
  network: NetworkStatus,
  { code, codes }: Pick<HeadOfStation, 'code' | 'codes'>,
): readonly KnownStation[] {
  const all = knownStations(network)
  return [...new Set([code, ...codes])].flatMap((each) => all.get(each)?.known ?? [])
}

/** The code to show: the only long one, or that of the request. */
export function shownCode({ code, codes }: Pick<HeadOfStation, 'code' | 'codes'>): string {
  const [only, ...others] = codes.filter((each) => each.length === 9)
  return only !== undefined && others.length === 0 ? only : code
}

/** The frame of a page of a station. */
export function stationFrame(
  station: HeadOfStation,
  { title, json, banner }: Pick<PageFrame, 'title' | 'json' | 'banner'>,
): PageFrame {
  const { tab, code } = station
  const [shown, up] = [shownCode(station), upOf(tab)]
  const country = countryOf(shown)
  const place = isMergedNavigation(shown) ? 'merged navigation' : country && countryName(country)
  const own = { text: shown, href: stationUrl({ api: up }, code) }
  return {
    title,
    heading: html`${shown}${place && html` <small>${place}</small>`}`,
    section: 'station',
    crumbs: [
      { text: 'Stations', href: resourceUrl({ api: up }, 'station') },
      ...(tab === 'Overview' ? [] : [own]),
    ],
    up,
    json,
    station: {
      codes: station.codes.length === 0 ? [code] : station.codes,
      tab,
      lead: leadOf(station),
    },
    ...(banner && { banner }),
  }
}

function upOf(tab: StationTab): string {
  return tab === 'Overview' ? '../../' : '../../../'
}

/** How the station is, above its tabs. */
function leadOf({ ambiguous, known, tab }: HeadOfStation): Html {
  const up = upOf(tab)
  const others = ambiguous.map(
    (each) => html` <a href="${stationUrl({ api: up }, each)}">${each}</a>`,
  )
  const lines = known.length === 0 ? [html`Single files only.`] : known.map(lineOf)
  return html`${lines.map((line) => html`<p class="lead">${line}</p>\n`)}
${others.length > 0 && html`<p class="notice">The short code belongs to several stations:${others}</p>`}`
}

function lineOf(station: KnownStation): Html {
  const { delivery } = station
  return html`${stationMark(delivery)} ${statusSentences(station)}`
}

/** `Delivers. The last file (hour 12–13) came after 5 min, usually 5 min. Last gap: 24 Nov.` */
export function statusSentences(station: KnownStation): string {
  const how = howWords(station)
  const { state } = station
  const isFull = state === 'present' && (how === 'delivers' || how.startsWith('delivers; last gap'))
  const first = isFull ? 'Delivers' : `${how.charAt(0).toUpperCase()}${how.slice(1)}`
  return [`${first}.`, ...arrivalSentence(station), ...gapSentence(station, how)].join(' ')
}

/** Its last file, and how late it came if it was seen arriving. */
function arrivalSentence(station: KnownStation): readonly string[] {
  const { state, series, asOf } = station
  const known = [...mainSeries(series).values()][0]
  if (known === undefined || state === 'ended' || state === 'silent') return []
  const { period, summary, past } = known
  const slot = summary.lastSlot
  if (slot === undefined) return []
  const { slots, latencies } = past.arrivals
  const isSeen = slots[slots.length - 1] === slot
  const latency = isSeen ? latencies[latencies.length - 1] : undefined
  const words = slotsWords({ firstSlot: slot, slots: 1 }, period, asOf)
  const isToday = startOf(slot, period) >= Math.floor(asOf / secondsPerDay) * secondsPerDay
  const isHour = isToday && period === '01H'
  const what = isHour ? `hour ${hourWords(startOf(slot, period))}` : words
  const isNewest = (lastDataOf(station)?.start ?? 0) < endOfSlot(slot, period)
  const isGood = summary.runs.every((run) => run.state !== 'damaged' || run.firstSlot < slot)
  const last = `The last ${isGood ? '' : 'good '}${isNewest ? '' : `${often[period]} `}file`
  if (latency === undefined) return [`${last} is of ${isHour ? 'the ' : ''}${what}.`]
  const usual = summary.usualLatency
  const usually = usual === undefined ? '' : `, usually ${readableDuration(usual)}`
  return [`${last} (${what}) came after ${readableDuration(Math.max(0, latency))}${usually}.`]
}

function gapSentence(station: KnownStation, how: string): readonly string[] {
  const { state, asOf } = station
  if (state !== 'present') return []
  const gap = lastGapOf(station)
  if (gap === undefined) return station.days[0] === undefined ? [] : ['No gap for 28 days.']
  if (how.endsWith('damaged')) return []
  return [`Last gap: ${slotsWords(gap, gap.period, asOf)}.`]
}

const often = { '01D': 'daily', '01H': 'hourly', '15M': 'quarter-hourly' } as const

/** `hourly observation files` */
export function seriesWords({
  fileType,
  period,
}: Pick<SeriesStatus, 'fileType' | 'period'>): string {
  return `${often[period]} ${typeLabel(fileType)} files`
}
