/** The open losses on the page of the network: what is lost, and the single files. Pure. */
import { slotAt } from '../../series/series.ts'
import type { Loss, LossKind } from '../../series/loss.ts'
import { missingHref, seriesHref } from '../alerts/loss-fields.ts'
import { lossWords, lostSeriesWords } from '../alerts/loss-words.ts'
import { missingPattern, timesOf } from '../missing/missing-slots.ts'
import type { MissingSlot } from '../missing/missing-slots.ts'
import { counted, readableTime } from '../pages/labels.ts'
import { secondsToIso } from '../../parse/calendar.ts'
import { keyOf } from '../series/known-series.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { availabilityHref } from '../series/series-fields.ts'

interface Linked {
  readonly text: string
  readonly href: string
}

interface ShownLoss {
  readonly id: string
  readonly kind: LossKind
  readonly words: string
  readonly series: readonly Linked[]
  /** How many series are not named. */
  readonly more: string
  readonly seriesHref: string
  readonly missingHref: string
}

interface LossList {
  readonly losses: readonly ShownLoss[]
  /** The last losses are left out. */
  readonly more: string
  /** Series that lost only their newest file. */
  readonly single: { readonly label: string; readonly files: readonly SingleFile[] }
}

interface SingleFile extends Linked {
  readonly expectedBy: string
}

/** Maximum numbers of losses, of their series, and of single files: Alerts has all. */
const max = { losses: 50, series: 150, files: 50 }

export function lossList(states: readonly SeriesStatus[], losses: readonly Loss[]): LossList {
  const known = new Map(states.map((each) => [keyOf(each), each]))
  const single: MissingSlot[] = []
  const large: Loss[] = []
  for (const loss of losses) {
    const lost = loss.series.flatMap((each) => onlyLoss(known.get(keyOf(each))))
    const isSmall = isLost(loss) && lost.length === loss.series.length
    if (isSmall) single.push(...lost)
    else large.push(loss)
  }
  return {
    losses: shownLosses(large.slice(0, max.losses)),
    more: moreText(large.length - max.losses, 'loss', 'losses'),
    single: {
      label: counted(single.length, 'single file', 'single files'),
      files: single.slice(0, max.files).map(singleFile),
    },
  }
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

function singleFile(missing: MissingSlot): SingleFile {
  const { series, slot } = missing
  return {
    text: missingPattern(series, slot),
    href: availabilityHref(series),
    expectedBy: readableTime(secondsToIso(timesOf(missing).expectedBy)),
  }
}

function shownLosses(losses: readonly Loss[]): readonly ShownLoss[] {
  let left = max.series
  return losses.map((loss) => {
    const { id, kind, series } = loss
    const shown = series.slice(0, left)
    left -= shown.length
    return {
      id,
      kind,
      words: lossWords(loss),
      series: shown.map((each) => ({ text: lostSeriesWords(each), href: availabilityHref(each) })),
      more: moreText(series.length - shown.length, 'series', 'series'),
      seriesHref: seriesHref(loss),
      missingHref: missingHref(loss),
    }
  })
}

function moreText(count: number, one: string, many: string): string {
  return count <= 0 ? '' : `and ${counted(count, `more ${one}`, `more ${many}`)}`
}
