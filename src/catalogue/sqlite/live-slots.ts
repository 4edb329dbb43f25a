/** The live files of a series, read by `file_station`. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { slotAt, startOf } from '../../series/series.ts'
import type { Period } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'

/** The live files of a series. */
export interface LiveSource {
  /** The distinct slots of some ranges, ascending. */
  slotsIn(...ranges: readonly SlotRange[]): number[]
  /** The first slot that is not before another one, and the last that is not after one. */
  firstFrom(slot: number): number | undefined
  lastUpTo(slot: number): number | undefined
}

/** A station of the series, with the start of its first and last file; infinite without files. */
interface Station {
  readonly of: { readonly station: number; readonly kinds: string }
  readonly first: number
  readonly last: number
}

/** Needs the index `file_station` and the counts `station_count`. */
export function prepareLiveSlots(db: Database) {
  const { ends, inRange, next, previous } = prepareStatements(db)
  const startFrom = ({ of, first, last }: Station, start: number): number => {
    if (start <= first) return first
    return start > last ? Infinity : ((next.get({ ...of, start }) as number | null) ?? Infinity)
  }
  const startBefore = ({ of, first, last }: Station, end: number): number => {
    if (last < end) return last
    const found = end <= first ? null : (previous.get({ ...of, end }) as number | null)
    return found ?? -Infinity
  }
  /** @param stations ids of the stations whose files fill the slots; @param kinds ids of the kinds of the series */
  return (stations: readonly number[], kinds: readonly number[], period: Period): LiveSource => {
    const sources = stations.map((station): Station => {
      const of = { station, kinds: JSON.stringify(kinds) }
      const [first, last] = ends.get(of) as [number | null, number | null]
      return { of, first: first ?? Infinity, last: last ?? -Infinity }
    })
    const startsIn = ({ from, to }: SlotRange): number[] => {
      const range = { start: startOf(from, period), end: startOf(to + 1, period) }
      return sources.flatMap(({ of }) => inRange.all({ ...of, ...range }) as number[])
    }
    const slotOf = (start: number): number | undefined =>
      Number.isFinite(start) ? slotAt(start, period) : undefined
    return {
      slotsIn: (...ranges) =>
        distinct(ranges.flatMap(startsIn).map((start) => slotAt(start, period))),
      firstFrom: (slot) =>
        slotOf(Math.min(...sources.map((each) => startFrom(each, startOf(slot, period))))),
      lastUpTo: (slot) =>
        slotOf(Math.max(...sources.map((each) => startBefore(each, startOf(slot + 1, period))))),
    }
  }
}

function prepareStatements(db: Database) {
  const isIn = (kind: string): string =>
    `station = @station AND ${kind} IN (SELECT value FROM json_each(@kinds))`
  // The plus keeps SQLite from another index than the one that has all three columns.
  const ofFile = `FROM file WHERE ${isIn('+kind')}`
  return {
    ends: db
      .prepare(`SELECT min(first_date), max(last_date) FROM station_count WHERE ${isIn('kind')}`)
      .raw(),
    inRange: db
      .prepare(`SELECT data_date ${ofFile} AND data_date >= @start AND data_date < @end`)
      .pluck(),
    next: db
      .prepare(`SELECT data_date ${ofFile} AND data_date >= @start ORDER BY data_date LIMIT 1`)
      .pluck(),
    previous: db
      .prepare(`SELECT data_date ${ofFile} AND data_date < @end ORDER BY data_date DESC LIMIT 1`)
      .pluck(),
  }
}

/** The distinct values, ascending. */
function distinct(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort()
  return Array.from(sorted.filter((value, index) => value !== sorted[index - 1]))
}
