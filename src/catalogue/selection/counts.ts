/** Reads the tables of exact counts. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { Dialect } from '../dialect.ts'
import type { Question, Row, Statement } from '../question.ts'
import { all, column, rows } from '../question.ts'
import { idCountLevels } from '../tables/count-tables.ts'
import { dayOf, yearOf } from '../tables/days.ts'
import type { DateRange } from './date-ranges.ts'
import type { IdRange, Selection } from './selection.ts'
import { hasOnly } from './selection.ts'

/** Number of ids in a bucket of the highest level. */
const idsPerRange = 2 ** idCountLevels[0]

/** A day, and a kind that has files on it. None of these files has a higher id than `lastId`. */
type DayKind = [day: number, kind: number, lastId: number]

/** Kinds of a filter, by id; `undefined`: all kinds. */
type KindIds = readonly number[] | undefined

/** Number of day kinds that one statement reads. */
const dayKindsPerStatement = 64

/** What files can be grouped by; `size` stands for the sums of all. */
export type Group = 'kind' | 'station' | 'year' | 'size'

/** The columns of each group of files; of `size`, the sum of the sizes. */
export const groupColumns: Readonly<Record<Group, string>> = {
  kind: 'f.kind',
  station: 'f.station',
  year: yearOf(dayOf('f.data_date')),
  size: 'CAST(sum(f.size) AS bigint)',
}

const sumOfFiles = 'CAST(sum(files) AS bigint)'

/** What a statement returns of a table of counts and, of parts of days, of the files. */
interface Counted {
  readonly fromCounts: string
  readonly fromFiles: string
  readonly by?: Group
}

const files: Counted = { fromCounts: sumOfFiles, fromFiles: 'count(*)' }

/** The group, and the number of its files; for `size`, the number of files, and their bytes. */
function grouped(by: Group): Counted {
  if (by === 'size')
    return {
      by,
      fromCounts: `${sumOfFiles}, CAST(sum(bytes) AS bigint)`,
      fromFiles: `count(*), ${groupColumns.size}`,
    }
  return {
    by,
    fromCounts: `${by === 'year' ? yearOf('day') : by}, ${sumOfFiles}`,
    fromFiles: `${groupColumns[by]}, count(*)`,
  }
}

function groupBy({ by }: Counted): string {
  return by === undefined || by === 'size' ? '' : 'GROUP BY 1'
}

/** Contains the days of all file names. */
const everyDay = { from: -1e8 * secondsPerDay, to: 1e8 * secondsPerDay - 1 }

/** Exact numbers of files without reading files, but those of parts of days. */
export class Counts {
  readonly #dialect: Dialect

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** Number of files of these kinds with ids in a range (default: all ids). */
  *ofIds(kinds: KindIds, range?: IdRange): Question<number> {
    const { from = -Infinity, to = Infinity } = range ?? {}
    const found = yield* all(
      ...(to === Infinity ? [this.#total(kinds)] : this.#below(Math.max(0, to + 1), kinds)),
      ...(from === -Infinity ? [] : this.#below(Math.max(0, from), kinds, -1)),
    )
    return sumOf(found)
  }

  /**
   * The range of ids that contains a page. Files are ranked by id; the file with the highest id has
   * rank 0, and the page has the ranks from `offset` to `offset + limit - 1`. At its high end, the
   * range may contain up to 63 files before the page; `skip` is their number. At its low end, it
   * may contain up to 63 files after the page. For all kinds, the range has no low end.
   */
  *idsAt(
    kinds: KindIds,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Question<IdRange & { readonly skip: number }> {
    const { bucket, before } = yield* this.#bucketOf(offset, kinds)
    const to = bucket * 64 + 63
    // A query for all kinds reads rows in the order of ids, so its LIMIT ends it after the page. A
    // query for several kinds reads all index entries of the range before it sorts them.
    if (kinds === undefined) return { from: -Infinity, to, skip: before }
    const total = sumOf(yield* all(this.#total(kinds)))
    const last = yield* this.#bucketOf(Math.min(offset + limit, total) - 1, kinds)
    return { from: last.bucket * 64, to, skip: before }
  }

  /** The next range of at most 2^18 ids with files in it, from one end of a range of ids. */
  *nextIds({ from, to }: IdRange, descending: boolean): Question<IdRange | undefined> {
    const [first, last] = [Math.max(0, from), Math.min(Number.MAX_SAFE_INTEGER, to)]
    const [bucket] = yield* column<number>(
      `SELECT bucket FROM id_count WHERE level = ${idCountLevels[0]} AND kind = 0
         AND bucket BETWEEN @first AND @last ORDER BY bucket ${descending ? 'DESC' : 'ASC'} LIMIT 1`,
      { first: Math.floor(first / idsPerRange), last: Math.floor(last / idsPerRange) },
    )
    if (bucket === undefined) return undefined
    const start = bucket * idsPerRange
    return { from: Math.max(from, start), to: Math.min(to, start + idsPerRange - 1) }
  }

  *ofStations(stations: readonly number[], kinds: KindIds): Question<number> {
    return sumOf(
      yield* all({
        sql: `SELECT CAST(sum(files) AS bigint) FROM station_count
          WHERE ${this.#dialect.isIn('station', 'stations')} ${this.#ofKinds(kinds)}`,
        values: { stations, ...(kinds && { kinds }) },
      }),
    )
  }

  /** The range in which the data of all files of some stations and kinds start. */
  *dateRange(
    stations: readonly number[] | undefined,
    kinds: KindIds,
  ): Question<DateRange | undefined> {
    const ofStations = stations === undefined ? 'TRUE' : this.#dialect.isIn('station', 'stations')
    const [[from, to] = [null, null]] = yield* rows<[number | null, number | null]>(
      `SELECT min(first_date), max(last_date) FROM station_count
       WHERE ${ofStations} ${this.#ofKinds(kinds)}`,
      { ...(stations && { stations }), ...(kinds && { kinds }) },
    )
    return from === null || to === null ? undefined : { from, to }
  }

  /** Whole days are counted by `day_count`, the partial days at both ends by the index. */
  *ofDates(dates: readonly DateRange[], kinds: KindIds): Question<number> {
    return sumOf(yield* all(...this.#ofRanges(dates, kinds, files)))
  }

  /**
   * The groups of the files of a selection, if the tables have them; a group may be in several
   * rows. Parts of days are read from the files themselves.
   */
  *grouped(by: Group, selection: Selection): Question<readonly Row[] | undefined> {
    const { kinds, stations, dates } = selection
    const counted = grouped(by)
    const read = (table: string, condition: string): Question<Row[]> =>
      rows(
        `SELECT ${counted.fromCounts} FROM ${table}
         WHERE ${condition} ${this.#ofKinds(kinds)} ${groupBy(counted)}`,
        { ...(kinds && { kinds }), ...(stations && { stations }) },
      )
    if (by === 'station' || stations !== undefined) {
      if (by === 'year' || !hasOnly(selection, ['stations', 'kinds'])) return undefined
      const ofStations = stations ? this.#dialect.isIn('station', 'stations') : 'TRUE'
      return yield* read('station_count', ofStations)
    }
    if (by !== 'year' && hasOnly(selection, ['kinds']))
      return yield* read('id_count', `level = ${idCountLevels[0]} AND kind <> 0`)
    if (!hasOnly(selection, ['dates', 'kinds'])) return undefined
    return (yield* all(...this.#ofRanges(dates ?? [everyDay], kinds, counted))).flat()
  }

  /** The days and kinds that have files, highest `lastId` first, from below `lastId`. */
  *latestDays({ from, to, ...range }: DateRange, kinds: KindIds, lastId: number) {
    const wanted = range.kinds ?? kinds
    const found = yield* rows<DayKind>(
      `SELECT day, kind, last_id FROM day_count
       WHERE day BETWEEN @from AND @to AND last_id < @lastId ${this.#ofKinds(wanted)}
       ORDER BY last_id DESC LIMIT ${dayKindsPerStatement}`,
      { ...daysOf({ from, to }), lastId, ...(wanted && { kinds: wanted }) },
    )
    return { dayKinds: found, areAll: found.length < dayKindsPerStatement }
  }

  /** In `id_count`, rows of kind 0 count all kinds. */
  #ofKinds(kinds: KindIds, column = 'kind'): string {
    return kinds === undefined ? '' : `AND ${this.#dialect.isIn(column, 'kinds')}`
  }

  #idCounts(level: number, kinds: KindIds, { from, to }: IdRange, sign = 1): Statement {
    return {
      sql: `SELECT CAST(${sign} * sum(files) AS bigint) FROM id_count WHERE level = @level
          AND ${this.#dialect.isIn('kind', 'kinds')} AND bucket >= @from AND bucket < @to`,
      values: { level, kinds: kinds ?? [0], from, to },
    }
  }

  #total(kinds: KindIds): Statement {
    const every = { from: 0, to: Number.MAX_SAFE_INTEGER }
    return this.#idCounts(idCountLevels[0], kinds, every)
  }

  /** Statements whose sum is the number of files with ids below `id`. */
  #below(id: number, kinds: KindIds, sign = 1): Statement[] {
    let from = 0
    const statements = idCountLevels.map((level) => {
      const to = Math.floor(id / 2 ** level)
      const statement = this.#idCounts(level, kinds, { from, to }, sign)
      from = to * 64
      return statement
    })
    const rest: Statement = {
      sql: `SELECT ${sign} * count(*) FROM file f ${this.#dialect.using('')}
        WHERE f.id >= @from AND f.id < @to ${this.#ofKinds(kinds, 'f.kind')}`,
      values: { from, to: id, ...(kinds && { kinds }) },
    }
    return [...statements, rest]
  }

  /** The bucket of the lowest level that contains a rank, and the number of its files before it. */
  *#bucketOf(rank: number, kinds: KindIds): Question<{ bucket: number; before: number }> {
    let [from, to, before] = [0, Number.MAX_SAFE_INTEGER, rank]
    for (const level of idCountLevels) {
      const buckets = yield* rows<[number, number]>(
        `SELECT bucket, CAST(sum(files) AS bigint) FROM id_count WHERE level = @level
           AND ${this.#dialect.isIn('kind', 'kinds')} AND bucket >= @from AND bucket < @to
         GROUP BY bucket ORDER BY bucket DESC`,
        { level, kinds: kinds ?? [0], from, to },
      )
      for (const [bucket, files] of buckets) {
        ;[from, to] = [bucket * 64, (bucket + 1) * 64]
        if (before < files) break
        before -= files
      }
    }
    return { bucket: Math.floor(from / 64), before }
  }

  #ofRanges(dates: readonly DateRange[], kinds: KindIds, counted: Counted): Statement[] {
    return dates.flatMap((range) => this.#ofRange(range, range.kinds ?? kinds, counted))
  }

  #ofRange({ from, to }: DateRange, kinds: KindIds, counted: Counted): Statement[] {
    const first = Math.ceil(from / secondsPerDay)
    const end = Math.floor((to + 1) / secondsPerDay)
    const part = (from: number, to: number) => this.#ofPart({ from, to }, kinds, counted)
    if (first > end) return [part(from, to)]
    const [firstSecond, endSecond] = [first * secondsPerDay, end * secondsPerDay]
    return [
      ...(first < end ? [this.#ofDays({ from: first, to: end - 1 }, kinds, counted)] : []),
      ...(from < firstSecond ? [part(from, firstSecond - 1)] : []),
      ...(to >= endSecond ? [part(endSecond, to)] : []),
    ]
  }

  #ofDays(days: IdRange, kinds: KindIds, counted: Counted): Statement {
    const ofDays = `day_count WHERE day BETWEEN @from AND @to ${this.#ofKinds(kinds)}`
    // The days are in order, so summing them up first leaves little to sort.
    const from =
      counted.by === 'year'
        ? `(SELECT day, sum(files) AS files FROM ${ofDays} GROUP BY day) AS days`
        : ofDays
    return {
      sql: `SELECT ${counted.fromCounts} FROM ${from} ${groupBy(counted)}`,
      values: { ...days, ...(kinds && { kinds }) },
    }
  }

  /** Counts the files of a part of a day by the index. */
  #ofPart(seconds: IdRange, kinds: KindIds, counted: Counted): Statement {
    return {
      sql: `SELECT ${counted.fromFiles} FROM file f ${this.#dialect.using('file_date')}
        WHERE ${this.#dialect.inTime('f.id')} AND f.data_date BETWEEN @from AND @to
          ${this.#ofKinds(kinds, 'f.kind')} ${groupBy(counted)}`,
      values: { ...seconds, ...(kinds && { kinds }) },
    }
  }
}

function sumOf(found: readonly (readonly (readonly unknown[])[])[]): number {
  return found.reduce((sum, [row]) => sum + ((row?.[0] as number | null | undefined) ?? 0), 0)
}

function daysOf({ from, to }: DateRange): { from: number; to: number } {
  return { from: Math.floor(from / secondsPerDay), to: Math.floor(to / secondsPerDay) }
}
