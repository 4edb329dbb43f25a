/** The availability of a series: the states of its slots, its gaps and its completeness. Pure. */
import type { Completeness, ShareClass } from './completeness.ts'
import { completenessOf, shareClass } from './completeness.ts'
import { lateAfter, usualLatency } from './latency.ts'
import type { SeriesHistory, ShownState, SlotRange, StateRun } from './slot-states.ts'
import { lastThere, slotStates } from './slot-states.ts'

/** The slots of a series in a range, as its page and its CSV show them. */
export interface Availability extends Completeness {
  readonly runs: readonly StateRun<ShownState>[]
  /**
   * Runs of the slots from the first to now that are not delivered and neither due nor future;
   * those of an ended series go to its last file.
   */
  readonly gaps: readonly StateRun[]
  readonly ended: boolean
  /** Number of the delivered slots of the range that are half. */
  readonly half: number
  readonly class: ShareClass | undefined
  /** See `SeriesSummary`. */
  readonly usualLatency: number | undefined
  readonly lateAfter: number
}

/**
 * The availability in a range of slots.
 * @param options.latencies those of the last 28 days in seconds, ascending
 * @param options.asOf seconds since 1970; `undefined` until the first scan has ended
 */
export function availabilityOf(
  history: SeriesHistory,
  {
    range,
    latencies,
    asOf,
  }: {
    readonly range: SlotRange
    readonly latencies: ArrayLike<number>
    readonly asOf: number | undefined
  },
): Availability {
  const { first = Infinity } = history
  const { period } = history.delivered
  const times = { usualLatency: usualLatency(latencies), lateAfter: lateAfter(period, latencies) }
  if (asOf === undefined) return { ...unknownAvailability(range), ...times }
  const { runs, now, ...figures } = slotStates(history, range, { ...times, asOf })
  const completeness = completenessOf(figures)
  const last = now.ended ? (lastThere(history, Infinity) ?? -Infinity) : Infinity
  return {
    ...completeness,
    runs,
    gaps: gapsOf(runs, { from: first, to: last }),
    ended: now.ended,
    half: figures.half,
    class: now.ended ? undefined : shareClass(completeness.completeness),
    ...times,
  }
}

function unknownAvailability({ from, to }: SlotRange) {
  return {
    ...completenessOf({ possible: 0, delivered: 0 }),
    runs: [{ state: 'unknown', firstSlot: from, slots: to - from + 1 }] as const,
    gaps: [],
    ended: false,
    half: 0,
    class: undefined,
  }
}

/** The states of a slot that was possible and not delivered. */
export const gapStates = ['damaged', 'late', 'missing', 'silent'] as const

/** The runs of slots of a range that were possible and not delivered. */
export function gapsOf(runs: readonly StateRun[], { from, to }: SlotRange): readonly StateRun[] {
  return runs.filter(isGap).flatMap((run) => part(run, from, to))
}

function isGap({ state }: StateRun): boolean {
  return gapStates.some((each) => each === state)
}

/** The part of a run between two slots, both included; nothing if there is none. */
export function part<State>(
  run: StateRun<State>,
  first: number,
  last: number,
): readonly StateRun<State>[] {
  const from = Math.max(run.firstSlot, first)
  const end = Math.min(run.firstSlot + run.slots - 1, last)
  return from > end ? [] : [{ state: run.state, firstSlot: from, slots: end - from + 1 }]
}
