/** The last gaps of a station in words, and the names of what is missing. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { counted } from '../../runtime/readable.ts'
import { endOfSlot } from '../../series/series.ts'
import type { QueryPair } from '../http/links.ts'
import { pageUrl } from '../http/links.ts'
import { countHalf, missingSlots, recentRange } from '../missing/missing-slots.ts'
import { whatWords, whenWords } from '../missing/outage-words.ts'
import { outagesOf } from '../missing/outages.ts'
import { markOf, maxNames, namesOf } from '../missing/page.ts'
import { slotsWords } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { halfWords, slotMark } from '../pages/marks.ts'
import { commandHtml } from '../pages/parts.ts'
import type { Gap } from './gaps.ts'
import { gapAmount } from './gaps.ts'
import type { KnownStation } from './how-words.ts'
import type { SeriesPortrait } from './portrait.ts'

/** Maximum number of gaps that the page shows. */
const most = 12

/**
 * The outages of 28 days, with as many files as the list of missing files has of the station, then
 * earlier gaps of the longest series; how many slots of 28 days are half.
 */
export function gapsSection(
  known: readonly KnownStation[],
  portrait: SeriesPortrait | undefined,
  { codes, now }: { readonly codes: readonly string[]; readonly now: number },
): Html {
  const days = recentRange(now)
  const slots = known.flatMap(({ series }) =>
    series.flatMap((each) => Array.from(missingSlots(each, each.summary.runs, days))),
  )
  const recent = outagesOf(slots).map((outage) => [
    markOf(outage),
    whenWords(outage, now),
    `${counted(outage.length, 'file', 'files')}: ${whatWords(outage)}`,
  ])
  const { gaps = [], period = '01D' } = portrait ?? {}
  const earlier = gaps
    .filter(
      ({ firstSlot, slots: own }) =>
        known.length === 0 ||
        endOfSlot(firstSlot + own - 1, period) <= days.fromDay * secondsPerDay,
    )
    .map((gap) => [gapMark(gap), slotsWords(gap, period, now), gapAmount(gap, period)])
  const half = countHalf(
    known.flatMap(({ series }) => series),
    days,
  )
  const missingUrl = (...more: readonly QueryPair[]): string =>
    pageUrl({ api: '../../' }, 'missing', [['station', codes.join()], ...more])
  const names = namesOf(slots)
  const items = [...recent, ...earlier.toReversed()]
  const more = items.length - most
  // Before the first scan has ended, no station has a state.
  const isKnown = known.some(({ asOf }) => asOf > 0)
  return html`<section>
<h2>Gaps</h2>
${items.length === 0 ? html`<p>${isKnown ? 'No file is missing.' : 'Not known yet.'}</p>` : html`<ul class="plain" aria-label="Gaps">${items.slice(0, most).map(gapItem)}</ul>`}
${more > 0 && html`<p><a href="availability/?period=${period}&amp;format=api">and ${counted(more, 'earlier gap', 'earlier gaps')}</a></p>`}
${half > 0 && html`<p>${slotMark('half')} <a href="${missingUrl(['state', 'half'])}">${halfWords(half)}</a></p>`}
${slots.length > 0 && html`<details><summary>${counted(names.length, 'pattern', 'patterns')} of the names of ${counted(slots.length, 'file', 'files')}, to copy</summary>${commandHtml(names.slice(0, maxNames).join('\n'))}<p><a href="${missingUrl()}">All, and CSV</a></p></details>`}
</section>
`
}

function gapMark({ states }: Gap): Child {
  const mark = (['missing', 'late', 'damaged', 'removed'] as const).find((each) => states.has(each))
  return mark && slotMark(mark)
}

function gapItem([mark, when, amount]: readonly Child[]): Html {
  return html`<li>${mark} <span>${when}</span> <span class="quiet">${amount}</span></li>
`
}
