/** The state of a series now, and what it delivered in the last 28 days. Pure. */
import type { SeriesDeliveries } from './delivery-window.ts'
import type { ExpectedRule } from './expectation.ts'
import { usualLatency } from './latency.ts'
import { learningDays, periodRules, slotAt, slotsPerDay } from './series.ts'
import type { Period } from './series.ts'
import { lowerBound, shareClass, slotStates } from './slot-states.ts'
import type { ShareClass, SlotState, StateRun } from './slot-states.ts'

/**
 * The state of the newest slot that has ended and is not `due`; in a series with rules, the slot must not be `silent` either. The
 * state is `present` if the slot was delivered, even if the file was removed since. It is `silent` also for a series of which no
 * slot is expected or delivered.
 */
export const seriesStates = ['late', 'missing', 'silent', 'present', 'unknown'] as const
export type SeriesState = (typeof seriesStates)[number]

export interface SeriesHistory {
  readonly period: Period
  /** Deliveries of at least the last 57 days. */
  readonly deliveries: SeriesDeliveries
  /** Seconds since 1970 from which deliveries are recorded. */
  readonly knownFromSeconds: number
  /** Start of the newest data of a live file, in seconds since 1970. */
  readonly lastStart: number | undefined
  readonly rules?: readonly ExpectedRule[]
}

export interface SeriesSummary {
  readonly state: SeriesState
  /**
   * First slot of the present run. In a run, every slot was delivered, or none was. Slots that are due do not count, and in a
   * series with rules, slots that are not expected do not count either. A run of delivered slots begins at most 28 days ago.
   * `undefined` if nothing was ever delivered.
   */
  readonly sinceSlot: number | undefined
  /** The latency that is usual for the series, in seconds. */
  readonly usualLatency: number
  /** The newest delivered slot; `undefined` if there is none. */
  readonly lastSlot: number | undefined
  /** Time of the latest arrival of a file of any slot, in seconds since 1970. Counts only files that were seen arriving. */
  readonly lastArrival: number | undefined
  /** Number of slots of the last 28 days that are expected and whose usual latency has passed. */
  readonly expected: number
  /** Number of the `expected` slots that were delivered. */
  readonly delivered: number
  /** 0 to 1; `undefined` without expected slots. */
  readonly share: number | undefined
  readonly class: ShareClass | undefined
  /**
   * Share of the arrivals of the last 28 days that were within the target of the period, 0 to 1; `undefined` without arrivals.
   */
  readonly withinTarget: number | undefined
  /** The states of the slots of the last 28 days and of the current slot. */
  readonly runs: readonly StateRun[]
}

export function summariseSeries(history: SeriesHistory, nowSeconds: number): SeriesSummary {
  const { period, deliveries, knownFromSeconds, rules = [] } = history
  const { seconds, leastUsual } = periodRules[period]
  const { slots, latencies } = deliveries
  const current = slotAt(nowSeconds, period)
  const range = { from: current - learningDays * slotsPerDay(period), to: current }
  // A typed array sorts numbers without a comparison function.
  const arrived = Int32Array.from(
    latencies
      .slice(lowerBound(slots, range.from), lowerBound(slots, range.to + 1))
      .filter((latency) => latency >= 0),
  ).sort()
  const usual = usualLatency(period, arrived)
  const { runs, expected, delivered } = slotStates(
    {
      ...{ period, live: slots, delivered: slots, usualLatency: usual },
      rules,
      knownFrom: Math.ceil(knownFromSeconds / seconds),
    },
    range,
    nowSeconds,
  )
  const judged = runs.filter(
    ({ state }) =>
      state !== 'future' &&
      state !== 'due' &&
      // A rule may expect only some hours of the day; the other hours do not make the series silent.
      !(state === 'silent' && rules.length > 0),
  )
  const share = expected === 0 ? undefined : delivered / expected
  const lastSlot = lastSlotOf(history)
  return {
    ...stateOf(judged, lastSlot),
    ...{ usualLatency: usual, lastSlot, lastArrival: lastArrivalOf(deliveries, seconds) },
    ...{ expected, delivered, share, class: shareClass(share), runs },
    withinTarget:
      arrived.length === 0 ? undefined : lowerBound(arrived, leastUsual + 1) / arrived.length,
  }
}

function stateOf(
  judged: readonly StateRun[],
  lastSlot: number | undefined,
): Pick<SeriesSummary, 'state' | 'sinceSlot'> {
  const state = asSeriesState(judged.at(-1)?.state ?? 'silent')
  const isPresent = (run: StateRun): boolean => asSeriesState(run.state) === 'present'
  const other = judged.findLastIndex((run) => isPresent(run) !== (state === 'present'))
  const firstSlot = judged[other + 1]?.firstSlot
  if (other >= 0 || state === 'present') return { state, sinceSlot: firstSlot }
  // Nothing was delivered in 28 days.
  return { state, sinceSlot: lastSlot === undefined ? undefined : lastSlot + 1 }
}

function asSeriesState(state: SlotState): SeriesState {
  if (state === 'removed') return 'present'
  return state === 'due' || state === 'future' ? 'silent' : state
}

function lastSlotOf({ deliveries, lastStart, period }: SeriesHistory): number | undefined {
  const live = lastStart === undefined ? -Infinity : slotAt(lastStart, period)
  const last = Math.max(deliveries.slots.at(-1) ?? -Infinity, live)
  return last === -Infinity ? undefined : last
}

function lastArrivalOf(
  { slots, latencies }: SeriesDeliveries,
  seconds: number,
): number | undefined {
  let last = -Infinity
  slots.forEach((slot, index) => {
    const latency = latencies[index] ?? -1
    if (latency >= 0) last = Math.max(last, (slot + 1) * seconds + latency)
  })
  return last === -Infinity ? undefined : last
}
