/** The recorded deliveries of all series over some weeks, in memory. Pure. */
import { slotAt, slotsPerDay } from './series.ts'
import type { Period } from './series.ts'
import { lowerBound } from './slot-states.ts'

/** The deliveries of a series, in two arrays of the same length. */
export interface SeriesDeliveries {
  /** Slot numbers, ascending, without duplicates. */
  readonly slots: readonly number[]
  /** Latencies in seconds; -1 for files that were not seen arriving. */
  readonly latencies: readonly number[]
}

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
    /** Latencies in seconds; -1 for files that were not seen arriving. */
    readonly latencies: Int32Array
  }[]
}

interface Columns {
  readonly period: Period
  slots: number[]
  latencies: number[]
}

const none: SeriesDeliveries = { slots: [], latencies: [] }

/**
 * The deliveries of all series. The catalogue only ever adds deliveries to a day, so a day with as many deliveries as before has
 * not changed.
 */
export class DeliveryWindow {
  readonly #series = new Map<number, Columns>()

  /**
   * Replaces the deliveries of a day.
   * @param periodOf the period of each series in `starts`, by id
   */
  replace({ day, starts }: DayDeliveries, periodOf: ReadonlyMap<number, Period>) {
    const added = new Map<number, Columns>()
    for (const { start, ids, latencies } of starts)
      for (const [row, id] of ids.entries()) {
        const period = periodOf.get(id)
        if (period === undefined) continue
        let columns = added.get(id)
        if (columns === undefined) {
          columns = { period, slots: [], latencies: [] }
          added.set(id, columns)
        }
        columns.slots.push(slotAt(start, period))
        columns.latencies.push(latencies[row] ?? -1)
      }
    for (const [id, columns] of added) {
      const known = this.#series.get(id)
      if (known === undefined) this.#series.set(id, columns)
      else replaceDay(known, columns, day)
    }
  }

  /** Removes the deliveries before a UTC day. */
  dropBefore(day: number): void {
    for (const { period, slots, latencies } of this.#series.values()) {
      const count = lowerBound(slots, day * slotsPerDay(period))
      if (count === 0) continue
      slots.splice(0, count)
      latencies.splice(0, count)
    }
  }

  /** The deliveries of a series with one or more ids. If a slot has several deliveries, the earliest counts. */
  deliveriesOf(ids: readonly number[]): SeriesDeliveries {
    const found = ids.flatMap((id) => this.#series.get(id) ?? [])
    const [only] = found
    if (found.length < 2) return only ?? none
    const bySlot = new Map<number, number>()
    for (const { slots, latencies } of found)
      slots.forEach((slot, index) => {
        bySlot.set(slot, earlier(bySlot.get(slot), latencies[index] ?? -1))
      })
    const slots = [...bySlot.keys()].sort((a, b) => a - b)
    return { slots, latencies: slots.map((slot) => bySlot.get(slot) ?? -1) }
  }
}

/** The lower of two latencies; -1 (not seen arriving) only if neither file was seen arriving. */
function earlier(known: number | undefined, latency: number): number {
  if (known === undefined || known < 0) return latency
  return latency < 0 ? known : Math.min(known, latency)
}

/** Replaces the deliveries of one day in `known` by those of the second argument. Equally many deliveries are the same ones. */
function replaceDay(known: Columns, { slots, latencies }: Columns, day: number): void {
  const perDay = slotsPerDay(known.period)
  const from = lowerBound(known.slots, day * perDay)
  const count = lowerBound(known.slots, (day + 1) * perDay) - from
  if (count === slots.length) return
  known.slots.splice(from, count, ...slots)
  known.latencies.splice(from, count, ...latencies)
}
