/** The last gaps of a station in words, and the names of what is missing. */
import { counted } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot } from '../../series/series.ts'
import { observations } from '../../series/station-days.ts'
import { pageUrl } from '../http/links.ts'
import { missingPatterns } from '../missing/missing-slots.ts'
import { slotsWords } from '../pages/date-words.ts'
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { slotMark } from '../pages/marks.ts'
import { commandHtml } from '../pages/parts.ts'
import type { Gap } from './gaps.ts'
import { gapAmount, joinGaps } from './gaps.ts'
import type { KnownStation } from './how-words.ts'
import { isLost } from './how-words.ts'
import type { SeriesPortrait } from './portrait.ts'

/** Maximum numbers of gaps and of names that the page shows. */
const most = { gaps: 12, names: 500 }

interface PeriodGap extends Gap {
  readonly period: Period
}

/** The gaps of 28 days of all observation files, then earlier ones of the longest series. */
export function gapsSection(
  known: readonly KnownStation[],
  portrait: SeriesPortrait | undefined,
  { codes, now }: { readonly codes: readonly string[]; readonly now: number },
): Html {
  const recent = known.flatMap(({ series }) =>
    observations(series).flatMap(({ period, summary, past }) =>
      joinGaps(
        summary.runs.filter((run) => isLost(run) && run.firstSlot >= (past.first ?? Infinity)),
      ).map((gap) => ({ ...gap, period })),
    ),
  )
  const begin = Math.min(...known.flatMap(({ days, asOf }) => asOf - days.length * 86_400))
  const before = (portrait?.gaps ?? [])
    .map((gap) => ({ ...gap, period: portrait?.period ?? '01D' }))
    .filter((gap) => endOf(gap) <= begin || known.length === 0)
  const all = [...recent, ...before].sort((a, b) => endOf(b) - endOf(a))
  const names = namesOf(known)
  const more = all.length - most.gaps
  const items = all.slice(0, most.gaps).map((gap) => gapItem(gap, now))
  const href = pageUrl({ api: '../../' }, 'missing', [['station', codes.join()]])
  return html`<section>
<h2>Gaps</h2>
${items.length === 0 ? html`<p>No file is missing.</p>` : html`<ul class="plain" aria-label="Gaps">${items}</ul>`}
${more > 0 && html`<p><a href="availability/?format=api">and ${counted(more, 'earlier gap', 'earlier gaps')}</a></p>`}
${names.length > 0 && html`<details><summary>${counted(names.length, 'name', 'names')} of what is missing, to copy</summary>${commandHtml(names.slice(0, most.names).join('\n'))}<p><a href="${href}">All, and CSV</a></p></details>`}
</section>
`
}

function endOf({ firstSlot, slots, period }: PeriodGap): number {
  return endOfSlot(firstSlot + slots - 1, period)
}

const marks = ['missing', 'late', 'damaged'] as const

function gapItem(gap: PeriodGap, now: number): Html {
  const mark = marks.find((state) => gap.states.has(state))
  return html`<li>${mark && slotMark(mark)} <span>${slotsWords(gap, gap.period, now)}</span> <span class="quiet">${gapAmount(gap, gap.period)}</span></li>
`
}

/** The names of the files that are missing in the last 28 days. */
function namesOf(known: readonly KnownStation[]): readonly string[] {
  return known.flatMap(({ series }) =>
    series.flatMap((each) => {
      const slots = each.summary.runs.flatMap((run) =>
        isLost(run) && run.firstSlot >= (each.past.first ?? Infinity)
          ? Array.from({ length: run.slots }, (_, index) => run.firstSlot + index)
          : [],
      )
      return missingPatterns(each, slots)
    }),
  )
}
