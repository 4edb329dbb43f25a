/** Reads the tables of exact counts. Use within a read transaction. */
import type { Database } from 'better-sqlite3'
import { secondsPerDay } from '../../parse/calendar.ts'
import { NotBuilt } from '../reader-errors.ts'
import { boundsOf, unbounded } from './date-ranges.ts'
import type { DateRange } from './date-ranges.ts'
import type { IdRange } from './selection.ts'
import { idCountLevels } from '../questions/count-tables.ts'
import { openStatements } from './connection.ts'

/** Number of files whose data start on a day. */
export interface DayCount {
  readonly day: number
  readonly files: number
}

/** A day, and a kind that has files on it. None of these files has a higher id than `lastId`. */
export interface DayKind {
  readonly day: number
  readonly kind: number
  readonly lastId: number
}

export interface Counts {
  /** @throws NotBuilt if an index or a table of counts is not built yet */
  require(...names: readonly string[]): void
  /** Number of files of these kinds (`undefined`: all kinds) with ids in a range (default: all ids). */
  ofIds(kinds: readonly number[] | undefined, range?: IdRange): number
  /**
   * The range of ids that contains a page. Files are ranked by id; the file with the highest id has rank 0, and the page has the
   * ranks from `offset` to `offset + limit - 1`. At its high end, the range may contain up to 63 files before the page; `skip` is
   * their number. At its low end, it may contain up to 63 files after the page. For all kinds, the range has no low end.
   */
  idsAt(
    kinds: readonly number[] | undefined,
    ranks: { readonly offset: number; readonly limit: number },
  ): IdRange & { readonly skip: number }
  /** Cuts a range of ids into ranges of at most 2^18 ids. Returns those that contain files, highest first. */
  idWindows(range: IdRange): IdRange[]
  ofStations(stations: readonly number[], kinds: readonly number[] | undefined): number
  /** Number of files by station; stations without files are missing. */
  byStation(
    stations: readonly number[] | undefined,
    kinds: readonly number[] | undefined,
  ): ReadonlyMap<number, number>
  ofDates(dates: readonly DateRange[], kinds: readonly number[] | undefined): number
  /**
   * The days that have files of `kinds`, in order. All these files of a day are counted, even if a range covers only a part of
   * the day, or names kinds of its own.
   */
  byDay(
    dates: readonly DateRange[] | undefined,
    kinds: readonly number[] | undefined,
    descending: boolean,
  ): Iterable<DayCount>
  /** The days and kinds that have files, highest `lastId` first. */
  latestDays(dates: DateRange, kinds: readonly number[] | undefined): Iterable<DayKind>
}

const top = idCountLevels[0]
const windowIds = 2 ** top

export function prepareCounts(db: Database): Counts {
  const built = db.prepare('SELECT 1 FROM built WHERE name = ?').pluck()
  const require = (...names: readonly string[]): void => {
    for (const name of names)
      if (built.get(name) === undefined)
        throw new NotBuilt(`the index or table ${name} is being built`)
  }
  return { require, ...prepareIdCounts(db), ...prepareStationCounts(db), ...prepareDayCounts(db) }
}

/** In `id_count`, rows of kind 0 count all kinds. */
const ofKind = 'kind IN (SELECT value FROM json_each(@kinds))'
const kindsJson = (kinds: readonly number[] | undefined): string => JSON.stringify(kinds ?? [0])

function prepareIdCounts(db: Database) {
  const sum = db
    .prepare(
      `SELECT coalesce(sum(files), 0) FROM id_count
       WHERE level = @level AND ${ofKind} AND bucket >= @from AND bucket < @to`,
    )
    .pluck()
  const rows = db
    .prepare(
      `SELECT count(*) FROM file f NOT INDEXED WHERE f.id >= @from AND f.id < @to
       AND (@all OR f.kind IN (SELECT value FROM json_each(@kinds)))`,
    )
    .pluck()
  const buckets = db
    .prepare(
      `SELECT bucket, sum(files) FROM id_count
       WHERE level = @level AND ${ofKind} AND bucket >= @from AND bucket < @to
       GROUP BY bucket ORDER BY bucket DESC`,
    )
    .raw()
  /** Number of files with ids below `id`. */
  const below = (id: number, kinds: readonly number[] | undefined): number => {
    const json = kindsJson(kinds)
    let [from, files] = [0, 0]
    for (const level of idCountLevels) {
      const to = Math.floor(id / 2 ** level)
      files += sum.get({ level, kinds: json, from, to }) as number
      from = to * 64
    }
    const all = kinds === undefined ? 1 : 0
    return files + (rows.get({ from, to: id, all, kinds: json }) as number)
  }
  /** The bucket of the lowest level that contains a rank, and the number of files in the bucket before that rank. */
  const bucketOf = (rank: number, kinds: string): { bucket: number; before: number } => {
    let [from, to, before] = [0, Number.MAX_SAFE_INTEGER, rank]
    for (const level of idCountLevels) {
      for (const [bucket, files] of buckets.iterate({ level, kinds, from, to }) as Iterable<
        [number, number]
      >) {
        ;[from, to] = [bucket * 64, (bucket + 1) * 64]
        if (before < files) break
        before -= files
      }
    }
    return { bucket: Math.floor(from / 64), before }
  }
  const total = (kinds: string): number =>
    sum.get({ level: top, kinds, from: 0, to: Number.MAX_SAFE_INTEGER }) as number
  const windows = db
    .prepare(
      `SELECT bucket FROM id_count WHERE level = ${top} AND kind = 0 AND bucket BETWEEN @from AND @to
       ORDER BY bucket DESC`,
    )
    .pluck()
  return {
    ofIds(kinds: readonly number[] | undefined, range?: IdRange): number {
      const { from = -Infinity, to = Infinity } = range ?? {}
      const end = to === Infinity ? total(kindsJson(kinds)) : below(Math.max(0, to + 1), kinds)
      return end - (from === -Infinity ? 0 : below(Math.max(0, from), kinds))
    },
    idsAt(
      kinds: readonly number[] | undefined,
      { offset, limit }: { offset: number; limit: number },
    ) {
      const json = kindsJson(kinds)
      const { bucket, before } = bucketOf(offset, json)
      const to = bucket * 64 + 63
      // A query for all kinds reads rows in the order of ids, so its LIMIT ends it after the page. A query for several kinds
      // reads all index entries of the range before it sorts them, so it needs a low end.
      if (kinds === undefined) return { from: -Infinity, to, skip: before }
      const last = bucketOf(Math.min(offset + limit, total(json)) - 1, json)
      return { from: last.bucket * 64, to, skip: before }
    },
    idWindows({ from, to }: IdRange): IdRange[] {
      const first = Math.max(0, Math.floor(from / windowIds))
      const range = {
        from: first,
        to: Math.min(Number.MAX_SAFE_INTEGER, Math.floor(to / windowIds)),
      }
      return (windows.all(range) as number[]).map((bucket) => ({
        from: Math.max(from, bucket * windowIds),
        to: Math.min(to, (bucket + 1) * windowIds - 1),
      }))
    },
  }
}

function prepareStationCounts(db: Database) {
  const sums = (condition: string) =>
    db
      .prepare(
        `SELECT station, sum(files) FROM station_count
         WHERE ${condition} AND (@allKinds OR ${ofKind}) GROUP BY station`,
      )
      .raw()
  const ofStations = sums('station IN (SELECT value FROM json_each(@stations))')
  const all = sums('TRUE')
  const byStation = (
    stations: readonly number[] | undefined,
    kinds: readonly number[] | undefined,
  ): ReadonlyMap<number, number> => {
    const values = { kinds: JSON.stringify(kinds ?? []), allKinds: kinds === undefined ? 1 : 0 }
    const rows =
      stations === undefined
        ? all.all(values)
        : ofStations.all({ ...values, stations: JSON.stringify(stations) })
    return new Map(rows as [number, number][])
  }
  return {
    byStation,
    ofStations: (stations: readonly number[], kinds: readonly number[] | undefined): number =>
      [...byStation(stations, kinds).values()].reduce((sum, files) => sum + files, 0),
  }
}

function prepareDayCounts(db: Database) {
  const kindCondition = `(@all OR ${ofKind})`
  const range = `day BETWEEN @from AND @to AND ${kindCondition}`
  const sum = db.prepare(`SELECT coalesce(sum(files), 0) FROM day_count WHERE ${range}`).pluck()
  const days = (order: 'ASC' | 'DESC') =>
    db
      .prepare(
        `SELECT day, sum(files) FROM day_count WHERE ${range} GROUP BY day ORDER BY day ${order}`,
      )
      .raw()
  const [ascendingDays, descendingDays] = [days('ASC'), days('DESC')]
  const latest = db.prepare(
    `SELECT day, kind, last_id AS lastId FROM day_count WHERE ${range} ORDER BY last_id DESC`,
  )
  // The statement of `rowsOf` cannot be prepared here, because its index may not be built yet.
  const statements = openStatements(db)
  const rowsOf = (from: number, to: number, kinds: readonly number[] | undefined): number =>
    statements.value(
      `SELECT count(*) FROM file f INDEXED BY file_date
       WHERE f.data_date BETWEEN @from AND @to AND (@all OR f.kind IN (SELECT value FROM json_each(@kinds)))`,
      values(from, to, kinds),
    ) as number
  const values = (from: number, to: number, kinds: readonly number[] | undefined) => ({
    from,
    to,
    all: kinds === undefined ? 1 : 0,
    kinds: JSON.stringify(kinds ?? []),
  })
  /** Counts whole days by `day_count`, the partial days at both ends by the index. */
  const ofRange = (range: DateRange, filterKinds: readonly number[] | undefined) => {
    const { from, to, kinds = filterKinds } = range
    const first = Math.ceil(from / secondsPerDay)
    const end = Math.floor((to + 1) / secondsPerDay)
    if (first > end) return rowsOf(from, to, kinds)
    let files = first < end ? (sum.get(values(first, end - 1, kinds)) as number) : 0
    if (from < first * secondsPerDay) files += rowsOf(from, first * secondsPerDay - 1, kinds)
    if (to >= end * secondsPerDay) files += rowsOf(end * secondsPerDay, to, kinds)
    return files
  }
  const daysOf = (range: DateRange, filterKinds: readonly number[] | undefined) => {
    const { from, to, kinds = filterKinds } = range
    return values(Math.floor(from / secondsPerDay), Math.floor(to / secondsPerDay), kinds)
  }
  return {
    ofDates: (dates: readonly DateRange[], kinds: readonly number[] | undefined): number =>
      dates.reduce((files, each) => files + ofRange(each, kinds), 0),
    *byDay(
      dates: readonly DateRange[] | undefined,
      kinds: readonly number[] | undefined,
      descending: boolean,
    ): Iterable<DayCount> {
      const { from, to } = dates === undefined ? unbounded : boundsOf(dates)
      const days = descending ? descendingDays : ascendingDays
      const rows = days.iterate(daysOf({ from, to }, kinds)) as Iterable<[number, number]>
      for (const [day, files] of rows)
        if (dates === undefined || dates.some((range) => overlapsDay(range, day)))
          yield { day, files }
    },
    latestDays: (dates: DateRange, kinds: readonly number[] | undefined) =>
      latest.iterate(daysOf(dates, kinds)) as Iterable<DayKind>,
  }
}

function overlapsDay({ from, to }: DateRange, day: number): boolean {
  return from < (day + 1) * secondsPerDay && to >= day * secondsPerDay
}
