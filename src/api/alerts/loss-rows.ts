/** The rows of losses, on the pages Now and Alerts. Pure. */
import { counted } from '../../runtime/readable.ts'
import type { Loss, LostSeries } from '../../series/loss.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { SlotMark } from '../pages/marks.ts'
import { slotMark } from '../pages/marks.ts'
import { availabilityHref, stationHref } from '../series/series-fields.ts'
import { missingHref } from './loss-fields.ts'
import { lossWords, lostSeriesWords } from './loss-words.ts'

const markOf: Readonly<Record<Loss['kind'], SlotMark>> = {
  'ingest-stalled': 'missing',
  down: 'missing',
  late: 'late',
  damaged: 'damaged',
}

/** Maximum numbers of file types and of stations of a loss: Missing has all. */
const max = { series: 12, stations: 60 }

/**
 * The losses, a row each, which opens into its file types or its stations.
 * @param more what else is known of some, by their ids
 */
export function lossRows(losses: readonly Loss[], more?: ReadonlyMap<string, string>): Html {
  return html`<ul class="losses plain small">
${losses.map((loss) => lossRow(loss, more?.get(loss.id)))}</ul>
`
}

function lossRow(loss: Loss, more = ''): Html {
  const { id, kind, station, alert } = loss
  const { who, what, late } = lossWords(loss)
  const isYoung = !alert && html` <span class="quiet">no alert yet</span>`
  return html`<li><details id="${id}">
<summary>${slotMark(markOf[kind])}<b>${who}</b> <span>${what}${more}${isYoung}</span> <span>${late}</span></summary>
${station === undefined ? stationsOf(loss) : seriesOf(loss, station)}
</details></li>
`
}

function stationsOf(loss: Loss): Html {
  const { stations } = loss
  const links = stations
    .slice(0, max.stations)
    .map((station) => html`<a href="${stationHref({ station })}">${station}</a> `)
  const more = moreText(stations.length - max.stations, 'station', 'stations')
  return html`<p>${links}${more}· ${missingLink(loss)}</p>`
}

function seriesOf(loss: Loss, station: string): Html {
  const { series, due, lateSeconds } = loss
  const line = (each: LostSeries): Html =>
    html`<li><a href="${availabilityHref(each)}">${lostSeriesWords(each, due + lateSeconds)}</a></li>\n`
  const more = moreText(series.length - max.series, 'file type', 'file types')
  return html`<ul class="plain">
${series.slice(0, max.series).map(line)}${more && html`<li>${more}</li>\n`}</ul>
<p><a href="${stationHref({ station })}">${station}</a> · ${missingLink(loss)}</p>`
}

function missingLink(loss: Loss): Child {
  const what = loss.kind === 'damaged' ? 'Damaged files' : 'Missing files'
  return html`<a href="${missingHref(loss)}">${what}</a>`
}

function moreText(count: number, one: string, many: string): string {
  return count <= 0 ? '' : `and ${counted(count, `more ${one}`, `more ${many}`)} `
}
