/** The availability of a series: the states of its slots, its gaps and its completeness. Pure. */
import { completenessOf, shareClass } from './completeness.ts'
import type { Completeness, Measure, ShareClass } from './completeness.ts'
import type { ExpectedRule } from './expectation.ts'
import { lateAfter, usualLatency } from './latency.ts'
import { slotAt } from './series.ts'
import type { Period } from './series.ts'
import { slotStates } from './slot-states.ts'
import type { ShownState, SlotRange, StateRun } from './slot-states.ts'
import type { SlotSet } from './slot-set.ts'

/**
 * The known past of a series, without slots that begin after now (see `slotAt` for the numbers of
 * slots).
 */
export interface KnownSlots {
  readonly range: SlotRange
  /** Slots with a live record. */
  readonly live: SlotSet
  /**
   * Slots with a live record, or with a removed one. Begins `lookbackDays` before the range, or
   * with the first delivery.
   */
  readonly delivered: SlotSet
  /** The first delivered slot, without misdated ones, and the last one, wherever the range is. */
  readonly first: number | undefined
  readonly last: number | undefined
  /** Latencies of the last 28 days in seconds, ascending. */
  readonly latencies: ArrayLike<number>
  /** Seconds since 1970 from which deliveries are recorded. */
  readonly knownFromSeconds: number
  /** The rules that the file `expected_file` has for the series. */
  readonly rules: readonly ExpectedRule[]
}

export interface Availability extends Completeness {
  readonly runs: readonly StateRun<ShownState>[]
  /**
   * Runs of the slots from the first to now that are not filled and neither due nor future; those
   * of an ended series go to its last file.
   */
  readonly gaps: readonly StateRun[]
  readonly ended: boolean
  readonly class: ShareClass | undefined
  /** See `SeriesSummary`. */
  readonly usualLatency: number | undefined
  readonly lateAfter: number
}

/** @param asOf seconds since 1970; `undefined` until the first scan has ended */
export function availabilityOf(
  known: KnownSlots,
  measure: Measure,
  asOf: number | undefined,
): Availability {
  const { range, live, delivered, first, latencies, rules } = known
  const { period } = delivered
  const times = { usualLatency: usualLatency(latencies), lateAfter: lateAfter(period, latencies) }
  if (asOf === undefined) return { ...unknownAvailability(range), ...times }
  const { runs, now, ...figures } = slotStates(
    { live, delivered, first, lateAfter: times.lateAfter, rules },
    range,
    asOf,
  )
  const completeness = completenessOf(figures, measure)
  const last = now.ended ? (known.last ?? -Infinity) : Infinity
  return {
    ...completeness,
    runs: measure === 'delivered' ? withUnknown(runs, knownSlot(known, period)) : runs,
    gaps: gapsOf(runs, { from: first ?? Infinity, to: last }, measure),
    ended: now.ended,
    class: now.ended ? undefined : shareClass(completeness.completeness),
    ...times,
  }
}

function unknownAvailability({ from, to }: SlotRange) {
  return {
    ...completenessOf(
      { possible: 0, present: 0, removed: 0, expected: 0, delivered: 0 },
      'archived',
    ),
    runs: [{ state: 'unknown', firstSlot: from, slots: to - from + 1 }] as const,
    gaps: [],
    ended: false,
    class: undefined,
  }
}

/** The runs of slots of a range that are not filled, and neither due nor future. */
export function gapsOf(
  runs: readonly StateRun[],
  { from, to }: SlotRange,
  measure: Measure,
): readonly StateRun[] {
  return runs.filter(({ state }) => isGap(state, measure)).flatMap((run) => part(run, from, to))
}

function isGap(state: ShownState, measure: Measure): boolean {
  if (state === 'removed') return measure === 'archived'
  return state === 'late' || state === 'missing' || state === 'silent'
}

/** The part of a run between two slots, both included; nothing if there is none. */
export function part(run: StateRun, first: number, last: number): readonly StateRun[] {
  const from = Math.max(run.firstSlot, first)
  const end = Math.min(run.firstSlot + run.slots - 1, last)
  return from > end ? [] : [{ state: run.state, firstSlot: from, slots: end - from + 1 }]
}

/** The first slot that begins when deliveries were recorded. */
function knownSlot({ knownFromSeconds }: KnownSlots, period: Period): number {
  return slotAt(knownFromSeconds - 1, period) + 1
}

/** Splits the runs of slots without a delivery at the slot from which deliveries are known. */
function withUnknown(runs: readonly StateRun[], known: number): readonly StateRun<ShownState>[] {
  const shown: { state: ShownState; firstSlot: number; slots: number }[] = []
  const show = (state: ShownState, run: StateRun): void => {
    const last = shown.at(-1)
    if (last?.state === state) last.slots += run.slots
    else shown.push({ ...run, state })
  }
  for (const run of runs) {
    const isDelivered = run.state === 'present' || run.state === 'removed'
    if (isDelivered || run.state === 'future') show(run.state, run)
    else {
      for (const early of part(run, -Infinity, known - 1)) show('unknown', early)
      for (const later of part(run, known, Infinity)) show(run.state, later)
    }
  }
  return shown
}
