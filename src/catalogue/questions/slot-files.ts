/** The files of slots that are damaged or half; the slots that are half (see series/half.ts). */
import { secondsPerDay } from '../../parse/calendar.ts'
import { halfSlotsOf, leastShare } from '../../series/half.ts'
import type { DayRange, SeriesKey } from '../../series/series.ts'
import { periodRules, seriesOf, slotAt, startOf } from '../../series/series.ts'
import type { Question, Statement } from '../question.ts'
import { all, rows } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import { pathOf } from '../tables/paths.ts'
import { kindsOf } from './live-files.ts'

/** A damaged live file of a series, and the slot that it fills. */
export interface DamagedFile extends SeriesKey {
  /** As in `NetworkSeries`. */
  readonly station: string
  readonly slot: number
  /** Below the archive root. */
  readonly path: string
}

/**
 * The damaged live files of series whose data begin on some days, with their paths.
 * @throws NotBuilt
 */
export function* damagedFiles(
  { fromDay, toDay }: DayRange,
  context: QuestionContext,
): Question<readonly DamagedFile[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const sites = yield* context.lookups.sites()
  const { stations, kinds } = context.lookups
  const found = yield* rows<[station: number, kind: number, start: number, path: string]>(
    `SELECT f.station, f.kind, f.data_date, ${pathOf('d.path', 'f.name')}
     FROM file f ${context.dialect.using('file_damaged')} JOIN directory d ON d.id = f.directory
     WHERE f.damaged_us IS NOT NULL AND f.data_date >= @start AND f.data_date < @end
     ORDER BY f.station, f.data_date, f.id`,
    { start: fromDay * secondsPerDay, end: (toDay + 1) * secondsPerDay },
  )
  return found.flatMap(([stationId, kind, start, path]) => {
    const parts = kinds.get(kind)
    const key = parts && seriesOf(parts)
    const station = sites.mainCode(stations.get(stationId) ?? '')
    return key === undefined ? [] : [{ station, ...key, slot: slotAt(start, key.period), path }]
  })
}

/** Slots of a series; its station is named as in `NetworkSeries`. */
interface SlotsOfSeries extends SeriesKey {
  readonly station: string
  readonly slots: readonly number[]
}

/** A file with a small share, after which a part begins. */
type Position = readonly [sharePpm: number, id: number]

/** A part of the slots; a slot may be in several parts. */
export interface HalfSlotsPart {
  readonly head: Head
  /** Number of the files with a small share that were read, also of slots that are not half. */
  readonly files: number
  readonly series: readonly SlotsOfSeries[]
  /** Where the next part begins; `undefined` after the last one. */
  readonly next: Position | undefined
}

/** The best file of a slot that is half. */
export interface HalfFile extends SeriesKey {
  readonly station: string
  readonly slot: number
  /** 0 to 1. */
  readonly share: number
  /** Below the archive root. */
  readonly path: string
}

const million = 1_000_000

type SmallRow = [
  share: number,
  id: number,
  station: number,
  kind: number,
  start: number,
  damagedUs: number | null,
]

interface HalfSlotsQuery {
  readonly after?: Position | undefined
  /** Number of files with a small share in a part. */
  readonly limit: number
}

/** The next slots that are half, of the whole catalogue. @throws NotBuilt */
export function* halfSlots(
  { after = [-1, 0], limit }: HalfSlotsQuery,
  context: QuestionContext,
): Question<HalfSlotsPart> {
  const { lookups, dialect } = context
  const { head } = yield* lookups.refresh({ needsBuilt: true })
  const [share, id] = after
  const found = yield* rows<SmallRow>(
    // The planners do not know how few these are.
    `SELECT x.share_ppm, x.id, f.station, f.kind, f.data_date, f.damaged_us
     FROM (SELECT share_ppm, id FROM fact ${dialect.using('fact_share')}
       WHERE ${dialect.inTime('id')} AND share_ppm < ${leastShare * million}
         AND (share_ppm, id) > (CAST(@share AS bigint), CAST(@id AS bigint))
       ORDER BY share_ppm, id LIMIT @limit) x
     CROSS JOIN file f WHERE f.id = x.id ORDER BY x.share_ppm, x.id`,
    { share, id, limit },
  )
  const sites = yield* lookups.sites()
  const wanted = new Map<string, SlotsOfSeries & { readonly slots: number[] }>()
  for (const [, , stationId, kind, start, damagedUs] of found) {
    if (damagedUs !== null) continue
    const parts = lookups.kinds.get(kind)
    const key = parts && seriesOf(parts)
    if (key === undefined) continue
    const station = sites.mainCode(lookups.stations.get(stationId) ?? '')
    const name = [station, key.fileType, key.period].join()
    const series = wanted.get(name) ?? { station, ...key, slots: [] }
    wanted.set(name, series)
    series.slots.push(slotAt(start, key.period))
  }
  const best = yield* bestFiles([...wanted.values()], context)
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    head,
    files: found.length,
    series: best.map(({ series, best }) => ({ ...series, slots: [...best.keys()] })),
    next: last && [last[0], last[1]],
  }
}

/** The best files of those of some slots that are half. @throws NotBuilt */
export function* halfFiles(
  { series }: { readonly series: readonly SlotsOfSeries[] },
  context: QuestionContext,
): Question<readonly HalfFile[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const found = yield* bestFiles(series, context)
  const files = found.flatMap(({ series: { station, fileType, period }, best }) =>
    Array.from(best.values(), (file) => ({ station, fileType, period, ...file })),
  )
  const paths = new Map(
    yield* rows<[id: number, path: string]>(
      `SELECT f.id, ${pathOf('d.path', 'f.name')} FROM file f JOIN directory d ON d.id = f.directory
       WHERE ${context.dialect.isIn('f.id', 'ids')}`,
      { ids: files.map(({ id }) => id) },
    ),
  )
  return files.map(({ id, ...file }) => ({ ...file, path: paths.get(id) ?? '' }))
}

interface FoundFile {
  readonly slot: number
  readonly id: number
  readonly share: number
}

/** The slots that are half among these, by series, each with its best file. */
function* bestFiles(series: readonly SlotsOfSeries[], context: QuestionContext) {
  const { lookups } = context
  const sites = yield* lookups.sites()
  const idsOf = Map.groupBy(lookups.stations.keys(), (id) =>
    sites.mainCode(lookups.stations.get(id) ?? ''),
  )
  const ids = series.map(({ station }) => idsOf.get(station) ?? [])
  const statements = series.flatMap((each, index) =>
    (ids[index] ?? []).map((station) => undamagedFiles(station, each, context)),
  )
  const found = yield* all(...statements)
  let read = 0
  return series.map((each, index) => {
    const count = ids[index]?.length ?? 0
    const own = found.slice(read, (read += count)).flat() as unknown as FileRow[]
    const files = own.map(([start, id, share]) => ({
      slot: slotAt(start, each.period),
      id,
      share: share === null ? undefined : share / million,
    }))
    return { series: each, best: halfSlotsOf(files) as ReadonlyMap<number, FoundFile> }
  })
}

type FileRow = [start: number, id: number, sharePpm: number | null]

/** The files of a station that are not damaged, of slots of a series. */
function undamagedFiles(
  station: number,
  { slots, ...key }: SlotsOfSeries,
  { dialect, lookups }: QuestionContext,
): Statement {
  const starts = [...new Set(slots)].map((slot) => startOf(slot, key.period))
  return {
    sql: `SELECT f.data_date, f.id, x.share_ppm
      FROM ${dialect.each('starts')} CROSS JOIN file f ${dialect.using('file_station')}
      LEFT JOIN fact x ON x.id = f.id
      WHERE ${dialect.inTime('f.id')} AND f.station = @station
        AND ${dialect.isIn('+f.kind', 'kinds')} AND f.data_date >= r.value
        AND f.data_date < r.value + ${periodRules[key.period].seconds} AND f.damaged_us IS NULL`,
    values: { station, kinds: kindsOf(key, lookups.kinds), starts },
  }
}
