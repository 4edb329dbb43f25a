/**
 * Keeps the tables of counts consistent with the rows: sums the inserts and removals of a transaction in memory; `flush` writes
 * the differences within that transaction. `recount.ts` defines the counts.
 */
import type { Database } from 'better-sqlite3'
import { secondsPerDay } from '../../parse/calendar.ts'
import { idCountLevels } from './schema.ts'

/** The columns of a live record on which the counts depend. */
export interface CountedFile {
  readonly id: number
  readonly station: number
  readonly kind: number
  /** Start of the data: seconds since 1970. */
  readonly dataDate: number
}

/** Records with consecutive ids that differ only in their stations. */
export interface CountedBatch extends Omit<CountedFile, 'station'> {
  readonly stations: readonly number[]
}

export interface CountChanges {
  /** @param batch `id` is that of the first record */
  add(batch: CountedBatch): void
  remove(file: CountedFile): void
  /** Writes the differences. Call after all changes of rows, within their transaction. */
  flush(): void
  /** Discards the differences of a rolled-back transaction and reads again which tables of counts are built. */
  reset(): void
}

/** Keeps the tables of counts that are named in `built`, which is read here and by `reset`. */
export function prepareCountChanges(db: Database): CountChanges {
  const built = db.prepare('SELECT name FROM built').pluck()
  const ids = prepareIdCounts(db)
  const days = prepareDayCounts(db)
  const stations = prepareStationCounts(db)
  let kept = new Set(built.all())
  return {
    add({ id, stations: all, kind, dataDate }) {
      ids.add(kind, id, all.length)
      if (kept.has('day_count')) days.add(kind, dataDate, all.length, id + all.length - 1)
      if (kept.has('station_count'))
        for (const station of all) stations.added(station, kind, dataDate)
    },
    remove({ id, station, kind, dataDate }) {
      ids.remove(kind, id)
      if (kept.has('day_count')) days.add(kind, dataDate, -1, 0)
      if (kept.has('station_count')) stations.removed(station, kind, dataDate)
    },
    flush() {
      for (const counts of [ids, days, stations]) counts.flush()
    },
    reset() {
      for (const counts of [ids, days, stations]) counts.clear()
      kept = new Set(built.all())
    },
  }
}

/** The value at two keys; created by `initial` if it is missing. */
function entryOf<T>(
  map: Map<number, Map<number, T>>,
  first: number,
  second: number,
  initial: () => T,
): T {
  let inner = map.get(first)
  if (inner === undefined) map.set(first, (inner = new Map<number, T>()))
  let value = inner.get(second)
  if (value === undefined) inner.set(second, (value = initial()))
  return value
}

interface Sum {
  files: number
}
const zero = (): Sum => ({ files: 0 })

function prepareIdCounts(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO id_count (level, kind, bucket, files) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET files = files + excluded.files`,
  )
  const drop = db.prepare(
    'DELETE FROM id_count WHERE level = ? AND kind = ? AND bucket = ? AND files = 0',
  )
  /** Sums by kind and by bucket of the lowest level. */
  const changed = new Map<number, Map<number, Sum>>()
  const lowest = Math.min(...idCountLevels)
  const size = 2 ** lowest

  const write = (level: number, sums: Map<number, Map<number, Sum>>): void => {
    for (const [kind, buckets] of sums)
      for (const [bucket, { files }] of buckets) {
        if (files !== 0) upsert.run(level, kind, bucket, files)
        if (files < 0) drop.run(level, kind, bucket)
      }
  }
  return {
    add(kind: number, firstId: number, count: number): void {
      for (let id = firstId, left = count; left > 0;) {
        const bucket = Math.floor(id / size)
        const inBucket = Math.min(left, (bucket + 1) * size - id)
        entryOf(changed, kind, bucket, zero).files += inBucket
        id += inBucket
        left -= inBucket
      }
    },
    remove(kind: number, id: number): void {
      entryOf(changed, kind, Math.floor(id / size), zero).files--
    },
    flush(): void {
      if (changed.size === 0) return
      for (const level of idCountLevels) {
        const sums = new Map<number, Map<number, Sum>>()
        for (const [kind, buckets] of changed)
          for (const [bucket, { files }] of buckets) {
            const above = Math.floor(bucket / 2 ** (level - lowest))
            entryOf(sums, kind, above, zero).files += files
            entryOf(sums, 0, above, zero).files += files
          }
        write(level, sums)
      }
      changed.clear()
    },
    clear: () => {
      changed.clear()
    },
  }
}

function prepareDayCounts(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO day_count (day, kind, files, last_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET files = files + excluded.files, last_id = max(last_id, excluded.last_id)`,
  )
  const drop = db.prepare('DELETE FROM day_count WHERE day = ? AND kind = ? AND files = 0')
  const changed = new Map<number, Map<number, Sum & { lastId: number }>>()
  return {
    add(kind: number, dataDate: number, count: number, lastId: number): void {
      const day = Math.floor(dataDate / secondsPerDay)
      const sum = entryOf(changed, day, kind, () => ({ files: 0, lastId: 0 }))
      sum.files += count
      sum.lastId = Math.max(sum.lastId, lastId)
    },
    flush(): void {
      for (const [day, kinds] of changed)
        for (const [kind, { files, lastId }] of kinds) {
          upsert.run(day, kind, files, lastId)
          if (files <= 0) drop.run(day, kind)
        }
      changed.clear()
    },
    clear: () => {
      changed.clear()
    },
  }
}

/** The changes of a station and kind; `Infinity` and `-Infinity` are the dates if there is no file. */
interface StationChange extends Sum {
  first: number
  last: number
  removedFirst: number
  removedLast: number
}

function prepareStationCounts(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO station_count (station, kind, files, first_date, last_date) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET files = files + excluded.files,
       first_date = min(first_date, excluded.first_date), last_date = max(last_date, excluded.last_date)`,
  )
  const reduce = db.prepare(
    'UPDATE station_count SET files = files + ? WHERE station = ? AND kind = ?',
  )
  const drop = db.prepare('DELETE FROM station_count WHERE station = ? AND kind = ? AND files = 0')
  // If the first or the last file was removed, file_station has the next one from there on.
  const next = (column: string, comparison: string, order: string) =>
    db.prepare(
      `UPDATE station_count SET ${column} = (SELECT f.data_date FROM file f
         WHERE f.station = @station AND f.kind = @kind AND f.data_date ${comparison} ${column}
         ORDER BY f.data_date ${order} LIMIT 1)
       WHERE station = @station AND kind = @kind AND ${column} = @removed`,
    )
  const nextFirst = next('first_date', '>=', 'ASC')
  const nextLast = next('last_date', '<=', 'DESC')
  const changed = new Map<number, Map<number, StationChange>>()
  const changeOf = (station: number, kind: number): StationChange =>
    entryOf(changed, station, kind, () => {
      const [highest, lowest] = [Infinity, -Infinity]
      return {
        files: 0,
        first: highest,
        last: lowest,
        removedFirst: highest,
        removedLast: lowest,
      }
    })
  const write = (station: number, kind: number, change: StationChange): void => {
    const { files, first, last, removedFirst, removedLast } = change
    if (first <= last) upsert.run(station, kind, files, first, last)
    else reduce.run(files, station, kind)
    if (files <= 0) drop.run(station, kind)
    if (removedFirst > removedLast) return
    nextFirst.run({ station, kind, removed: removedFirst })
    nextLast.run({ station, kind, removed: removedLast })
  }
  return {
    added(station: number, kind: number, dataDate: number): void {
      const change = changeOf(station, kind)
      change.files++
      change.first = Math.min(change.first, dataDate)
      change.last = Math.max(change.last, dataDate)
    },
    removed(station: number, kind: number, dataDate: number): void {
      const change = changeOf(station, kind)
      change.files--
      change.removedFirst = Math.min(change.removedFirst, dataDate)
      change.removedLast = Math.max(change.removedLast, dataDate)
    },
    flush(): void {
      for (const [station, kinds] of changed)
        for (const [kind, change] of kinds) write(station, kind, change)
      changed.clear()
    },
    clear: () => {
      changed.clear()
    },
  }
}
