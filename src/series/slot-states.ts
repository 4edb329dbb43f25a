/** The states of the slots of a series, and the figures of a range of slots. Pure. */
import { createExpectation } from './expectation.ts'
import type { Expectation, ExpectedRule } from './expectation.ts'
import { periodRules, recentDays, slotAt, slotsPerDay } from './series.ts'
import type { Period } from './series.ts'
import type { SlotSet } from './slot-set.ts'

/**
 * The first that holds:
 * - `present`: a record in `live` has this nominal start.
 * - `removed`: a record with this nominal start was delivered, and is not in `live`.
 * - `future`: the slot has not ended.
 * - `due`: the limit of lateness has not passed since the end of the slot.
 * - `silent`: the slot is not expected.
 * - `late`: the slot ended at most 3 days ago (01D: 7 days).
 * - `missing`: the slot ended longer ago.
 */
export type SlotState = 'present' | 'removed' | 'future' | 'due' | 'late' | 'missing' | 'silent'

/**
 * `unknown`: not delivered, and from a time before deliveries were recorded, so that it may have
 * been delivered and removed.
 */
export type ShownState = SlotState | 'unknown'

/** The letter of each state in run-length text. */
export const stateLetters: Readonly<Record<ShownState, string>> = {
  present: 'P',
  removed: 'R',
  future: 'F',
  due: 'D',
  late: 'L',
  missing: 'M',
  silent: 'S',
  unknown: '-',
}

/** The known past of a series (see `slotAt` for the numbers of slots). */
export interface SeriesHistory {
  /** Slots with a live record. */
  readonly live: SlotSet
  /**
   * Slots with a record, live or removed since. Begins `lookbackDays` before the first slot in
   * question, or with the first delivery.
   */
  readonly delivered: SlotSet
  /**
   * The first delivered slot, without misdated ones (see `firstSlot`); `undefined` if there is
   * none.
   */
  readonly first: number | undefined
  /** In seconds, as `lateAfter` of latency.ts computes it. */
  readonly lateAfter: number
  readonly rules: readonly ExpectedRule[]
}

/** Consecutive slots in the same state: the first one, and their number. */
export interface StateRun<State = SlotState> {
  readonly state: State
  readonly firstSlot: number
  readonly slots: number
}

/** First and last slot, both included. */
export interface SlotRange {
  readonly from: number
  readonly to: number
}

/**
 * Figures of a range. Possible slots are those from the first one on that have ended and are not
 * due. The figures of a series that has ended go to its last file.
 */
export interface SlotFigures {
  /** Number of possible slots. */
  readonly possible: number
  /** Number of the possible slots with a live record, and with only removed ones. */
  readonly present: number
  readonly removed: number
  /** Number of slots that are expected, and neither due nor future. */
  readonly expected: number
  /** Number of the `expected` slots that were delivered. */
  readonly delivered: number
}

export interface SlotStates extends SlotFigures {
  readonly runs: readonly StateRun[]
  readonly now: StateNow
}

/**
 * The state of a series follows from its newest slot that is neither due nor future:
 * - `present`: it was delivered.
 * - `silent`: it is not expected.
 * - `late`: the last delivered slot ended at most a day (01D: 3 days) and the limit of lateness
 *   ago.
 * - `down`: it ended longer ago, or there is none.
 *
 * In a series with rules, the slot must also be expected, and be one of the last day's.
 */
export const seriesStates = ['late', 'down', 'silent', 'present', 'unknown'] as const
/** `unknown` until the first scan has ended. */
export type SeriesState = (typeof seriesStates)[number]

export interface StateNow {
  readonly state: Exclude<SeriesState, 'unknown'>
  /**
   * In seconds since 1970: the end of the last delivered slot that has ended; for `present` the
   * start of the run of delivered slots, at most 28 days back. `undefined` if nothing was ever
   * delivered.
   */
  readonly since: number | undefined
  /** Whether the slot that the state follows from is expected. */
  readonly isExpected: boolean
  /**
   * True if the series was expected, and has delivered nothing for so long that it is not any more.
   */
  readonly ended: boolean
}

/**
 * The states of the slots of a range, and its figures.
 * @param history without slots that begin after `asOf`
 * @param asOf seconds since 1970
 */
export function slotStates(history: SeriesHistory, range: SlotRange, asOf: number): SlotStates {
  const { live, delivered, lateAfter, rules } = history
  const { seconds, lateFor } = periodRules[delivered.period]
  const expectation = createExpectation(delivered, rules)
  const now = stateNow(history, expectation, asOf)
  const first = history.first ?? Infinity
  const last = now.ended ? (delivered.lastUpTo(Infinity) ?? -Infinity) : Infinity
  const runs: { state: SlotState; firstSlot: number; slots: number }[] = []
  const figures = { possible: 0, present: 0, removed: 0, expected: 0, delivered: 0 }
  for (let slot = range.from; slot <= range.to; slot++) {
    const ageSeconds = asOf - (slot + 1) * seconds
    const isExpected = expectation.isExpected(slot)
    const filled = live.has(slot) ? 'present' : delivered.has(slot) ? 'removed' : undefined
    const state = filled ?? emptyState({ ageSeconds, isExpected, lateAfter, lateFor })
    const previous = runs.at(-1)
    if (previous?.state === state) previous.slots++
    else runs.push({ state, firstSlot: slot, slots: 1 })
    if (slot > last || state === 'due' || state === 'future') continue
    if (isExpected) {
      figures.expected++
      if (filled !== undefined) figures.delivered++
    }
    if (slot < first || ageSeconds < 0) continue
    figures.possible++
    if (filled !== undefined) figures[filled]++
  }
  return { runs, now, ...figures }
}

/** The states of two ranges, of which the second one begins where the first one ends. */
export function joinStates(first: SlotStates, second: SlotStates): SlotStates {
  const runs = [...first.runs]
  const [last, next] = [first.runs.at(-1), second.runs[0]]
  const isSame = last !== undefined && last.state === next?.state
  if (isSame) runs.splice(-1, 1, { ...last, slots: last.slots + next.slots })
  runs.push(...second.runs.slice(isSame ? 1 : 0))
  return {
    runs,
    now: second.now,
    possible: first.possible + second.possible,
    present: first.present + second.present,
    removed: first.removed + second.removed,
    expected: first.expected + second.expected,
    delivered: first.delivered + second.delivered,
  }
}

function stateNow(history: SeriesHistory, expectation: Expectation, asOf: number): StateNow {
  const { delivered, lateAfter, rules } = history
  const { period } = delivered
  const { seconds, downAfter } = periodRules[period]
  const perDay = slotsPerDay(period)
  const current = slotAt(asOf, period)
  const ended = delivered.lastUpTo(current - 1)
  const since = ended === undefined ? undefined : (ended + 1) * seconds
  // Slots after this one have not ended, or are due, if they were not delivered.
  const settled = slotAt(asOf - lateAfter, period) - 1
  let slot = Math.max(settled, delivered.lastUpTo(current) ?? -Infinity)
  if (rules.length > 0) {
    const isJudged = (each: number): boolean =>
      expectation.isExpected(each) && (each <= settled || delivered.has(each))
    for (slot = current; slot > settled - perDay && !isJudged(slot);) slot--
    if (slot <= settled - perDay) return { state: 'silent', since, isExpected: false, ended: false }
  }
  const isExpected = expectation.isExpected(slot)
  if (delivered.has(slot)) {
    const first = firstOfRun({ delivered, expectation, rules, last: slot, current })
    return { state: 'present', since: first * seconds, isExpected, ended: false }
  }
  if (!isExpected) {
    const day = Math.floor(slot / perDay)
    // A delivery on this very day is a return.
    const returned = (delivered.lastUpTo(slot) ?? -Infinity) >= day * perDay
    const ended = !returned && expectation.hasEnded(day)
    return { state: 'silent', since, isExpected, ended }
  }
  const isLate = since !== undefined && asOf - since <= lateAfter + downAfter
  return { state: isLate ? 'late' : 'down', since, isExpected, ended: false }
}

/**
 * The first slot of a run of delivered slots. In a series with rules, slots that are not expected
 * do not end the run.
 */
function firstOfRun(run: {
  readonly delivered: SlotSet
  readonly expectation: Expectation
  readonly rules: readonly ExpectedRule[]
  readonly last: number
  readonly current: number
}): number {
  const { delivered, expectation, rules, last, current } = run
  const lowest = current - recentDays * slotsPerDay(delivered.period)
  let first = last
  for (let slot = last - 1; slot >= lowest; slot--)
    if (delivered.has(slot)) first = slot
    else if (rules.length === 0 || expectation.isExpected(slot)) break
  return first
}

function emptyState(slot: {
  /** Seconds since the end of the slot; negative before its end. */
  readonly ageSeconds: number
  readonly isExpected: boolean
  readonly lateAfter: number
  readonly lateFor: number
}): SlotState {
  if (slot.ageSeconds < 0) return 'future'
  if (slot.ageSeconds < slot.lateAfter) return 'due'
  if (!slot.isExpected) return 'silent'
  return slot.ageSeconds < slot.lateFor ? 'late' : 'missing'
}

/**
 * Searches the first delivered slot of a series. A slot with no other one within the 28 days after
 * it is passed over: its name has a wrong date. The search yields a slot, and is resumed with the
 * first delivered slot that is not before it; `undefined` if there is none.
 */
export function* firstSlotSearch(
  period: Period,
): Generator<number, number | undefined, number | undefined> {
  let first = yield -Infinity
  while (first !== undefined) {
    const second: number | undefined = yield first + 1
    if (second !== undefined && second - first <= recentDays * slotsPerDay(period)) return first
    first = second
  }
  return undefined
}

/** @param next answers the steps of `firstSlotSearch` */
export function firstSlot(
  next: (slot: number) => number | undefined,
  period: Period,
): number | undefined {
  const search = firstSlotSearch(period)
  let step = search.next()
  while (step.done !== true) step = search.next(next(step.value))
  return step.value
}

/** Run-length text of the states: `P365M2`. */
export function stateText(runs: readonly StateRun<ShownState>[]): string {
  return runs.map(({ state, slots }) => `${stateLetters[state]}${slots}`).join('')
}
