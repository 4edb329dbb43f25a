/** Finds the slots that are expected and not delivered, and serialises them for clients. Pure. */
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import { secondsToIso } from '../files/serialise.ts'
import type { SeriesStatus } from '../series/network-status.ts'
import type { MissingOrderKey, MissingState, WireMissing } from './schema.ts'

/** A slot that is expected and not delivered, with its series and its state. */
export interface MissingSlot {
  readonly series: SeriesStatus
  readonly slot: number
  readonly state: MissingState
}

/** UTC days since 1970, both included. */
export interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/** The late and missing slots of a series on some days. */
export function missingSlots(
  series: SeriesStatus,
  runs: readonly StateRun[],
  { fromDay, toDay }: DayRange,
): readonly MissingSlot[] {
  const perDay = slotsPerDay(series.period)
  const [from, end] = [fromDay * perDay, (toDay + 1) * perDay]
  return runs.flatMap(({ state, firstSlot, slots }) => {
    if (state !== 'late' && state !== 'missing') return []
    const first = Math.max(firstSlot, from)
    const count = Math.max(0, Math.min(firstSlot + slots, end) - first)
    return Array.from({ length: count }, (_value, index) => ({
      series,
      slot: first + index,
      state,
    }))
  })
}

export function serialiseMissing({ series, slot, state }: MissingSlot): WireMissing {
  const { station, fileType, period, summary } = series
  const { seconds, lateFor } = periodRules[period]
  const end = (slot + 1) * seconds
  const expectedBy = end + summary.usualLatency
  return {
    ...{ station, file_type: fileType, period },
    ...{ start: secondsToIso(slot * seconds), end: secondsToIso(end) },
    ...{ expected_by: secondsToIso(expectedBy), state },
    since: secondsToIso(state === 'late' ? expectedBy : end + lateFor),
  }
}

/** Sorts slots. Slots with equal keys stay in the order of their stations. */
export function sortMissing(
  slots: readonly MissingSlot[],
  { key, descending }: { readonly key: MissingOrderKey; readonly descending: boolean },
): readonly MissingSlot[] {
  const valueOf = ({ series, slot, state }: MissingSlot): number | string => {
    const { seconds, lateFor } = periodRules[series.period]
    const end = (slot + 1) * seconds
    const expectedBy = end + series.summary.usualLatency
    const since = state === 'late' ? expectedBy : end + lateFor
    return { start: slot * seconds, station: series.station, expected_by: expectedBy, since }[key]
  }
  return slots
    .map((each) => ({ each, value: valueOf(each) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value < b.value === descending ? 1 : -1))
    .map(({ each }) => each)
}
