/** The recorded deliveries of all series over some weeks, in memory. Pure. */
import { lowerBound } from './ascending.ts'
import type { Period } from './series.ts'
import { slotAt, slotsPerDay } from './series.ts'
import { SlotSet } from './slot-set.ts'

/** The files of a series that were seen arriving, in two arrays of the same length. */
export interface Arrivals {
  /** Slot numbers, ascending, without duplicates. */
  readonly slots: readonly number[]
  /**
   * Seconds from the end of the slot to the arrival; negative if the file arrived before, which
   * counts as a latency of 0.
   */
  readonly latencies: readonly number[]
}

/** The latency of a file that was not seen arriving. */
export const unseen = -(2 ** 31)

/** All deliveries of a day, by the start of their slots. */
export interface DayDeliveries {
  /** UTC day since 1970. */
  readonly day: number
  /** One entry for each start; its two arrays have the same length. */
  readonly starts: readonly {
    /** Start of the slots, in seconds since 1970. */
    readonly start: number
    /** Ids of the series. */
    readonly ids: Int32Array
    /** As in `Arrivals`; `unseen` for files that were not seen arriving. */
    readonly latencies: Int32Array
  }[]
}

interface Deliveries {
  readonly slots: SlotSet
  /** Ascending slots, and their latencies. */
  readonly arrivals: { readonly slots: number[]; readonly latencies: number[] }
}

const noArrivals: Arrivals = { slots: [], latencies: [] }

/** The deliveries of all series on some days. */
export class DeliveryWindow {
  readonly #series = new Map<number, Deliveries>()
  readonly #days: number
  /** Number of the last days whose latencies are kept. */
  readonly #arrivalDays: number
  #firstDay: number
  /** The days whose deliveries were added. */
  readonly #known = new Set<number>()

  /**
   * An empty window of some UTC days since 1970.
   * @param range both days included
   * @param arrivalDays number of the last days of the window whose latencies are kept
   */
  constructor(
    { fromDay, toDay }: { readonly fromDay: number; readonly toDay: number },
    arrivalDays: number,
  ) {
    this.#firstDay = fromDay
    this.#days = toDay - fromDay + 1
    this.#arrivalDays = arrivalDays
  }

  /**
   * Adds the deliveries of a day, in place of those that were added before.
   * @param periodOf the period of each series in `starts`, by id
   */
  add({ day, starts }: DayDeliveries, periodOf: ReadonlyMap<number, Period>): void {
    const hasArrivals = day >= this.#firstArrivalDay
    if (this.#known.has(day)) this.#clear(day)
    this.#known.add(day)
    for (const { start, ids, latencies } of starts)
      for (const [row, id] of ids.entries()) {
        const period = periodOf.get(id)
        if (period === undefined) continue
        const { slots, arrivals } = this.#deliveriesOf(id, period)
        const slot = slotAt(start, period)
        slots.add(slot)
        const latency = latencies[row] ?? unseen
        if (latency !== unseen && hasArrivals) insert(arrivals, slot, latency)
      }
  }

  #clear(day: number): void {
    for (const { slots, arrivals } of this.#series.values()) {
      if (slots.countOn(day) === 0) continue
      slots.clearDay(day)
      const perDay = slotsPerDay(slots.period)
      const first = lowerBound(arrivals.slots, day * perDay)
      const count = lowerBound(arrivals.slots, (day + 1) * perDay) - first
      arrivals.slots.splice(first, count)
      arrivals.latencies.splice(first, count)
    }
  }

  /** Moves the window to later days, without changing its length. */
  moveTo(firstDay: number): void {
    this.#firstDay = Math.max(firstDay, this.#firstDay)
    for (const { slots, arrivals } of this.#series.values()) {
      slots.moveTo(this.#firstDay)
      const old = lowerBound(arrivals.slots, this.#firstArrivalDay * slotsPerDay(slots.period))
      arrivals.slots.splice(0, old)
      arrivals.latencies.splice(0, old)
    }
  }

  /** The delivered slots of a series with one or more ids, all of the same period. */
  slotsOf(ids: readonly number[], period: Period): SlotSet {
    const [first, ...others] = this.#found(ids)
    if (first === undefined) return new SlotSet(period, this.#firstDay, 0)
    if (others.length === 0) return first.slots
    const all = new SlotSet(period, this.#firstDay, this.#days)
    for (const { slots } of [first, ...others]) all.addAll(slots)
    return all
  }

  /** The arrivals of a series with one or more ids. If a slot has several, the earliest counts. */
  arrivalsOf(ids: readonly number[]): Arrivals {
    const [first, ...others] = this.#found(ids).map(({ arrivals }) => arrivals)
    if (others.length === 0) return first ?? noArrivals
    const bySlot = new Map<number, number>()
    for (const { slots, latencies } of [first ?? noArrivals, ...others])
      slots.forEach((slot, index) => {
        const latency = latencies[index] ?? NaN
        bySlot.set(slot, Math.min(latency, bySlot.get(slot) ?? Infinity))
      })
    const slots = [...bySlot.keys()].sort((a, b) => a - b)
    return { slots, latencies: slots.map((slot) => bySlot.get(slot) ?? NaN) }
  }

  get #firstArrivalDay(): number {
    return this.#firstDay + this.#days - this.#arrivalDays
  }

  #found(ids: readonly number[]): readonly Deliveries[] {
    return ids.flatMap((id) => this.#series.get(id) ?? [])
  }

  #deliveriesOf(id: number, period: Period): Deliveries {
    const known = this.#series.get(id)
    if (known !== undefined) return known
    const slots = new SlotSet(period, this.#firstDay, this.#days)
    const added: Deliveries = { slots, arrivals: { slots: [], latencies: [] } }
    this.#series.set(id, added)
    return added
  }
}

/**
 * Inserts an arrival in the order of the slots, unless the slot has one. Most arrivals are the
 * newest.
 */
function insert({ slots, latencies }: Deliveries['arrivals'], slot: number, latency: number): void {
  const index = slot > (slots.at(-1) ?? -Infinity) ? slots.length : lowerBound(slots, slot)
  if (slots[index] === slot) return
  slots.splice(index, 0, slot)
  latencies.splice(index, 0, latency)
}
