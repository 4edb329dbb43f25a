/** The recorded deliveries of all series, by whole days. */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { DayDeliveries } from '../../series/delivery-window.ts'
import { unseen } from '../../series/delivery-window.ts'
import type { SeriesKey } from '../../series/series.ts'
import { seriesOf, settledDays, slotAt } from '../../series/series.ts'
import type { Question, Row, Statement } from '../question.ts'
import { all, column } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import { dayOf } from '../tables/days.ts'
import type { CatalogueState } from '../tables/head.ts'
import type { DamagedRow } from './live-files.ts'
import { damagedRows } from './live-files.ts'

/** Query for the deliveries of all series. */
export interface DeliveriesQuery {
  /** First and last UTC day since 1970, both included. */
  readonly fromDay: number
  readonly toDay: number
  /**
   * Reads only days on which the data of files start that changed after this state; without it,
   * reads all days.
   */
  readonly since?: Head | undefined
}

/** A series that has live files, or for which a delivery was ever recorded. */
export interface NetworkSeries extends SeriesKey {
  /**
   * The station code: 9 characters, or 4 for a short code that belongs to no long code (see
   * `selection/sites.ts`).
   */
  readonly station: string
  /**
   * The ids of the series in `DayDeliveries`: several if deliveries of a long and of a short code
   * were recorded, none if no delivery was ever recorded.
   */
  readonly ids: readonly number[]
  /**
   * First and latest start of the data of its live files, in seconds since 1970; `undefined`
   * without live files.
   */
  readonly firstStart: number | undefined
  readonly lastStart: number | undefined
  /** Number of its live files. */
  readonly files: number
  /**
   * The period as its newest live files with long names write it: `24H` for `01D`; `undefined`
   * without such files.
   */
  readonly writtenPeriod: string | undefined
  /** Its slots with damaged live files (see `DamagedSlots`). */
  readonly damaged: readonly (readonly [slot: number, foundSeconds: number])[]
}

/** The recorded deliveries of all series on some days. */
export interface NetworkDeliveries {
  readonly head: Head
  readonly series: readonly NetworkSeries[]
  /** False if the changes after `since` are unknown or too many; then no day was read. */
  readonly isComplete: boolean
  /**
   * The damaged live files of each day on which there are some, as a text that changes with them:
   * deliveries of a day whose text is another have changed without a change of the head.
   */
  readonly damagedDays: ReadonlyMap<number, string>
  /**
   * Codes of the stations, as in `NetworkSeries`, of which files have changed after `since` that
   * begin before the last `settledDays`. Empty without `since`.
   */
  readonly olderChanged: readonly string[]
  /** The days that were read, ascending, with all their deliveries. */
  readonly days: readonly DayDeliveries[]
}

/**
 * Maximum number of changes for which the changed days are searched. With more changes it is faster
 * to read all days in parts.
 */
const mostChanges = 50_000

type StartRow = [start: number, series: string, latencies: string]
type RecordedRow = [
  id: number,
  station: number,
  fileType: SeriesKey['fileType'],
  period: SeriesKey['period'],
]
type LiveRow = [station: number, kind: number, files: number, firstStart: number, lastStart: number]

const none = { firstStart: undefined, lastStart: undefined, files: 0, writtenPeriod: undefined }

/** The recorded deliveries of all series. @throws NotBuilt */
export function* deliveries(
  { fromDay, toDay, since }: DeliveriesQuery,
  context: QuestionContext,
): Question<NetworkDeliveries> {
  const state = yield* context.lookups.refresh({ needsBuilt: true })
  const days =
    since === undefined
      ? Array.from({ length: toDay - fromDay + 1 }, (_value, n) => fromDay + n)
      : yield* changedSince(since, state)
  const read = (days ?? []).filter((day) => day >= fromDay && day <= toDay).sort((a, b) => a - b)
  const found = yield* all(...read.map((day) => deliveriesOn(day, context)))
  const [damaged = []] = yield* all(damagedRows(context.dialect))
  return {
    head: state.head,
    isComplete: days !== undefined,
    olderChanged: yield* olderChangedSince(
      days && since,
      (toDay - settledDays) * secondsPerDay,
      context,
    ),
    damagedDays: damagedDaysOf(damaged as unknown as DamagedRow[]),
    series: yield* networkSeries(damaged as unknown as DamagedRow[], context),
    days: read.map((day, at) => deliveriesOf(day, found[at] ?? [])),
  }
}

/** Each start has one row, because to copy a million single values would take seconds. */
function deliveriesOn(day: number, context: QuestionContext): Statement {
  const ids = context.dialect.list('series')
  const latencies = context.dialect.list(`coalesce(latency_s, ${unseen})`)
  return {
    sql: `SELECT data_date, ${ids}, ${latencies} FROM delivery
      WHERE data_date >= @from AND data_date < @to GROUP BY data_date ORDER BY data_date`,
    values: { from: day * secondsPerDay, to: (day + 1) * secondsPerDay },
  }
}

/** All series that have live files or ever had a delivery, by site (see `sites.ts`). */
function* networkSeries(
  damaged: readonly DamagedRow[],
  context: QuestionContext,
): Question<NetworkSeries[]> {
  const sites = yield* context.lookups.sites()
  const { stations, kinds } = context.lookups
  const found = new Map<string, DeliveredSeries>()
  const seriesAt = (stationId: number, { fileType, period }: SeriesKey) => {
    const station = sites.mainCode(stations.get(stationId) ?? '')
    const key = `${station} ${fileType} ${period}`
    const known = found.get(key) ?? { ...none, ids: [], damaged: [], station, fileType, period }
    found.set(key, known)
    return known
  }
  const [recorded = [], live = []] = yield* all(
    { sql: 'SELECT id, station, file_type, period FROM series' },
    {
      // Which period is the newest one as written depends on the order.
      sql: `SELECT station, kind, files, first_date, last_date FROM station_count
        ORDER BY station, kind`,
    },
  )
  for (const [id, station, fileType, period] of recorded as unknown as RecordedRow[])
    seriesAt(station, { fileType, period }).ids.push(id)
  for (const [station, kind, files, firstStart, lastStart] of live as unknown as LiveRow[]) {
    const parts = kinds.get(kind)
    const key = parts && seriesOf(parts)
    if (parts === undefined || key === undefined) continue
    const series = seriesAt(station, key)
    const isNewest = parts.period !== '' && lastStart >= (series.lastStart ?? -Infinity)
    found.set(`${series.station} ${key.fileType} ${key.period}`, {
      ...series,
      firstStart: Math.min(series.firstStart ?? Infinity, firstStart),
      lastStart: Math.max(series.lastStart ?? -Infinity, lastStart),
      files: series.files + files,
      writtenPeriod: isNewest ? parts.period : series.writtenPeriod,
    })
  }
  for (const [station, kind, start, foundUs] of damaged) {
    const parts = kinds.get(kind)
    const key = parts && seriesOf(parts)
    if (key === undefined) continue
    const slot = slotAt(start, key.period)
    seriesAt(station, key).damaged.push([slot, Math.floor(foundUs / 1e6)])
  }
  return [...found.values()]
}

interface DeliveredSeries extends Omit<NetworkSeries, 'ids' | 'damaged'> {
  readonly ids: number[]
  readonly damaged: (readonly [slot: number, foundSeconds: number])[]
}

function damagedDaysOf(damaged: readonly DamagedRow[]): ReadonlyMap<number, string> {
  const days = new Map<number, string>()
  for (const [station, kind, start] of damaged) {
    const day = Math.floor(start / secondsPerDay)
    days.set(day, `${days.get(day) ?? ''}${station} ${kind} ${start},`)
  }
  return days
}

/** The days on which files changed; `undefined` if these changes are unknown or too many. */
function* changedSince(
  since: NonNullable<DeliveriesQuery['since']>,
  { head, purgedSeq }: CatalogueState,
): Question<readonly number[] | undefined> {
  const isKnown =
    since.epoch === head.epoch && since.seq >= purgedSeq && head.seq - since.seq <= mostChanges
  if (!isKnown) return undefined
  return yield* column<number>(
    `SELECT ${dayOf('data_date')} FROM file WHERE seq > @seq
     UNION SELECT ${dayOf('data_date')} FROM tombstone WHERE seq > @seq`,
    { seq: since.seq },
  )
}

/** The stations of which files changed whose data begin before a time. */
function* olderChangedSince(
  since: DeliveriesQuery['since'],
  before: number,
  { lookups, dialect }: QuestionContext,
): Question<readonly string[]> {
  if (since === undefined) return []
  // The files before a time are nearly all: those that changed are few.
  const ids = yield* column<number>(
    `SELECT station FROM file ${dialect.using('file_seq')}
     WHERE seq > @seq AND data_date < @before
     UNION SELECT station FROM tombstone ${dialect.using('tombstone_seq')}
     WHERE seq > @seq AND data_date < @before`,
    { seq: since.seq, before },
  )
  const sites = yield* lookups.sites()
  const codes = ids.map((id) => lookups.stations.get(id) ?? '')
  return [...new Set(codes.map((code) => sites.mainCode(code)))]
}

function deliveriesOf(day: number, found: readonly Row[]): DayDeliveries {
  return {
    day,
    starts: (found as unknown as StartRow[]).map(([start, series, latencies]) => ({
      start,
      ids: Int32Array.from(JSON.parse(series) as number[]),
      latencies: Int32Array.from(JSON.parse(latencies) as number[]),
    })),
  }
}
