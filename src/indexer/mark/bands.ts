/** The order in which sweeps look at directories. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { KnownDirectories } from '../state/known-directories.ts'

/** Ages in days of the newest files in the directories of the first and of the second band. */
const bandDays = [31, 366]
/** The first day and the number of days that are told apart: of 1980 to 2079. */
const [firstDay, days] = [3652, 36_525]

export interface Bands {
  /** The slots of directories without a stamp: each sweep reads them. */
  readonly urgent: readonly number[]
  /** The slots of all others: those with files of the last month, of the last year, and older. */
  readonly bands: readonly (readonly number[])[]
}

/** Sorts the known directories by the newest time of the files in and below them, newest first. */
export function bandsOf(known: KnownDirectories, nowSeconds: number): Bands {
  const urgent: number[] = []
  const bands: number[][] = [[], [], []]
  const today = Math.floor(nowSeconds / secondsPerDay)
  for (const [day, slot] of newestFirst(known.latestEnds(nowSeconds))) {
    const band = bandDays.findIndex((length) => day > today - length)
    if (known.hasStamp(slot)) bands[band === -1 ? bandDays.length : band]?.push(slot)
    else urgent.push(slot)
  }
  return { urgent, bands }
}

/**
 * Sorts slots by day, by counting those of each day, because there may be a million.
 * @param ends by slot, in seconds since 1970; `NaN` for a slot that no directory has
 */
function* newestFirst(ends: Float64Array): Generator<[day: number, slot: number]> {
  const dayAt = (slot: number): number => {
    const day = Math.floor((ends[slot] ?? NaN) / secondsPerDay) - firstDay
    return Math.min(Math.max(day, 0), days - 1)
  }
  const first = new Int32Array(days)
  for (let slot = 0; slot < ends.length; slot++) {
    const day = dayAt(slot)
    if (!Number.isNaN(day)) first[day] = (first[day] ?? 0) + 1
  }
  let before = 0
  for (let day = days - 1; day >= 0; day--) {
    const count = first[day] ?? 0
    first[day] = before
    before += count
  }
  const sorted = new Int32Array(before)
  for (let slot = 0; slot < ends.length; slot++) {
    const day = dayAt(slot)
    if (Number.isNaN(day)) continue
    const at = first[day] ?? 0
    sorted[at] = slot
    first[day] = at + 1
  }
  for (const slot of sorted) yield [dayAt(slot) + firstDay, slot]
}
