/** When the first missing slot of a series that is late or down was late. Pure. */
import { secondsPerHour } from '../parse/calendar.ts'
import { createExpectation } from './expectation.ts'
import { periodRules, slotsPerDay } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'
import type { SlotState } from './slot-states.ts'
import type { StationSeries } from './station-states.ts'

/** A loss is an alert when it has been late for this time, or for its limit if that is longer. */
export const patienceSeconds = secondsPerHour

/** From when on a series is missed. */
export interface DueTimes {
  /** Time at which the first missing slot was late, in seconds since 1970. */
  readonly due: number
  /** Time from which on the loss is an alert. */
  readonly alertFrom: number
}

/** `undefined` for a series that is neither late nor down. */
export function dueTimes(series: Omit<StationSeries, 'station'>): DueTimes | undefined {
  const { summary, period } = series
  const { state, lateAfter } = summary
  if (state !== 'late' && state !== 'down') return undefined
  const { seconds } = periodRules[period]
  const due = (firstLost(summary, series.past, seconds) + 1) * seconds + lateAfter
  return { due, alertFrom: due + Math.max(patienceSeconds, lateAfter) }
}

const isLost = (state: SlotState): boolean => state === 'late' || state === 'missing'

/** States of slots that are a sign of life: they end a loss. */
const isThere = (state: SlotState): boolean =>
  state === 'present' || state === 'removed' || state === 'damaged'

/**
 * The first of the last late or missing slots that have no file between them. In a series with
 * rules, a slot that is not expected may have a file after them. The series must have a late or
 * missing slot.
 */
function firstLost(
  { runs, since }: Pick<SeriesSummary, 'runs' | 'since'>,
  past: StationSeries['past'],
  seconds: number,
): number {
  let slot = NaN
  for (const { state, firstSlot } of runs.toReversed()) {
    if (isLost(state)) slot = firstSlot
    else if (!Number.isNaN(slot) && isThere(state)) return slot
  }
  // The runs begin 28 days ago. A loss that is longer began after the last slot with a file.
  if (past.rules.length > 0) return firstExpected(past, since && since / seconds, slot)
  return slot === runs[0]?.firstSlot && since !== undefined ? since / seconds : slot
}

/**
 * The first slot that rules expect, from a slot on.
 * @param from the slot after the last one with a file; without one, the rules begin the search
 * @param latest is expected
 */
function firstExpected(
  { delivered, rules }: StationSeries['past'],
  from: number | undefined,
  latest: number,
): number {
  const perDay = slotsPerDay(delivered.period)
  const begins = rules.map(({ fromDay }) => (fromDay === undefined ? latest : fromDay * perDay))
  const { isExpected } = createExpectation(delivered, rules)
  let slot = Math.min(latest, from ?? Math.min(...begins))
  while (slot < latest && !isExpected(slot)) slot++
  return slot
}
