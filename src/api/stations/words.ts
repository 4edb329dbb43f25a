/** Gaps and states of series in words, as people write them into a mail. Pure. */
import { dayOfYearAt, secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { counted, readableDuration } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { periodRules, recentDays } from '../../series/series.ts'
import type { SeriesSummary } from '../../series/series-summary.ts'
import type { SlotState, StateRun } from '../../series/slot-states.ts'
import { slotWords } from '../../series/slot-states.ts'
import { daysWords, dayWords } from '../pages/date-words.ts'

/** `24 November 2026, 05:00`; without the time at midnight. @param seconds since 1970 */
function momentWords(seconds: number): string {
  const day = Math.floor(seconds / secondsPerDay)
  const time = timeWords(seconds)
  return time === '00:00' ? dayWords(day) : `${dayWords(day)}, ${time}`
}

/** People say that data up to midnight end on the day before. */
function lastMoment(end: number): number {
  return end % secondsPerDay === 0 ? end - secondsPerDay : end
}

function timeWords(seconds: number): string {
  return secondsToIso(seconds).slice(11, 16)
}

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

const nouns: Readonly<Record<Period, readonly [one: string, many: string]>> = {
  '15M': ['quarter of an hour', 'quarters of an hour'],
  '01H': ['hour', 'hours'],
  '01D': ['day', 'days'],
}

/** `3 to 31 August 2026: 29 days missing` */
export function gapWords(gap: Gap, period: Period): string {
  const { slots, states } = gap
  const all = Array.from(states, ([state, count]) => [slotWords[state].word, count] as const)
  const [[only] = ['']] = all
  const amount = counted(slots, ...nouns[period])
  const what =
    all.length === 1
      ? `${amount} ${only}`
      : `${amount}, ${all.map(([word, count]) => `${count} ${word}`).join('; ')}`
  return `${timesOfGap(gap, period)}: ${what}`
}

/** The last gaps, the latest first, and how many are left out. */
export function gapLines(gaps: readonly Gap[], period: Period, most: number): readonly string[] {
  const more = gaps.length - most
  const shown = gaps.slice(-most).toReversed()
  return [
    ...shown.map((gap) => gapWords(gap, period)),
    ...(more > 0 ? [`and ${counted(more, 'earlier gap', 'earlier gaps')}`] : []),
  ]
}

function timesOfGap({ firstSlot, slots }: Gap, period: Period): string {
  const { seconds } = periodRules[period]
  const [start, end] = [firstSlot * seconds, (firstSlot + slots) * seconds]
  const [first, last] = [start, end - 1].map((each) => Math.floor(each / secondsPerDay))
  const isWhole = start % secondsPerDay === 0 && end % secondsPerDay === 0
  if (first === undefined || last === undefined || isWhole) return daysWords(first ?? 0, last ?? 0)
  const until = end % secondsPerDay === 0 ? '24:00' : timeWords(end)
  if (first === last) return `${dayWords(first)}, ${timeWords(start)} to ${until}`
  return `${dayWords(first)}, ${timeWords(start)}, to ${dayWords(last)}, ${until}`
}

/** The figures of a state that its sentence needs. */
type Known = Pick<SeriesSummary, 'state' | 'since' | 'ended'> & {
  readonly lateSeconds?: number | undefined
}

/**
 * What follows the word of a state: ` since 15 November, for 9 days`, ` for 12 h, nothing since 15
 * November`. The year is left out if it is that of now.
 */
export function sinceWords(known: Known, nowSeconds: number): string {
  const { state, since, ended, lateSeconds } = known
  if (state === 'unknown') return ': the first scan of the archive has not ended'
  if (since === undefined) return ': nothing was ever delivered'
  const end = thisYear(lastMoment(since), nowSeconds)
  if (ended) return `: its last data end on ${end}`
  if (state === 'silent') return `: no file is expected now; its last data end on ${end}`
  const time = thisYear(since, nowSeconds)
  if (lateSeconds !== undefined)
    return ` for ${readableDuration(lateSeconds)}, nothing since ${time}`
  const age = nowSeconds - since
  if (state === 'present' && age >= recentDays * secondsPerDay)
    return `, without a gap for ${recentDays} days`
  return ` since ${time}, for ${readableDuration(Math.max(0, age))}`
}

function thisYear(seconds: number, nowSeconds: number): string {
  const { year } = dayOfYearAt(nowSeconds)
  return momentWords(seconds).replace(` ${year}`, '')
}
