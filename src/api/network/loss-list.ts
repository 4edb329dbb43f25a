/** The open losses on the page of the network: what is lost, and the single files. Pure. */
import { secondsToIso } from '../../parse/calendar.ts'
import { counted, readableTime } from '../../runtime/readable.ts'
import type { Loss } from '../../series/loss.ts'
import { slotAt } from '../../series/series.ts'
import { missingHref, seriesHref } from '../alerts/loss-fields.ts'
import { lossWords, lostSeriesWords } from '../alerts/loss-words.ts'
import type { MissingSlot } from '../missing/missing-slots.ts'
import { missingPattern, timesOf } from '../missing/missing-slots.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { keyOf } from '../series/known-series.ts'
import { availabilityHref } from '../series/series-fields.ts'

/** Maximum numbers of losses, of their series, and of single files: Alerts has all. */
const max = { losses: 50, series: 150, files: 50 }

export function lossList(states: readonly SeriesStatus[], losses: readonly Loss[]): Child {
  const known = new Map(states.map((each) => [keyOf(each), each]))
  const single: MissingSlot[] = []
  const large: Loss[] = []
  for (const loss of losses) {
    const lost = loss.series.flatMap((each) => onlyLoss(known.get(keyOf(each))))
    const isSmall = isLost(loss) && lost.length === loss.series.length
    if (isSmall) single.push(...lost)
    else large.push(loss)
  }
  if (losses.length === 0) return undefined
  const more = moreText(large.length - max.losses, 'loss', 'losses')
  return html`<h2>Losses</h2>
<ul class="losses">
${shownLosses(large.slice(0, max.losses))}
${more && html`<li><a href="../alerts/?format=api">${more}</a></li>\n`}
${single.length > 0 && singleFiles(single)}</ul>
<p><a href="../alerts/?format=api">Alerts</a>, <a href="../missing/?format=api">all missing files</a></p>
`
}

/** True for a loss of a station whose files are missing. */
function isLost({ kind, station }: Loss): boolean {
  return station !== undefined && kind !== 'damaged'
}

/** The late or missing slot after the last delivered one; nothing if there are several. */
function onlyLoss(series: SeriesStatus | undefined): readonly MissingSlot[] {
  const { runs, since } = series?.summary ?? {}
  if (series === undefined || runs === undefined || since === undefined) return []
  const first = slotAt(since, series.period)
  const lost = runs.flatMap(({ state, firstSlot, slots }) => {
    const slot = Math.max(firstSlot, first)
    const count = firstSlot + slots - slot
    return (state === 'late' || state === 'missing') && count > 0 ? [{ slot, state, count }] : []
  })
  const [only, ...others] = lost
  if (only === undefined || only.count > 1 || others.length > 0) return []
  return [{ series, slot: only.slot, state: only.state }]
}

/** Files that are the only ones that their series lost. */
function singleFiles(all: readonly MissingSlot[]): Html {
  const items = all.slice(0, max.files).map((missing) => {
    const { series, slot } = missing
    const expectedBy = readableTime(secondsToIso(timesOf(missing).expectedBy))
    const name = html`<code>${missingPattern(series, slot)}</code>`
    return html`<li><a href="${availabilityHref(series)}">${name}</a> expected by ${expectedBy}</li>\n`
  })
  return html`<li><details>
<summary><span class="state late">${counted(all.length, 'single file', 'single files')}</span></summary>
<ul>
${items}</ul>
</details></li>
`
}

function shownLosses(losses: readonly Loss[]): readonly Html[] {
  let left = max.series
  return losses.map((loss) => {
    const shown = loss.series.slice(0, left)
    left -= shown.length
    return lossItem(loss, shown)
  })
}

/** A loss, which opens into some of its series. */
function lossItem(loss: Loss, shown: readonly Loss['series'][number][]): Html {
  const { id, kind, series } = loss
  const more = moreText(series.length - shown.length, 'series', 'series')
  const items = shown.map(
    (each) => html`<li><a href="${availabilityHref(each)}">${lostSeriesWords(each)}</a></li>\n`,
  )
  return html`<li><details id="${id}">
<summary><span class="state ${kind === 'ingest-stalled' ? 'late' : kind}">${lossWords(loss)}</span></summary>
<ul>
${items}${more && html`<li>${more}</li>\n`}</ul>
<p><a href="${missingHref(loss)}">Missing files</a>, <a href="${seriesHref(loss)}">all its series</a></p>
</details></li>
`
}

function moreText(count: number, one: string, many: string): string {
  return count <= 0 ? '' : `and ${counted(count, `more ${one}`, `more ${many}`)}`
}
