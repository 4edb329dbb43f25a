/** How complete the network was in the weeks up to one, from the deliveries in memory. Pure. */
import { sumOf } from '../../series/completeness.ts'
import type { Completeness } from '../../series/completeness.ts'
import { createExpectation } from '../../series/expectation.ts'
import type { Expectation } from '../../series/expectation.ts'
import { deliveryDays, lookbackDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SlotSet } from '../../series/slot-set.ts'
import { weekBeside } from '../../series/weeks.ts'
import type { Week } from '../../series/weeks.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { hasEnded } from './week-report.ts'
import type { WeekShare } from './week-report.ts'

/** Number of weeks in the line of a report. */
const weeksShown = 12

/**
 * The weeks up to a week, the oldest first.
 * @param asOf seconds since 1970
 * @param today the day of the clock, since 1970
 */
export function weeksUpTo(
  series: readonly KnownSeries[],
  week: Week,
  { asOf, today }: { readonly asOf: number; readonly today: number },
): readonly WeekShare[] {
  const weeks = [week]
  for (let oldest = week; weeks.length < weeksShown; weeks.unshift(oldest)) {
    const before = weekBeside(oldest, -1)
    // No week is before GPS week 0.
    if (before.name === oldest.name) break
    oldest = before
  }
  const known = weeks.filter(({ fromDay }) => fromDay - lookbackDays >= today - deliveryDays)
  const counts = new Map(known.map((each) => [each, [] as Counts[]]))
  for (const each of series) {
    const isExpected = expectationOf(each)
    for (const [of, all] of counts) all.push(...countsOf(each, of, { asOf, isExpected }))
  }
  return weeks.map((each) => ({
    week: each.name,
    completeness: sumOf(counts.get(each) ?? []).completeness,
  }))
}

/** Whether a slot is expected; learned from the deliveries when it is asked for the first time. */
function expectationOf({ past: { delivered, rules } }: KnownSeries): (slot: number) => boolean {
  let expectation: Expectation | undefined
  return (slot) => (expectation ??= createExpectation(delivered, rules)).isExpected(slot)
}

type Counts = Pick<Completeness, 'possible' | 'present' | 'expected' | 'delivered'>

/** What was possible and present, as `slotStates` counts it; nothing if it is not of the week. */
function countsOf(
  series: KnownSeries,
  week: Week,
  { asOf, isExpected }: { readonly asOf: number; readonly isExpected: (slot: number) => boolean },
): readonly Counts[] {
  const { period, past, summary } = series
  const { delivered, first = Infinity } = past
  const perDay = slotsPerDay(period)
  const [from, to] = [week.fromDay * perDay, (week.toDay + 1) * perDay - 1]
  // Slots after this one count only if they were delivered.
  const settled = slotAt(asOf - summary.lateAfter, period) - 1
  const last = Math.min(to, slotAt(asOf, period) - 1, lastOf(series))
  const start = Math.max(from, first)
  // Nothing is possible before the first delivered slot.
  if (start > last || hasEnded(series, week)) return []
  const present = countBetween(delivered, start, last)
  const isOfWeek =
    present > 0 ||
    (delivered.firstFrom(from) ?? Infinity) <= to ||
    isAny(isExpected, from, Math.min(to, settled))
  if (!isOfWeek) return []
  const early = countBetween(delivered, Math.max(start, settled + 1), last)
  const possible = Math.max(0, Math.min(last, settled) - start + 1) + early
  return [{ possible, present, expected: 0, delivered: 0 }]
}

/** Number of slots of a set in a range, by whole days where possible. */
function countBetween(set: SlotSet, from: number, to: number): number {
  const perDay = slotsPerDay(set.period)
  let count = 0
  for (let slot = from; slot <= to;) {
    const isWholeDay = slot % perDay === 0 && slot + perDay - 1 <= to
    count += isWholeDay ? set.countOn(slot / perDay) : Number(set.has(slot))
    slot += isWholeDay ? perDay : 1
  }
  return count
}

/** The figures of a series that has ended go to its last file. */
function lastOf({ summary: { ended, lastSlot = -Infinity } }: KnownSeries): number {
  return ended ? lastSlot : Infinity
}

function isAny(isExpected: (slot: number) => boolean, from: number, to: number): boolean {
  for (let slot = from; slot <= to; slot++) if (isExpected(slot)) return true
  return false
}
