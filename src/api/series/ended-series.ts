/**
 * The summaries of series that delivered nothing for so long that none of the last 28 days is
 * expected of them. They differ in few figures, so thousands of them take little time and memory.
 */
import { createExpectation } from '../../series/expectation.ts'
import { endOfSlot, settledDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SeriesPast, SeriesSummary } from '../../series/series-summary.ts'
import { recentSlots, summariseSeries } from '../../series/series-summary.ts'
import { lastThere } from '../../series/slot-states.ts'

/** Returns a function that summarises the series of a network. @param asOf seconds since 1970 */
export function summariser(asOf: number): (past: SeriesPast) => SeriesSummary {
  const like = new Map<string, SeriesSummary>()
  return (past) => {
    const last = lastOfEnded(past, asOf)
    if (last === undefined) return summariseSeries(past, asOf)
    const { delivered, first } = past
    const { period } = delivered
    const today = Math.floor(slotAt(asOf, period) / slotsPerDay(period))
    const ended = createExpectation(delivered).hasEnded(today)
    const key = [period, ended, first === undefined].join()
    const known = like.get(key) ?? summariseSeries(past, asOf)
    like.set(key, known)
    const lastSlot = delivered.lastUpTo(slotAt(asOf, period))
    return { ...known, since: endOfSlot(last, period), lastSlot }
  }
}

/** The last slot with a file of a series that stopped long ago; otherwise `undefined`. */
function lastOfEnded(past: SeriesPast, asOf: number): number | undefined {
  const { period } = past.delivered
  if (past.rules.length > 0 || past.arrivals.slots.length > 0) return undefined
  const last = lastThere(past, Infinity)
  const settled = recentSlots(period, asOf).from - settledDays * slotsPerDay(period)
  return last !== undefined && last < settled ? last : undefined
}
