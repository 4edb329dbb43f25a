/**
 * Keeps the tables of counts consistent with the rows. The inserts and removals of a transaction are summed in memory; `flush`
 * writes the differences within that transaction. `recount.ts` defines the counts.
 */
import type { Database } from 'better-sqlite3'
import { secondsPerDay } from '../../parse/calendar.ts'
import { idCountLevels } from '../questions/counts.ts'
import { prepareLiveSeq } from './live-seq.ts'

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
  /** @param batch its `id` is the id of its first record */
  add(batch: CountedBatch): void
  remove(file: CountedFile): void
  /**
   * Writes the differences. Call after all changes of rows and of `catalogue.seq`, within their
   * transaction.
   */
  flush(): void
  /** Discards the differences of a rolled-back transaction and reads again which tables of counts are built. */
  reset(): void
}

/** Updates `id_count`, and the other tables of counts if `built` names them. The table `built` is read here and by `reset`. */
export function prepareCountChanges(db: Database): CountChanges {
  const built = db.prepare('SELECT name FROM built').pluck()
  const ids = prepareIdCounts(db)
  const days = prepareDayCounts(db)
  const stations = prepareStationCounts(db)
  const tables = [ids, days, stations]
  let kept = new Set(built.all())
  return {
    add({ id, stations: all, kind, dataDate }) {
      ids.add(kind, id, all.length)
      if (kept.has('day_count')) days.add(kind, dataDate, all.length, id + all.length - 1)
      if (kept.has('station_count'))
        for (const station of all) stations.add(station, kind, dataDate, 1)
    },
    remove({ id, station, kind, dataDate }) {
      ids.add(kind, id, 1, -1)
      if (kept.has('day_count')) days.add(kind, dataDate, -1, 0)
      if (kept.has('station_count')) stations.add(station, kind, dataDate, -1)
    },
    flush() {
      for (const table of tables) {
        table.write()
        table.changes.clear()
      }
    },
    reset() {
      for (const { changes } of tables) changes.clear()
      kept = new Set(built.all())
    },
  }
}

/** A map of values by two keys. */
interface Grid<T> {
  /** The value at two keys; if it is missing, it is created. */
  at(first: number, second: number): T
  all(): Iterable<readonly [first: number, second: number, value: T]>
  firsts(): readonly number[]
  clear(): void
}

function openGrid<T>(initial: () => T): Grid<T> {
  const rows = new Map<number, Map<number, T>>()
  return {
    at(first, second) {
      let row = rows.get(first)
      if (row === undefined) rows.set(first, (row = new Map<number, T>()))
      let value = row.get(second)
      if (value === undefined) row.set(second, (value = initial()))
      return value
    },
    *all() {
      for (const [first, row] of rows)
        for (const [second, value] of row) yield [first, second, value]
    },
    firsts: () => [...rows.keys()],
    clear() {
      rows.clear()
    },
  }
}

function prepareIdCounts(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO id_count (level, kind, bucket, files) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET files = files + excluded.files`,
  )
  const drop = db.prepare(
    'DELETE FROM id_count WHERE level = ? AND kind = ? AND bucket = ? AND files = 0',
  )
  const openSums = () => openGrid(() => ({ files: 0 }))
  /** The differences by kind and by bucket of the lowest level. */
  const changes = openSums()
  const lowest = Math.min(...idCountLevels)
  const size = 2 ** lowest
  return {
    changes,
    /** @param sign -1 for removed files */
    add(kind: number, firstId: number, count: number, sign = 1): void {
      for (let id = firstId, left = count; left > 0;) {
        const bucket = Math.floor(id / size)
        const inBucket = Math.min(left, (bucket + 1) * size - id)
        changes.at(kind, bucket).files += sign * inBucket
        id += inBucket
        left -= inBucket
      }
    },
    write(): void {
      for (const level of idCountLevels) {
        const sums = openSums()
        for (const [kind, bucket, { files }] of changes.all()) {
          const above = Math.floor(bucket / 2 ** (level - lowest))
          sums.at(kind, above).files += files
          sums.at(0, above).files += files
        }
        for (const [kind, bucket, { files }] of sums.all()) {
          if (files !== 0) upsert.run(level, kind, bucket, files)
          if (files < 0) drop.run(level, kind, bucket)
        }
      }
    },
  }
}

function prepareDayCounts(db: Database) {
  const upsert = db.prepare(
    `INSERT INTO day_count (day, kind, files, last_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET files = files + excluded.files, last_id = max(last_id, excluded.last_id)`,
  )
  const drop = db.prepare('DELETE FROM day_count WHERE day = ? AND kind = ? AND files = 0')
  const changes = openGrid(() => ({ files: 0, lastId: 0 }))
  return {
    changes,
    add(kind: number, dataDate: number, count: number, lastId: number): void {
      const sum = changes.at(Math.floor(dataDate / secondsPerDay), kind)
      sum.files += count
      sum.lastId = Math.max(sum.lastId, lastId)
    },
    write(): void {
      for (const [day, kind, { files, lastId }] of changes.all()) {
        upsert.run(day, kind, files, lastId)
        if (files <= 0) drop.run(day, kind)
      }
    },
  }
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
  // If the first or the last file was removed, the index file_station gives the date of the next one.
  const next = (column: string, comparison: string, order: string) =>
    db.prepare(
      `UPDATE station_count SET ${column} = (SELECT f.data_date FROM file f
         WHERE f.station = @station AND f.kind = @kind AND f.data_date ${comparison} ${column}
         ORDER BY f.data_date ${order} LIMIT 1)
       WHERE station = @station AND kind = @kind AND ${column} = @removed`,
    )
  const nextFirst = next('first_date', '>=', 'ASC')
  const nextLast = next('last_date', '<=', 'DESC')
  /** The dates of added and removed files; without files, the first date is after the last one. */
  const noDates = () => ({ first: Infinity, last: -Infinity })
  const changes = openGrid(() => ({ files: 0, added: noDates(), removed: noDates() }))
  const withLiveSeq = prepareLiveSeq(db)
  const writeRows = (): void => {
    for (const [station, kind, change] of changes.all()) {
      const { files, added, removed } = change
      if (added.first <= added.last) upsert.run(station, kind, files, added.first, added.last)
      else reduce.run(files, station, kind)
      if (files <= 0) drop.run(station, kind)
      if (removed.first > removed.last) continue
      nextFirst.run({ station, kind, removed: removed.first })
      nextLast.run({ station, kind, removed: removed.last })
    }
  }
  return {
    changes,
    add(station: number, kind: number, dataDate: number, sign: 1 | -1): void {
      const change = changes.at(station, kind)
      const dates = sign === 1 ? change.added : change.removed
      change.files += sign
      dates.first = Math.min(dates.first, dataDate)
      dates.last = Math.max(dates.last, dataDate)
    },
    write(): void {
      withLiveSeq(changes.firsts(), writeRows)
    },
  }
}
