/** Finds the slots that are expected and not delivered. Pure. */
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { DayRange } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import type { SeriesStatus } from '../series/known-series.ts'

export const missingStates = ['late', 'missing'] as const
type MissingState = (typeof missingStates)[number]

/** A slot that is expected and not delivered, with its series and its state. */
export interface MissingSlot {
  readonly series: SeriesStatus
  readonly slot: number
  readonly state: MissingState
}

/** The late and missing slots of a series on some days, ascending. */
export function* missingSlots(
  series: SeriesStatus,
  runs: readonly StateRun[],
  { fromDay, toDay }: DayRange,
): Generator<MissingSlot> {
  const perDay = slotsPerDay(series.period)
  const [from, end] = [fromDay * perDay, (toDay + 1) * perDay]
  for (const { state, firstSlot, slots } of runs) {
    if (state !== 'late' && state !== 'missing') continue
    const last = Math.min(firstSlot + slots, end)
    for (let slot = Math.max(firstSlot, from); slot < last; slot++) yield { series, slot, state }
  }
}

/** The times of a slot in seconds since 1970; `since` is the time since which it has its state. */
export function timesOf({ series, slot, state }: MissingSlot) {
  const { seconds, lateFor } = periodRules[series.period]
  const [start, end] = [slot * seconds, (slot + 1) * seconds]
  const expectedBy = end + series.summary.lateAfter
  return { start, end, expectedBy, since: state === 'late' ? expectedBy : end + lateFor }
}
