/**
 * The words of availability, computed slot by slot from their definitions: slow, and without
 * anything of `src/series`. Slots, seconds and UTC days are counted from the beginning of 1970.
 */

export type Period = '15M' | '01H' | '01D'
type SlotWord = 'present' | 'removed' | 'damaged' | 'future' | 'due' | 'silent' | 'late' | 'missing'
type Class = 'good' | 'fair' | 'poor'

/** A range of slots, both included. */
export interface Range {
  from: number
  to: number
}

/** A line of `expected_file`: days and hours of the day in which the expected slots begin. */
export interface Rule {
  fromDay?: number
  toDay?: number
  hours?: ReadonlySet<number>
}

export interface History {
  period: Period
  /**
   * Every slot ever delivered, with the latency of its first record that is not damaged; undefined
   * after a scan.
   */
  delivered: ReadonlyMap<number, number | undefined>
  /** The slots that have a live record which is not damaged. */
  live: ReadonlySet<number>
  /** The slots that have a damaged live record, and when the first was found to be damaged. */
  damaged: ReadonlyMap<number, number>
  /** The slots whose good live records all hold less than half of their epochs. */
  half?: ReadonlySet<number>
  asOf: number
  /** Without rules the expectation is learned from the deliveries. */
  rules?: readonly Rule[]
}

export interface NowAnswer {
  state: 'present' | 'late' | 'down' | 'silent'
  ended: boolean
  since: number | null
  usual_s: number | null
  late_after_s: number
  /** Start of the last delivered slot. */
  last_slot: number | null
  last_arrival: number | null
  possible_28d: number
  delivered_28d: number
  half_28d: number
  completeness_28d: number | null
  expected_28d: number
  within_target_28d: number | null
  class: Class | null
}

/** Start of the first and end of the last slot of an absent stretch, their number and state. */
type Gap = [from: number, to: number, slots: number, state: SlotWord]

export interface RangeAnswer {
  /** Run-length text, for example `P365M2`. */
  states: string
  /** Starts of the first and of the last delivered slot of the series. */
  first: number | null
  last: number | null
  ended: boolean
  slots: number
  possible: number
  delivered: number
  half: number
  completeness: number | null
  class: Class | null
  gaps: Gap[]
  spans: [from: number, to: number][]
}

export interface MissingSlot {
  slot: number
  state: 'late' | 'missing' | 'damaged' | 'half'
  expected_by: number
  since: number
}

const hour = 3600
const day = 24 * hour

/** What differs between the periods; all times in seconds. */
const constants = {
  '15M': { seconds: 900, steady: 96, target: 300, shortest: 300, arrivals: 24, unknown: hour },
  '01H': { seconds: hour, steady: 24, target: 600, shortest: 600, arrivals: 24, unknown: hour },
  '01D': { seconds: day, steady: 3, target: 7200, shortest: 7200, arrivals: 3, unknown: day },
}

const letters: Record<SlotWord, string> = {
  present: 'P',
  removed: 'R',
  damaged: 'X',
  future: 'F',
  due: 'D',
  silent: 'S',
  late: 'L',
  missing: 'M',
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const classOf = (completeness: number | null): Class | null =>
  completeness === null ? null : completeness > 0.9 ? 'good' : completeness >= 0.8 ? 'fair' : 'poor'

/** The smallest value that at least `percent` % of the values do not exceed. */
function nearestRank(values: readonly number[], percent: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil((percent * sorted.length) / 100) - 1]
}

/** Computes the value of each day only once, which changes nothing but the time. */
function once<T>(compute: (day: number) => T): (day: number) => T {
  const known = new Map<number, T>()
  return (day) => {
    if (!known.has(day)) known.set(day, compute(day))
    return known.get(day) as T
  }
}

class Series {
  readonly #history: History
  readonly #constants: (typeof constants)[Period]
  readonly perDay: number
  readonly #isDaily: boolean
  readonly #rules: readonly Rule[]
  /** The delivered slots that do not begin after `as_of`, in order. */
  readonly slots: readonly number[]
  /** The same of those that are delivered or damaged. */
  readonly #there: readonly number[]
  readonly #delivered: ReadonlySet<number>
  readonly #deliveredDays: ReadonlySet<number>
  readonly lateAfter: number
  readonly first: number | undefined
  readonly last: number | undefined
  /** The newest slot that is neither due nor future, and with rules expected by them. */
  readonly newest: number | undefined
  readonly ended: boolean

  constructor(history: History) {
    this.#history = history
    this.#constants = constants[history.period]
    this.perDay = day / this.#constants.seconds
    this.#isDaily = history.period === '01D'
    this.#rules = history.rules ?? []
    this.slots = [...history.delivered.keys()]
      .filter((slot) => this.start(slot) <= history.asOf)
      .sort((a, b) => a - b)
    this.#delivered = new Set(this.slots)
    this.#there = [...new Set([...this.slots, ...history.damaged.keys()])]
      .filter((slot) => this.start(slot) <= history.asOf)
      .sort((a, b) => a - b)
    this.#deliveredDays = new Set(this.slots.map((slot) => this.#dayOf(slot)))
    this.lateAfter = this.#findLateAfter()
    this.first = this.slots[0]
    this.last = this.slots.at(-1)
    this.newest = this.#findNewest()
    this.ended = this.#hasEnded()
  }

  start(slot: number): number {
    return slot * this.#constants.seconds
  }

  end(slot: number): number {
    return (slot + 1) * this.#constants.seconds
  }

  #dayOf(slot: number): number {
    return Math.floor(slot / this.perDay)
  }

  isDelivered(slot: number): boolean {
    return this.#delivered.has(slot)
  }

  /** Whether there is a sign of life: a delivery, or a damaged file. */
  #isThere(slot: number): boolean {
    return this.state(slot) === 'damaged' || this.isDelivered(slot)
  }

  /** The slots from 28 days before the slot of `as_of` to that slot, both included. */
  get last28Days(): Range {
    const to = Math.floor(this.#history.asOf / this.#constants.seconds)
    return { from: to - 28 * this.perDay, to }
  }

  /** The latencies of the last 28 days: of a file that came before its slot ended, 0. */
  get arrivals(): number[] {
    const { from, to } = this.last28Days
    return this.slots
      .filter((slot) => slot >= from && slot <= to)
      .map((slot) => this.#history.delivered.get(slot))
      .filter((latency) => latency !== undefined)
      .map((latency) => Math.max(0, latency))
  }

  get withinTarget(): number | null {
    const inTime = this.arrivals.filter((latency) => latency <= this.#constants.target)
    return ratio(inTime.length, this.arrivals.length)
  }

  get lastArrival(): number | null {
    let latest: number | null = null
    for (const slot of this.slots) {
      const latency = this.#history.delivered.get(slot)
      if (latency === undefined) continue
      const arrival = this.end(slot) + latency
      if (arrival <= this.#history.asOf) latest = Math.max(latest ?? 0, arrival)
    }
    return latest
  }

  #findLateAfter(): number {
    const { shortest, arrivals: least, unknown } = this.#constants
    const counted = this.arrivals.filter((latency) => latency <= (this.#isDaily ? 3 * day : day))
    const percentile = nearestRank(counted, 95)
    if (percentile === undefined || counted.length < least) return unknown
    return Math.min(Math.max(percentile, shortest), day)
  }

  #findNewest(): number | undefined {
    const { to } = this.last28Days
    // With rules, only the day counts that ends with the newest slot which can no longer be due, so
    // that a series is silent as soon as its rules are over.
    let settled = to
    while (this.end(settled) + this.lateAfter > this.#history.asOf) settled--
    const least = this.#rules.length === 0 ? 0 : settled - this.perDay + 1
    for (let slot = to; slot >= least; slot--) {
      const state = this.state(slot)
      if (state === 'due' || state === 'future') continue
      if (this.#rules.length === 0 || this.isExpected(slot)) return slot
    }
    return undefined
  }

  /** Whether the series was expected once, and is not any more because its days have passed. */
  #hasEnded(): boolean {
    if (this.#rules.length > 0 || this.newest === undefined || this.last === undefined) return false
    const [newestDay, lastDay] = [this.#dayOf(this.newest), this.#dayOf(this.last)]
    if (this.#isThere(this.newest) || newestDay <= lastDay) return false
    const days = this.#daysBefore(newestDay)
    return days.some(this.#isSteady) && newestDay - lastDay > Math.max(3, days.length)
  }

  /** Whether enough of the 28 days that end with a day was delivered. */
  readonly #isSteady = once((day: number): boolean => {
    const after = (day + 1) * this.perDay
    let count = 0
    let first: number | undefined
    for (let slot = after - 28 * this.perDay; slot < after; slot++) {
      if (!this.isDelivered(slot)) continue
      first ??= slot
      count++
    }
    return first !== undefined && count >= this.#constants.steady && count * 2 >= after - first
  })

  /** The days with a delivery among the 90 that end with the last such day before a day. */
  #daysBefore(day: number): number[] {
    const lastSlot = this.slots.findLast((slot) => slot < day * this.perDay)
    if (lastSlot === undefined) return []
    const last = this.#dayOf(lastSlot)
    const days = Array.from({ length: 90 }, (_, index) => last - index)
    return days.filter((each) => this.#deliveredDays.has(each))
  }

  readonly #isExpectedDay = once((day: number): boolean => {
    const days = this.#daysBefore(day)
    const last = days[0]
    if (last === undefined || !days.some(this.#isSteady)) return false
    return day - last <= Math.max(3, days.length)
  })

  isExpected(slot: number): boolean {
    if (this.#rules.length === 0) return this.#isExpectedDay(this.#dayOf(slot))
    const slotDay = this.#dayOf(slot)
    const slotHour = Math.floor((this.start(slot) % day) / hour)
    return this.#rules.some(
      ({ fromDay, toDay, hours }) =>
        slotDay >= (fromDay ?? -Infinity) &&
        slotDay <= (toDay ?? Infinity) &&
        (hours === undefined || hours.has(slotHour)),
    )
  }

  state(slot: number): SlotWord {
    const { live, damaged, asOf } = this.#history
    if (this.isDelivered(slot)) return live.has(slot) ? 'present' : 'removed'
    if (damaged.has(slot) && this.start(slot) <= asOf) return 'damaged'
    if (this.end(slot) > asOf) return 'future'
    if (this.end(slot) + this.lateAfter > asOf) return 'due'
    if (!this.isExpected(slot)) return 'silent'
    return asOf < this.missingFrom(slot) ? 'late' : 'missing'
  }

  /** When a slot that does not come turns from late to missing. */
  missingFrom(slot: number): number {
    return this.end(slot) + (this.#isDaily ? 7 : 3) * day
  }

  /** The end of the last slot that has ended and has a sign of life. */
  get lastEnd(): number | null {
    const slot = this.#there.findLast((each) => this.end(each) <= this.#history.asOf)
    return slot === undefined ? null : this.end(slot)
  }

  /** The state of the series now. */
  get stateNow(): NowAnswer['state'] {
    if (this.newest === undefined) return 'silent'
    if (this.#isThere(this.newest)) return 'present'
    if (!this.isExpected(this.newest)) return 'silent'
    const longest = this.lateAfter + (this.#isDaily ? 3 : 1) * day
    const isLate = this.lastEnd !== null && this.#history.asOf - this.lastEnd <= longest
    return isLate ? 'late' : 'down'
  }

  /** Start of the run of signs of life up to the newest; otherwise the end of the last one. */
  get since(): number | null {
    if (this.newest === undefined || !this.#isThere(this.newest)) return this.lastEnd
    let first = this.newest
    for (let slot = this.newest - 1; slot >= this.last28Days.from; slot--) {
      if (this.#isThere(slot)) first = slot
      else if (this.#rules.length === 0 || this.isExpected(slot)) break
    }
    return this.start(first)
  }

  /** The last slot that counts: that of the last file of an ended series. */
  get #end(): number {
    return this.ended ? (this.#there.at(-1) ?? -Infinity) : Infinity
  }

  figures({ from, to }: Range) {
    let [possible, delivered, half] = [0, 0, 0]
    for (let slot = from; slot <= Math.min(to, this.#end); slot++) {
      if (!this.isPossible(slot)) continue
      possible++
      if (this.isDelivered(slot)) delivered++
      if (this.isHalf(slot)) half++
    }
    const completeness = ratio(delivered, possible)
    return {
      possible,
      delivered,
      half,
      completeness,
      class: this.ended ? null : classOf(completeness),
    }
  }

  /** A slot that is there, has ended, and has too few of its epochs. */
  isHalf(slot: number): boolean {
    const isOver = this.end(slot) <= this.#history.asOf
    return isOver && this.state(slot) === 'present' && this.#history.half?.has(slot) === true
  }

  /** The number of expected slots of a range, without those that may still come. */
  countExpected({ from, to }: Range): number {
    let count = 0
    for (let slot = from; slot <= Math.min(to, this.#end); slot++)
      if (this.isExpected(slot) && !['due', 'future'].includes(this.state(slot))) count++
    return count
  }

  isPossible(slot: number): boolean {
    if (this.first === undefined || slot < this.first) return false
    return this.end(slot) <= this.#history.asOf && this.state(slot) !== 'due'
  }

  /** The state of a slot that belongs to a gap. */
  gapState(slot: number): SlotWord | undefined {
    if (this.first === undefined || slot < this.first || slot > this.#end) return undefined
    const state = this.state(slot)
    return ['damaged', 'late', 'missing', 'silent'].includes(state) ? state : undefined
  }
}

/** The stretches of neighbouring slots for which `word` says the same. */
function runs<T>({ from, to }: Range, word: (slot: number) => T) {
  const found: { from: number; to: number; word: T }[] = []
  for (let slot = from; slot <= to; slot++) {
    const here = word(slot)
    const run = found.at(-1)
    if (run !== undefined && run.word === here) run.to = slot
    else found.push({ from: slot, to: slot, word: here })
  }
  return found
}

/** The row of a series in the network. */
export function oracleNow(history: History): NowAnswer {
  const series = new Series(history)
  const figures = series.figures(series.last28Days)
  return {
    state: series.stateNow,
    ended: series.ended,
    since: series.since,
    usual_s: nearestRank(series.arrivals, 50) ?? null,
    late_after_s: series.lateAfter,
    last_slot: series.last === undefined ? null : series.start(series.last),
    last_arrival: series.lastArrival,
    possible_28d: figures.possible,
    delivered_28d: figures.delivered,
    half_28d: figures.half,
    completeness_28d: figures.completeness,
    expected_28d: series.countExpected(series.last28Days),
    within_target_28d: series.withinTarget,
    class: figures.class,
  }
}

/** The availability of a range. */
export function oracleRange(history: History, range: Range): RangeAnswer {
  const series = new Series(history)
  const text = runs(range, (slot) => letters[series.state(slot)])
  const gaps = runs(range, (slot) => series.gapState(slot))
  const spans = runs(range, (slot) => series.state(slot) === 'present')
  return {
    states: text.map(({ word, from, to }) => `${word}${to - from + 1}`).join(''),
    first: series.first === undefined ? null : series.start(series.first),
    last: series.last === undefined ? null : series.start(series.last),
    ended: series.ended,
    slots: range.to - range.from + 1,
    ...series.figures(range),
    gaps: gaps.flatMap(({ word, from, to }): Gap[] =>
      word === undefined ? [] : [[series.start(from), series.end(to), to - from + 1, word]],
    ),
    spans: spans
      .filter(({ word }) => word)
      .map(({ from, to }) => [series.start(from), series.end(to)]),
  }
}

/** The late and the missing slots of a range, and those with damaged files alone. */
export function oracleMissing(history: History, range: Range): MissingSlot[] {
  const series = new Series(history)
  const found: MissingSlot[] = []
  for (let slot = range.from; slot <= range.to; slot++) {
    const state = series.state(slot)
    if (state !== 'late' && state !== 'missing' && state !== 'damaged') continue
    const expectedBy = series.end(slot) + series.lateAfter
    const since =
      state === 'damaged'
        ? (history.damaged.get(slot) ?? NaN)
        : state === 'late'
          ? expectedBy
          : series.missingFrom(slot)
    found.push({ slot, state, expected_by: expectedBy, since })
  }
  return found
}

/** The half slots of a range. */
export function oracleHalf(history: History, range: Range): MissingSlot[] {
  const series = new Series(history)
  const slots = [...(history.half ?? [])].filter((slot) => slot >= range.from && slot <= range.to)
  return slots
    .filter((slot) => series.isHalf(slot))
    .map((slot) => {
      const since = series.end(slot)
      return { slot, state: 'half', expected_by: since + series.lateAfter, since }
    })
}

/** Whether a slot is expected; without a slot, the one from which the state now follows. */
export function oracleExpects(history: History, slot?: number): boolean {
  const series = new Series(history)
  const asked = slot ?? series.newest
  return asked !== undefined && series.isExpected(asked)
}
