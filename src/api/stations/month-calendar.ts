/** The months of a series: what each day has. Pure. */
import { dateOf, secondsPerDay } from '../../parse/calendar.ts'
import { slotsPerDay } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import type { SlotState, StateRun } from '../../series/slot-states.ts'
import { monthWords } from '../pages/date-words.ts'

/** The look of a day: `part` has files and lacks others. */
export type DayState = Exclude<SlotState, 'future'> | 'part'

interface CalendarDay {
  /** UTC day since 1970. */
  readonly day: number
  readonly date: number
  /** `undefined` outside of the series: before its first slot, and in the future. */
  readonly state: DayState | undefined
  readonly text: string
}

interface CalendarMonth {
  /** `November 2026` */
  readonly label: string
  /** The weekday of the first day: 1 for Monday, 7 for Sunday. */
  readonly weekday: number
  readonly days: readonly CalendarDay[]
}

/** The order in which the state of a day is chosen from those of its slots. */
const order: readonly SlotState[] = [
  'missing',
  'late',
  'damaged',
  'removed',
  'silent',
  'due',
  'future',
]

interface CalendarQuery {
  readonly period: Period
  readonly runs: readonly StateRun[]
  /** First and last slot of the series. */
  readonly first: number
  readonly last: number
}

/**
 * The last months up to that of the last slot, the newest first, none before the first slot.
 * @param most number of months
 */
export function monthsOf(
  { period, runs, first, last }: CalendarQuery,
  most: number,
): readonly CalendarMonth[] {
  const perDay = slotsPerDay(period)
  const [firstDay, lastDay] = [Math.floor(first / perDay), Math.floor(last / perDay)]
  const end = dateOf(lastDay)
  const start = dateOf(firstDay)
  const count = (end.year - start.year) * 12 + end.month - start.month + 1
  const all = Array.from({ length: Math.max(0, Math.min(count, most)) }, (_, back) =>
    monthAt(end.year, end.month - back),
  )
  const earliest = all.at(-1)?.firstDay ?? lastDay
  const counts = countsByDay(runs, { perDay, first: Math.max(first, earliest * perDay), last })
  return all.map(({ label, firstDay: from, length }) => ({
    label,
    // 1970-01-01 was a Thursday.
    weekday: ((from + 3) % 7) + 1,
    days: Array.from({ length }, (_, index) => {
      const day = from + index
      return { day, date: index + 1, ...dayOf(counts.get(day), perDay) }
    }),
  }))
}

/** @param month from 1; below 1 for the years before */
function monthAt(year: number, month: number) {
  const startOf = (each: number) => Date.UTC(year, each - 1) / 1000 / secondsPerDay
  const firstDay = startOf(month)
  return { label: monthWords(dateOf(firstDay)), firstDay, length: startOf(month + 1) - firstDay }
}

type Counts = Partial<Record<SlotState, number>>

function countsByDay(
  runs: readonly StateRun[],
  { perDay, first, last }: { perDay: number; first: number; last: number },
): ReadonlyMap<number, Counts> {
  const counts = new Map<number, Counts>()
  for (const { state, firstSlot, slots } of runs) {
    const end = Math.min(firstSlot + slots - 1, last)
    for (let slot = Math.max(firstSlot, first); slot <= end; slot++) {
      const day = Math.floor(slot / perDay)
      const known = counts.get(day) ?? {}
      counts.set(day, known)
      known[state] = (known[state] ?? 0) + 1
    }
  }
  return counts
}

function dayOf(counts: Counts | undefined, perDay: number): Pick<CalendarDay, 'state' | 'text'> {
  const present = counts?.present ?? 0
  if (counts === undefined) return { state: undefined, text: '' }
  const worst = order.find((state) => counts[state] !== undefined) ?? 'present'
  const files = perDay === 1 ? '' : `${present} of ${perDay} files`
  // What is not expected lacks in no day that has files.
  const lacksNothing = ['present', 'silent', 'due', 'future'].includes(worst)
  if (present > 0 && lacksNothing) return { state: 'present', text: files || 'present' }
  if (present > 0) return { state: 'part', text: files }
  return worst === 'future' ? { state: undefined, text: '' } : { state: worst, text: worst }
}
