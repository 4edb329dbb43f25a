/** The states of the slots of a series. Pure. */
import { openExpectation } from './expectation.ts'
import type { ExpectedRule } from './expectation.ts'
import { periodRules } from './series.ts'
import type { Period } from './series.ts'

/**
 * - `present`: a record in `live` has this nominal start.
 * - `removed`: a record with this nominal start was delivered, and is not in `live`.
 * - `future`: nothing was delivered yet, and the slot has not ended.
 * - `silent`: nothing was delivered or expected, and the slot has ended.
 * - `due`: expected, and its usual latency has not passed.
 * - `late`: expected, and its usual latency has passed; the slot ended at most 3 days ago (01D: 7 days).
 * - `missing`: expected, and the slot ended longer ago than a `late` one.
 * - `unknown`: no record, and the slot has ended and began before deliveries were recorded.
 */
export type SlotState =
  'present' | 'removed' | 'future' | 'due' | 'late' | 'missing' | 'silent' | 'unknown'

/** The letter of each state in run-length text. */
export const stateLetters: Readonly<Record<SlotState, string>> = {
  present: 'P',
  removed: 'R',
  future: 'F',
  due: 'D',
  late: 'L',
  missing: 'M',
  silent: 'S',
  unknown: '-',
}

/** The known past of a series. Slot numbers are ascending and without duplicates (see `slotAt`). */
export interface SeriesHistory {
  readonly period: Period
  /** Slots with a live record; all delivered slots if the caller does not distinguish live and removed files. */
  readonly live: ArrayLike<number>
  /** Slots with a record, live or removed. */
  readonly delivered: ArrayLike<number>
  /** Slots that count as delivered in the share; default: `delivered`. */
  readonly counted?: ArrayLike<number>
  /** In seconds, as `usualLatency` of latency.ts computes it. */
  readonly usualLatency: number
  readonly rules?: readonly ExpectedRule[]
  /** The first slot whose deliveries are recorded. By default, the deliveries of all slots are recorded. */
  readonly knownFrom?: number
}

/** Consecutive slots in the same state: the first one, and their number. */
export interface StateRun {
  readonly state: SlotState
  readonly firstSlot: number
  readonly slots: number
}

export interface SlotStates {
  readonly runs: readonly StateRun[]
  /** Number of slots from `knownFrom` on that are expected and whose usual latency has passed. */
  readonly expected: number
  /** Number of the `expected` slots that count as delivered. */
  readonly delivered: number
}

/** The states of slots `from` to `to`, both included, at a time in seconds since 1970. */
export function slotStates(
  history: SeriesHistory,
  range: { readonly from: number; readonly to: number },
  nowSeconds: number,
): SlotStates {
  const { period, live, delivered, usualLatency, rules, knownFrom = -Infinity } = history
  const { seconds, lateFor } = periodRules[period]
  const expectation = openExpectation(period, delivered, rules)
  const [isLive, isDelivered] = [
    openMembership(live, range.from),
    openMembership(delivered, range.from),
  ]
  const isCounted = openMembership(history.counted ?? delivered, range.from)
  const runs: { state: SlotState; firstSlot: number; slots: number }[] = []
  const counts = { expected: 0, delivered: 0 }
  for (let slot = range.from; slot <= range.to; slot++) {
    const ageSeconds = nowSeconds - (slot + 1) * seconds
    const wasDelivered = isDelivered(slot)
    const isExpected = expectation.isExpected(slot)
    const isKnown = slot >= knownFrom
    if (isExpected && isKnown && ageSeconds >= usualLatency) {
      counts.expected++
      if (isCounted(slot)) counts.delivered++
    }
    const state = isLive(slot)
      ? 'present'
      : wasDelivered
        ? 'removed'
        : isKnown || ageSeconds < 0
          ? undeliveredState({ ageSeconds, isExpected, usualLatency, lateFor })
          : 'unknown'
    const last = runs.at(-1)
    if (last?.state === state) last.slots++
    else runs.push({ state, firstSlot: slot, slots: 1 })
  }
  return { runs, ...counts }
}

function undeliveredState(slot: {
  /** Seconds since the end of the slot; negative before its end. */
  readonly ageSeconds: number
  readonly isExpected: boolean
  readonly usualLatency: number
  readonly lateFor: number
}): SlotState {
  if (slot.ageSeconds < 0) return 'future'
  if (!slot.isExpected) return 'silent'
  if (slot.ageSeconds < slot.usualLatency) return 'due'
  return slot.ageSeconds < slot.lateFor ? 'late' : 'missing'
}

/** Returns a function that tells if a slot is in an ascending list. Call it with ascending slots, from the slot `from` on. */
function openMembership(slots: ArrayLike<number>, from: number): (slot: number) => boolean {
  let index = lowerBound(slots, from)
  return (slot) => {
    while (index < slots.length && (slots[index] ?? NaN) < slot) index++
    return slots[index] === slot
  }
}

/** The index of the first value that is not below a bound. */
export function lowerBound(ascending: ArrayLike<number>, bound: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? NaN) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** The union of two ascending lists; ascending, without duplicates. */
export function union(a: readonly number[], b: readonly number[]): number[] {
  const merged: number[] = []
  let [first, second, last] = [0, 0, NaN]
  while (first < a.length || second < b.length) {
    const next = Math.min(a[first] ?? Infinity, b[second] ?? Infinity)
    if (a[first] === next) first++
    else second++
    if (next !== last) merged.push((last = next))
  }
  return merged
}

/** Run-length text of the states: `P365M2`. */
export function stateText(runs: readonly StateRun[]): string {
  return runs.map(({ state, slots }) => `${stateLetters[state]}${slots}`).join('')
}

export const shareClasses = ['good', 'fair', 'poor'] as const
export type ShareClass = (typeof shareClasses)[number]

/**
 * The class of a share, with the limits that the EPN central bureau uses for the shares of four weeks; `undefined` without
 * expected slots.
 */
export function shareClass(share: number | undefined): ShareClass | undefined {
  if (share === undefined) return undefined
  if (share > 0.9) return 'good'
  return share >= 0.8 ? 'fair' : 'poor'
}
