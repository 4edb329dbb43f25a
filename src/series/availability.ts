/** The availability of a series: the states of its slots, its share and its class. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'
import type { ExpectedRule } from './expectation.ts'
import { usualLatency } from './latency.ts'
import { learningDays, periodRules, slotAt } from './series.ts'
import type { Period } from './series.ts'
import { shareClass, slotStates, union } from './slot-states.ts'
import type { StateRun } from './slot-states.ts'

/** The files that fill a slot. `archived`: only live files. `delivered`: all delivered files, live or removed. */
export const measures = ['archived', 'delivered'] as const
export type Measure = (typeof measures)[number]

/** The known slots of a series; ascending, without duplicates (see `slotAt`). */
export interface KnownSlots {
  readonly period: Period
  readonly from: number
  readonly to: number
  readonly live: readonly number[]
  /** Slots with a recorded delivery, even if the file was removed since. */
  readonly recorded: readonly number[]
  /** Latencies of the last 28 days in seconds, ascending. */
  readonly latencies: readonly number[]
  /** Seconds since 1970 from which deliveries are recorded. */
  readonly knownFromSeconds: number
  /** The rules that the file `expected_file` has for the series. */
  readonly rules: readonly ExpectedRule[]
}

export interface Availability {
  readonly runs: readonly StateRun[]
  /** Number of slots from `knownFromSeconds` on that are expected and whose usual latency has passed. */
  readonly expected: number
  /** Number of the `expected` slots that are filled, as the measure counts. */
  readonly delivered: number
  /** 0 to 1; `undefined` without expected slots. */
  readonly share: number | undefined
  readonly class: ReturnType<typeof shareClass>
  /** The latency that is usual for the series, in seconds. */
  readonly usualLatency: number
}

/** The slots of the last 28 days, from which the usual latency is computed. */
export function learningSlots(period: Period, nowSeconds: number): { from: number; to: number } {
  const from = slotAt(nowSeconds - learningDays * secondsPerDay, period)
  return { from, to: slotAt(nowSeconds, period) }
}

export function availabilityOf(
  known: KnownSlots,
  measure: Measure,
  nowSeconds: number,
): Availability {
  const { period, from, to, live, recorded, latencies, knownFromSeconds, rules } = known
  const delivered = union(live, recorded)
  const usual = usualLatency(period, latencies)
  const shown = measure === 'archived' ? live : delivered
  const states = slotStates(
    {
      period,
      live: shown,
      delivered,
      counted: shown,
      usualLatency: usual,
      rules,
      knownFrom: Math.ceil(knownFromSeconds / periodRules[period].seconds),
    },
    { from, to },
    nowSeconds,
  )
  const share = states.expected === 0 ? undefined : states.delivered / states.expected
  return { ...states, share, class: shareClass(share), usualLatency: usual }
}
