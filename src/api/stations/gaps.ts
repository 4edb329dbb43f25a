/** Gaps of a series in words, as people write them into a mail. Pure. */
import { counted } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import type { SlotState, StateRun } from '../../series/slot-states.ts'
import { slotWords } from '../../series/slot-states.ts'
import { slotCount, slotsWords } from '../pages/date-words.ts'

/** A gap: adjacent runs of slots without a file, with the number of its slots by state. */
export interface Gap {
  readonly firstSlot: number
  readonly slots: number
  readonly states: ReadonlyMap<SlotState, number>
}

/** Joins adjacent runs. @param runs ascending */
export function joinGaps(runs: readonly StateRun[]): readonly Gap[] {
  const gaps: { firstSlot: number; slots: number; states: Map<SlotState, number> }[] = []
  for (const { state, firstSlot, slots } of runs) {
    let last = gaps.at(-1)
    if (last === undefined || last.firstSlot + last.slots !== firstSlot) {
      last = { firstSlot, slots: 0, states: new Map() }
      gaps.push(last)
    }
    last.slots += slots
    last.states.set(state, (last.states.get(state) ?? 0) + slots)
  }
  return gaps
}

/** `2 hours missing`, `8 days, 2 missing; 6 late` */
export function gapAmount({ slots, states }: Gap, period: Period): string {
  const all = Array.from(states, ([state, count]) => [slotWords[state].word, count] as const)
  const [[only] = ['']] = all
  const amount = slotCount(slots, period)
  if (all.length === 1) return `${amount} ${only}`
  return `${amount}, ${all.map(([word, count]) => `${count} ${word}`).join('; ')}`
}

/** The last gaps, the latest first, and how many are left out. @param now seconds since 1970 */
export function gapLines(
  gaps: readonly Gap[],
  period: Period,
  { most, now }: { readonly most: number; readonly now: number },
): readonly string[] {
  const more = gaps.length - most
  return [
    ...gaps
      .slice(-most)
      .toReversed()
      .map((gap) => `${slotsWords(gap, period, now)}: ${gapAmount(gap, period)}`),
    ...(more > 0 ? [`and ${counted(more, 'earlier gap', 'earlier gaps')}`] : []),
  ]
}
