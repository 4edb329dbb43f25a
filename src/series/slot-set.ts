/** A set of slots of a series, with a bit for each slot of a range of UTC days. Pure. */
import type { Period } from './series.ts'
import { slotsPerDay } from './series.ts'

const bitsPerWord = 32

/**
 * Which slots of a series are delivered, damaged or alive, over a range of days. A set of the hours
 * of 400 days takes 1.6 kB, so that the API keeps those of all series in memory. Slots are numbered
 * as by `slotAt`, days from 1970-01-01.
 */
export class SlotSet {
  readonly period: Period
  readonly days: number
  readonly #perDay: number
  readonly #wordsPerDay: number
  readonly #words: Uint32Array
  #firstDay: number

  /** An empty set of slots of the days from `firstDay` (since 1970) on. */
  constructor(period: Period, firstDay: number, days: number) {
    this.period = period
    this.days = days
    this.#firstDay = firstDay
    this.#perDay = slotsPerDay(period)
    this.#wordsPerDay = Math.ceil(this.#perDay / bitsPerWord)
    this.#words = new Uint32Array(days * this.#wordsPerDay)
  }

  /** The set of some slots; those on other days are left out. */
  static of(
    period: Period,
    slots: Iterable<number>,
    { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
  ): SlotSet {
    const set = new SlotSet(period, firstDay, Math.max(0, lastDay - firstDay + 1))
    for (const slot of slots) set.add(slot)
    return set
  }

  /** The first day of the range, since 1970. */
  get firstDay(): number {
    return this.#firstDay
  }

  /** The last day of the range. */
  get lastDay(): number {
    return this.#firstDay + this.days - 1
  }

  /** Adds a slot; does nothing if it is on another day. */
  add(slot: number): void {
    const bit = this.#bitOf(slot)
    if (bit >= 0) this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }

  /** True if the set has the slot; false also on days outside its range. */
  has(slot: number): boolean {
    const bit = this.#bitOf(slot)
    return bit >= 0 && (((this.#words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1
  }

  /** True for a set of the same period and range with the same slots. */
  equals(other: SlotSet): boolean {
    const isLike = this.period === other.period && this.#firstDay === other.#firstDay
    const isLong = this.#words.length === other.#words.length
    return isLike && isLong && this.#words.every((word, index) => word === other.#words[index])
  }

  /** Adds the slots of another set of the same period and range. */
  addAll(other: SlotSet): void {
    other.#words.forEach((word, index) => {
      this.#words[index] = (this.#words[index] ?? 0) | word
    })
  }

  /**
   * Moves the range to later days, without changing its length. Slots before the new range are
   * lost.
   */
  moveTo(firstDay: number): void {
    if (firstDay <= this.#firstDay) return
    const moved = Math.min(firstDay - this.#firstDay, this.days) * this.#wordsPerDay
    this.#words.copyWithin(0, moved)
    this.#words.fill(0, this.#words.length - moved)
    this.#firstDay = firstDay
  }

  /** The slots, ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (let slot = this.firstFrom(-Infinity); slot !== undefined; slot = this.firstFrom(slot + 1))
      yield slot
  }

  /** Number of its slots. */
  get size(): number {
    return this.#words.reduce((sum, word) => sum + bitsIn(word), 0)
  }

  /** Number of slots on a day. */
  countOn(day: number): number {
    let count = 0
    for (let word = 0; word < this.#wordsPerDay; word++) count += bitsIn(this.#wordOf(day, word))
    return count
  }

  /** The first slot on a day; `undefined` if there is none. */
  firstOn(day: number): number | undefined {
    for (let word = 0; word < this.#wordsPerDay; word++) {
      const bits = this.#wordOf(day, word)
      if (bits !== 0)
        return day * this.#perDay + word * bitsPerWord + (31 - Math.clz32(bits & -bits))
    }
    return undefined
  }

  /** The last slot that is not after another one; `undefined` if there is none. */
  lastUpTo(slot: number): number | undefined {
    const end = Math.min(Math.floor(slot / this.#perDay), this.lastDay)
    for (let day = end; day >= this.#firstDay; day--)
      for (let word = this.#wordsPerDay - 1; word >= 0; word--) {
        const first = day * this.#perDay + word * bitsPerWord
        const kept = Math.min(slot - first + 1, bitsPerWord)
        if (kept <= 0) continue
        const all = this.#wordOf(day, word)
        const bits = kept === bitsPerWord ? all : all & (2 ** kept - 1)
        if (bits !== 0) return first + 31 - Math.clz32(bits)
      }
    return undefined
  }

  /** The first slot that is not before another one; `undefined` if there is none. */
  firstFrom(slot: number): number | undefined {
    const day = Math.max(Math.floor(slot / this.#perDay), this.#firstDay)
    for (let each = Math.max(slot, day * this.#perDay); each < (day + 1) * this.#perDay; each++)
      if (this.has(each)) return each
    for (let next = day + 1; next <= this.lastDay; next++) {
      const first = this.firstOn(next)
      if (first !== undefined) return first
    }
    return undefined
  }

  /** The same slots without those after a slot. */
  upTo(slot: number): SlotSet {
    if (this.lastUpTo(Infinity) === this.lastUpTo(slot)) return this
    const kept = new SlotSet(this.period, this.#firstDay, this.days)
    kept.addAll(this)
    const lastDay = Math.floor(slot / this.#perDay)
    for (let each = slot + 1; each < (lastDay + 1) * this.#perDay; each++) kept.#remove(each)
    const end = Math.max(0, lastDay + 1 - this.#firstDay) * this.#wordsPerDay
    kept.#words.fill(0, end)
    return kept
  }

  /** Removes the slots of a day. */
  clearDay(day: number): void {
    const index = day - this.#firstDay
    if (index < 0 || index >= this.days) return
    this.#words.fill(0, index * this.#wordsPerDay, (index + 1) * this.#wordsPerDay)
  }

  #remove(slot: number): void {
    const bit = this.#bitOf(slot)
    if (bit >= 0) this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) & ~(1 << (bit & 31))
  }

  /** The position of the bit of a slot; -1 on another day. */
  #bitOf(slot: number): number {
    const day = Math.floor(slot / this.#perDay)
    const index = day - this.#firstDay
    if (index < 0 || index >= this.days) return -1
    return index * this.#wordsPerDay * bitsPerWord + slot - day * this.#perDay
  }

  #wordOf(day: number, word: number): number {
    const index = day - this.#firstDay
    if (index < 0 || index >= this.days) return 0
    return this.#words[index * this.#wordsPerDay + word] ?? 0
  }
}

/** Number of bits that are set in a word. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
