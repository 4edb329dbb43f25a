/** Gaps and times of slots in words, as people write them into a mail. Pure. */
import { secondsPerDay, twoDigits } from '../../parse/calendar.ts'
import { counted } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, startOf } from '../../series/series.ts'
import type { SlotState, StateRun } from '../../series/slot-states.ts'
import { slotWords } from '../../series/slot-states.ts'
import { shortDay, shortDays } from '../pages/date-words.ts'

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

export const nounsOf: Readonly<Record<Period, readonly [one: string, many: string]>> = {
  '15M': ['quarter of an hour', 'quarters of an hour'],
  '01H': ['hour', 'hours'],
  '01D': ['day', 'days'],
}

/** `2 hours missing`, `8 days, 2 missing; 6 late` */
export function gapAmount({ slots, states }: Gap, period: Period): string {
  const all = Array.from(states, ([state, count]) => [slotWords[state].word, count] as const)
  const [[only] = ['']] = all
  const amount = counted(slots, ...nounsOf[period])
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
      .map((gap) => `${spanWords(gap, period, now)}: ${gapAmount(gap, period)}`),
    ...(more > 0 ? [`and ${counted(more, 'earlier gap', 'earlier gaps')}`] : []),
  ]
}

/** `24 Nov`, `24 to 26 Nov`, `24 Nov, 03–05 h`, `24 Nov, 22 h to 25 Nov, 03 h`. */
export function spanWords(
  { firstSlot, slots }: Pick<StateRun, 'firstSlot' | 'slots'>,
  period: Period,
  now: number,
): string {
  const [start, end] = [startOf(firstSlot, period), endOfSlot(firstSlot + slots - 1, period)]
  const [first, last] = [Math.floor(start / secondsPerDay), Math.floor((end - 1) / secondsPerDay)]
  const isWhole = start % secondsPerDay === 0 && end % secondsPerDay === 0
  if (isWhole) return shortDays(first, last, now)
  const [from, to] = [clockText(start), clockText(end, last)]
  if (first !== last) return `${shortDay(first, now)}, ${from} h to ${shortDay(last, now)}, ${to} h`
  return `${shortDay(first, now)}, ${from}–${to} h`
}

/** `03`, `03:15`; midnight at the end of a day is 24. @param day of which it is the end */
function clockText(seconds: number, day?: number): string {
  const ofDay = seconds - (day ?? Math.floor(seconds / secondsPerDay)) * secondsPerDay
  const [hour, minute] = [Math.floor(ofDay / 3600), Math.floor((ofDay % 3600) / 60)]
  return `${twoDigits(hour)}${minute === 0 ? '' : `:${twoDigits(minute)}`}`
}
