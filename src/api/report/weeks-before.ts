/** How complete the network was in the weeks up to one, from the deliveries in memory. Pure. */
import { sumOf } from '../../series/completeness.ts'
import type { Completeness } from '../../series/completeness.ts'
import { createExpectation } from '../../series/expectation.ts'
import { deliveryDays, lookbackDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
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
  return weeks.map((each) => {
    const isInMemory = each.fromDay - lookbackDays >= today - deliveryDays
    const counts = isInMemory ? series.flatMap((one) => countsOf(one, each, asOf)) : []
    return { week: each.name, completeness: sumOf(counts).completeness }
  })
}

type Counts = Pick<Completeness, 'possible' | 'present' | 'expected' | 'delivered'>

/** What was possible and present, as `slotStates` counts it; nothing if it is not of the week. */
function countsOf(series: KnownSeries, week: Week, asOf: number): readonly Counts[] {
  const { period, past, summary } = series
  const { delivered, first = Infinity } = past
  const perDay = slotsPerDay(period)
  const [from, to] = [week.fromDay * perDay, (week.toDay + 1) * perDay - 1]
  // Slots after this one count only if they were delivered.
  const settled = slotAt(asOf - summary.lateAfter, period) - 1
  const last = Math.min(to, slotAt(asOf, period) - 1, lastOf(series))
  if (hasEnded(series, week) || !isOfWeek(series, { from, to }, settled)) return []
  const start = Math.max(from, first)
  let present = 0
  let early = 0
  for (let slot = start; slot <= last; slot++)
    if (delivered.has(slot)) {
      present++
      if (slot > settled) early++
    }
  const possible = Math.max(0, Math.min(last, settled) - start + 1) + early
  return [{ possible, present, expected: 0, delivered: 0 }]
}

/** The figures of a series that has ended go to its last file. */
function lastOf({ summary: { ended, lastSlot = -Infinity } }: KnownSeries): number {
  return ended ? lastSlot : Infinity
}

/** True if a series was delivered in some slots, or expected up to a settled one. */
function isOfWeek(
  { past: { delivered, rules } }: KnownSeries,
  { from, to }: SlotRange,
  settled: number,
): boolean {
  if ((delivered.firstFrom(from) ?? Infinity) <= to) return true
  const { isExpected } = createExpectation(delivered, rules)
  for (let slot = from; slot <= Math.min(to, settled); slot++) if (isExpected(slot)) return true
  return false
}
