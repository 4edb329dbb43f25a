/** Learns from delivered slots on which days a series is expected. Pure. */
import { learningDays, periodRules, slotsPerDay } from './series.ts'
import type { Period } from './series.ts'

/** Slots of a series that must arrive, whatever was delivered before; see `expected.toml`. */
export interface ExpectedRule {
  /** UTC days since 1970, both ends included; without one, open. */
  readonly fromDay: number | undefined
  readonly toDay: number | undefined
  /** Hours of the day in which slots begin; without them, all. */
  readonly hours: ReadonlySet<number> | undefined
}

/** Determines whether slots are expected. Query days in ascending order: the window of 28 days moves with them. */
export interface Expectation {
  readonly isExpected: (slot: number) => boolean
}

/**
 * A series is expected on a UTC day if, in the 28 whole days before it, at least 96 (15M), 24 (01H) or 3 (01D) slots were delivered,
 * and at least half of the slots since the first delivered one. Rules for the series replace this.
 * @param delivered slot numbers, ascending, without duplicates
 */
export function openExpectation(
  period: Period,
  delivered: ArrayLike<number>,
  rules: readonly ExpectedRule[] = [],
): Expectation {
  const perDay = slotsPerDay(period)
  if (rules.length > 0)
    return { isExpected: (slot) => rules.some((rule) => holds(rule, slot, perDay)) }
  const { learnedAfter } = periodRules[period]
  let knownDay = -Infinity
  let isDayExpected = false
  let [first, end] = [0, 0]
  return {
    isExpected(slot) {
      const day = Math.floor(slot / perDay)
      if (day === knownDay) return isDayExpected
      knownDay = day
      const [windowStart, windowEnd] = [(day - learningDays) * perDay, day * perDay]
      while (end < delivered.length && at(delivered, end) < windowEnd) end++
      while (first < end && at(delivered, first) < windowStart) first++
      const count = end - first
      isDayExpected = count >= learnedAfter && count >= (windowEnd - at(delivered, first)) / 2
      return isDayExpected
    },
  }
}

function holds({ fromDay, toDay, hours }: ExpectedRule, slot: number, perDay: number): boolean {
  const day = Math.floor(slot / perDay)
  if (day < (fromDay ?? -Infinity) || day > (toDay ?? Infinity)) return false
  const hour = Math.floor(((slot - day * perDay) * 24) / perDay)
  return hours?.has(hour) ?? true
}

function at(slots: ArrayLike<number>, index: number): number {
  return slots[index] ?? NaN
}
