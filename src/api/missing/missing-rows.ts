/** Finds the slots that are expected and not delivered, and serialises them for clients. Pure. */
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { DayRange } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import { secondsToIso } from '../http/times.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { missingPattern } from './name-patterns.ts'
import type { MissingOrderKey, MissingState, WireMissing } from './schema.ts'

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

export function serialiseMissing(missing: MissingSlot): WireMissing {
  const { series, slot, state } = missing
  const { start, end, expectedBy, since } = timesOf(missing)
  return {
    station: series.station,
    file_type: series.fileType,
    period: series.period,
    start: secondsToIso(start),
    end: secondsToIso(end),
    expected_by: secondsToIso(expectedBy),
    state,
    since: secondsToIso(since),
    name: missingPattern(series, slot),
  }
}

/** The times of a slot in seconds since 1970; `since` is the time since which it has its state. */
function timesOf({ series, slot, state }: MissingSlot) {
  const { seconds, lateFor } = periodRules[series.period]
  const [start, end] = [slot * seconds, (slot + 1) * seconds]
  const expectedBy = end + series.summary.lateAfter
  return { start, end, expectedBy, since: state === 'late' ? expectedBy : end + lateFor }
}

/** Sorts slots. Slots with equal keys stay in the order of their stations. */
export function sortMissing(
  slots: readonly MissingSlot[],
  { key, descending }: { readonly key: MissingOrderKey; readonly descending: boolean },
): readonly MissingSlot[] {
  const valueOf = (each: MissingSlot): number | string => {
    if (key === 'station') return each.series.station
    const { start, expectedBy, since } = timesOf(each)
    return { start, expected_by: expectedBy, since }[key]
  }
  return slots
    .map((each) => ({ each, value: valueOf(each) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value < b.value === descending ? 1 : -1))
    .map(({ each }) => each)
}
