/** The states of the slots of a series, and the figures of a range of slots. Pure. */
import type { Expectation, ExpectedRule } from './expectation.ts'
import { createExpectation } from './expectation.ts'
import { periodRules, recentDays, slotAt, slotsPerDay } from './series.ts'
import type { SlotSet } from './slot-set.ts'

/**
 * The first that holds:
 * - `present`: a live record in the slot is not damaged.
 * - `removed`: it was delivered, and no live record in it is undamaged.
 * - `damaged`: all of its live records are damaged.
 * - `future`: the slot has not ended.
 * - `due`: the limit of lateness has not passed since the end of the slot.
 * - `silent`: the slot is not expected.
 * - `late`: the slot ended at most 3 days ago (01D: 7 days).
 * - `missing`: the slot ended longer ago.
 */
export type SlotState =
  'present' | 'removed' | 'damaged' | 'future' | 'due' | 'late' | 'missing' | 'silent'

/** `unknown`: before the first scan has ended. */
export type ShownState = SlotState | 'unknown'

/** The states in words, the worst first. The letter is that of run-length text. */
export const slotWords: Readonly<
  Record<ShownState, { readonly letter: string; readonly word: string; readonly what?: string }>
> = {
  missing: { letter: 'M', word: 'missing' },
  late: { letter: 'L', word: 'late' },
  damaged: { letter: 'X', word: 'damaged', what: 'all of its files' },
  removed: { letter: 'R', word: 'removed' },
  silent: { letter: 'S', word: 'absent, not expected', what: 'not expected' },
  due: { letter: 'D', word: 'due' },
  future: { letter: 'F', word: 'future' },
  present: { letter: 'P', word: 'present' },
  unknown: { letter: '-', word: 'unknown', what: 'until the first scan has ended' },
}

/**
 * The slots of a series with a damaged live record, and when the first of these was found to be
 * damaged, in seconds since 1970.
 */
export type DamagedSlots = ReadonlyMap<number, number>

/** The known past of a series, without slots that begin after now (see `slotAt`). */
export interface SeriesHistory {
  /** Slots with a live record that is not damaged; without it, all delivered ones. */
  readonly live?: SlotSet
  /**
   * Slots with a record that is not damaged, live or removed since. Begins `lookbackDays` before
   * the first slot in question, or with the first delivery.
   */
  readonly delivered: SlotSet
  readonly damaged: DamagedSlots
  /** Slots that have ended and are half (see half.ts); without it, none. */
  readonly half?: SlotSet | undefined
  /** The first delivered slot, wherever the slots in question are. */
  readonly first: number | undefined
  readonly rules: readonly ExpectedRule[]
}

/** When the states of a series are looked at. */
export interface Looking {
  /** Seconds since 1970. */
  readonly asOf: number
  /** The limit of lateness in seconds, as `lateAfter` of latency.ts computes it. */
  readonly lateAfter: number
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
 * Figures of a range. Possible slots are those from the first delivered one on that have ended and
 * are not due. The figures of a series that has ended go to its last file.
 */
export interface SlotFigures {
  readonly possible: number
  /** Number of the possible slots that were delivered. */
  readonly delivered: number
  /** Number of the delivered slots that are half. */
  readonly half: number
  /** Number of slots that are expected, and neither due nor future. */
  readonly expected: number
}

/** The states of a range of slots, and of the series now. */
export interface SlotStates extends SlotFigures {
  readonly runs: readonly StateRun[]
  readonly now: StateNow
}

/**
 * The state of a series follows from its newest slot that is neither due nor future. A damaged file
 * is no delivery, but a sign of life.
 * - `present`: the slot is delivered or damaged.
 * - `silent`: it is not expected.
 * - `late`: the last slot that is delivered or damaged ended at most a day (01D: 3 days) and the
 *   limit of lateness ago.
 * - `down`: it ended longer ago, or there is none.
 *
 * In a series with rules, the slot must also be expected, and be one of the last day's. `unknown`
 * until the first scan has ended.
 */
export type SeriesState = 'down' | 'late' | 'present' | 'silent' | 'unknown'

/** The state of a series, and since when it has it. */
interface StateNow {
  readonly state: Exclude<SeriesState, 'unknown'>
  /**
   * In seconds since 1970: the end of the last slot that has ended and is delivered or damaged; for
   * `present` the start of the run of such slots, at most 28 days back. `undefined` without one.
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
 */
export function slotStates(
  history: SeriesHistory,
  range: SlotRange,
  { asOf, lateAfter }: Looking,
): SlotStates {
  const { delivered, live = delivered, damaged, half, rules } = history
  const { seconds, lateFor } = periodRules[delivered.period]
  const expectation = createExpectation(delivered, rules)
  const now = stateNow(history, expectation, { asOf, lateAfter })
  const first = history.first ?? Infinity
  const last = now.ended ? (lastThere(history, Infinity) ?? -Infinity) : Infinity
  const runs: { state: SlotState; firstSlot: number; slots: number }[] = []
  const figures = { possible: 0, delivered: 0, half: 0, expected: 0 }
  for (let slot = range.from; slot <= range.to; slot++) {
    const ageSeconds = asOf - (slot + 1) * seconds
    const isExpected = expectation.isExpected(slot)
    const isDelivered = delivered.has(slot)
    const filled = live.has(slot) ? 'present' : isDelivered ? 'removed' : undefined
    const there = filled ?? (damaged.has(slot) ? 'damaged' : undefined)
    const state = there ?? emptyState({ ageSeconds, isExpected, lateAfter, lateFor })
    const previous = runs.at(-1)
    if (previous?.state === state) previous.slots++
    else runs.push({ state, firstSlot: slot, slots: 1 })
    if (slot > last || state === 'due' || state === 'future') continue
    if (isExpected) figures.expected++
    if (slot < first || ageSeconds < 0) continue
    figures.possible++
    if (isDelivered) figures.delivered++
    if (state === 'present' && half?.has(slot) === true) figures.half++
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
    delivered: first.delivered + second.delivered,
    half: first.half + second.half,
    expected: first.expected + second.expected,
  }
}

/** The last slot up to one that is delivered or damaged; `undefined` if there is none. */
export function lastThere(
  { delivered, damaged }: Pick<SeriesHistory, 'delivered' | 'damaged'>,
  slot: number,
): number | undefined {
  let last = delivered.lastUpTo(slot) ?? -Infinity
  for (const each of damaged.keys()) if (each <= slot) last = Math.max(last, each)
  return last === -Infinity ? undefined : last
}

function stateNow(
  history: SeriesHistory,
  expectation: Expectation,
  { asOf, lateAfter }: Looking,
): StateNow {
  const { delivered, damaged, rules } = history
  const { period } = delivered
  const { seconds, downAfter } = periodRules[period]
  const perDay = slotsPerDay(period)
  const current = slotAt(asOf, period)
  const isThere = (slot: number): boolean => delivered.has(slot) || damaged.has(slot)
  const ended = lastThere(history, current - 1)
  const since = ended === undefined ? undefined : (ended + 1) * seconds
  // Slots after this one have not ended, or are due, if no file is there.
  const settled = slotAt(asOf - lateAfter, period) - 1
  let slot = Math.max(settled, lastThere(history, current) ?? -Infinity)
  if (rules.length > 0) {
    const isJudged = (each: number): boolean =>
      expectation.isExpected(each) && (each <= settled || isThere(each))
    for (slot = current; slot > settled - perDay && !isJudged(slot);) slot--
    if (slot <= settled - perDay) return { state: 'silent', since, isExpected: false, ended: false }
  }
  const isExpected = expectation.isExpected(slot)
  if (isThere(slot)) {
    const endsRun = (each: number): boolean => rules.length === 0 || expectation.isExpected(each)
    const lowest = current - recentDays * perDay
    const first = firstOfRun({ isThere, endsRun, last: slot, lowest })
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

/** The first slot of the run of slots with files that ends with `last`. */
function firstOfRun(run: {
  readonly isThere: (slot: number) => boolean
  /** Whether a slot without a file ends the run. */
  readonly endsRun: (slot: number) => boolean
  readonly last: number
  readonly lowest: number
}): number {
  let first = run.last
  for (let slot = run.last - 1; slot >= run.lowest; slot--)
    if (run.isThere(slot)) first = slot
    else if (run.endsRun(slot)) break
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

/** Run-length text of the states: `P365M2`. */
export function stateText(runs: readonly StateRun<ShownState>[]): string {
  return runs.map(({ state, slots }) => `${slotWords[state].letter}${slots}`).join('')
}
