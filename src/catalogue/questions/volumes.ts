/** How many files there are, and how many bytes: by month of data, area, type and period. */
import { dayToIso, parseDay } from '../../parse/calendar.ts'
import type { FileType } from '../../parse/types.ts'
import type { DayRange } from '../../series/series.ts'
import { seriesOf } from '../../series/series.ts'
import type { Dialect } from '../dialect.ts'
import type { Question, Row, Statement } from '../question.ts'
import { all, column, row, rows } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Kind } from '../selection/kinds.ts'
import type { Volume } from '../sums.ts'
import { sumOfVolumes } from '../sums.ts'
import { kindCounts, sumOfColumn } from '../tables/count-tables.ts'

export interface VolumesQuery {
  /** The days whose volumes are wanted too. */
  readonly days?: DayRange
}

/** How much is in the catalogue. */
export interface Volumes {
  readonly head: Head
  /** All live files by area, type and period, also during a first scan. */
  readonly totals: readonly KindVolume[]
  readonly hashed: HashedFiles
  /**
   * The same by the month in which the data begin, oldest first; `undefined` until the counts of
   * days are built, at the end of a first scan.
   */
  readonly months: readonly MonthVolume[] | undefined
  /** The days that were asked for, by area, oldest first, without those that have no files. */
  readonly days: readonly DayVolume[] | undefined
}

/** The volume of an area, a type and a period. */
export interface KindVolume extends Volume {
  readonly area: string
  readonly fileType: FileType
  /** As long names write it, `01D`; `undefined` for short names that do not say it. */
  readonly period: string | undefined
}

/** The volume of the data that begin in a month: `2026-01`. */
export interface MonthVolume extends KindVolume {
  readonly month: string
}

/** The volume of the data of an area that begin on a UTC day, counted from 1970-01-01. */
export interface DayVolume extends Volume {
  readonly day: number
  readonly area: string
}

/** The files that were read to compute their checksums. */
export interface HashedFiles {
  /** Number of files with a checksum that is not stale. */
  readonly files: number
  /** Number of files whose checksum is stale, so that they are read again. */
  readonly stale: number
  /**
   * Times at which the oldest and the newest record with a checksum were made. A file is read after
   * that, and once: the time of the read is not stored. `undefined` without checksums.
   */
  readonly oldestUs: number | undefined
  readonly newestUs: number | undefined
}

type KindRow = [kind: number, files: number, bytes: number]
type MonthRow = [firstDay: number, ...volume: KindRow]
type DayRow = [day: number, area: string, files: number, bytes: number]

/**
 * The number and size of the files. Reads tables of counts, `day_count` once. Never throws
 * `NotBuilt`.
 */
export function* volumes(
  { days }: VolumesQuery,
  { lookups, dialect }: QuestionContext,
): Question<Volumes> {
  const { head } = yield* lookups.refresh()
  const found = yield* rows<KindRow>(`SELECT c.kind, ${sums} ${kindCounts} GROUP BY c.kind`)
  const totals = merged(found, lookups.kinds)
  const hashed = yield* ofChecksums(dialect)
  if (!lookups.isBuilt) return { head, totals, hashed, months: undefined, days: undefined }
  const months = yield* ofMonths(lookups.kinds, dialect)
  return { head, totals, hashed, months, days: days && (yield* ofDays(days, dialect)) }
}

const sums = ['files', 'bytes'].map(sumOfColumn).join(', ')

function* ofChecksums(dialect: Dialect): Question<HashedFiles> {
  const atEnd = (order: 'ASC' | 'DESC'): Statement => ({
    sql: `SELECT f.created_us FROM checksum c CROSS JOIN file f
      WHERE ${dialect.inTime('c.id')} AND c.stale_us IS NULL AND f.id = c.id
      ORDER BY c.id ${order} LIMIT 1`,
  })
  const [counts, oldest, newest] = yield* all(
    { sql: 'SELECT files, stale FROM hashing' },
    atEnd('ASC'),
    atEnd('DESC'),
  )
  const [files = 0, stale = 0] = (counts?.[0] ?? []) as number[]
  const timeOf = (found: readonly Row[] | undefined) => found?.[0]?.[0] as number | undefined
  return { files, stale, oldestUs: timeOf(oldest), newestUs: timeOf(newest) }
}

function* ofDays({ fromDay, toDay }: DayRange, dialect: Dialect): Question<DayVolume[]> {
  const found = yield* rows<DayRow>(
    `SELECT d.day, k.area, ${sums} FROM day_count d JOIN kind k ON k.id = d.kind
     WHERE ${dialect.inTime('d.day')} AND d.day BETWEEN @fromDay AND @toDay
     GROUP BY d.day, k.area ORDER BY 1, 2`,
    { fromDay, toDay },
  )
  return found.map(([day, area, ...volume]) => ({ day, area, ...toVolume(volume) }))
}

function* ofMonths(kinds: ReadonlyMap<number, Kind>, dialect: Dialect): Question<MonthVolume[]> {
  const [first, last] = (yield* row<[number | null, number | null]>(
    'SELECT (SELECT min(day) FROM day_count), (SELECT max(day) FROM day_count)',
  )) ?? [null, null]
  if (first === null || last === null) return []
  // One misdated file must not make a list of the months of thousands of years.
  const years = yield* column<number>(
    `${spans(dialect)} SELECT start FROM span
     WHERE EXISTS (SELECT 1 FROM day_count d WHERE ${isIn}) ORDER BY start`,
    { starts: startsOf(first, last, 'year') },
  )
  const months = years.flatMap((year) => startsOf(year, year + 364, 'month').slice(0, -1))
  const found = yield* rows<MonthRow>(
    `${spans(dialect)} SELECT start, d.kind, ${sums} FROM span CROSS JOIN day_count d
     WHERE ${dialect.inTime('d.day')} AND ${isIn} GROUP BY start, d.kind ORDER BY 1, 2`,
    // Between two of these years there are no files.
    { starts: [...months, last + 1] },
  )
  return Array.from(Map.groupBy(found, ([month]) => month)).flatMap(([month, ofKinds]) => {
    const own = ofKinds.map(([, ...kind]) => kind)
    const name = dayToIso(month).slice(0, 'yyyy-mm'.length)
    return merged(own, kinds).map((volume) => ({ month: name, ...volume }))
  })
}

/** SQL: a table of the spans from each of the first days to the next one. */
function spans(dialect: Dialect): string {
  return `WITH span AS (SELECT value AS start, lead(value) OVER (ORDER BY value) AS stop
    FROM ${dialect.each('starts', 'bigint')})`
}

const isIn = 'd.day >= span.start AND d.day < span.stop'

/** The first days of the calendar years or months from one day to another, and of the next one. */
function startsOf(first: number, last: number, unit: 'year' | 'month'): number[] {
  const [rest, step] = unit === 'year' ? ['-01-01', 366] : ['-01', 31]
  const startAt = (day: number): number =>
    parseDay(dayToIso(day).slice(0, -rest.length) + rest) ?? day
  const starts = [startAt(first)]
  for (let start = startAt(first); start <= last;) {
    start = startAt(start + step)
    starts.push(start)
  }
  return starts
}

/** Adds up the kinds that have the same area, type and period; sorted by these. */
function merged(found: readonly KindRow[], kinds: ReadonlyMap<number, Kind>): KindVolume[] {
  const sums = new Map<string, KindVolume>()
  for (const [id, ...values] of found) {
    const kind = kinds.get(id)
    if (kind === undefined) continue
    const { area, type: fileType } = kind
    const period = periodOf(kind)
    const key = [area, fileType, period].join()
    const [own, other] = [toVolume(values), sums.get(key)]
    const sum = sumOfVolumes([own, ...(other ? [other] : [])])
    sums.set(key, { area, fileType, period, ...sum })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, volume]) => volume)
}

/** The period as long names write it; that of a short name follows from its session. */
function periodOf({ period, ...kind }: Kind): string | undefined {
  return period === '' ? seriesOf({ ...kind, period })?.period : period
}

function toVolume([files, bytes]: readonly [number, number]): Volume {
  return { files, bytes }
}
