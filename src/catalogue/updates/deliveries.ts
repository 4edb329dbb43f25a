/**
 * Records the deliveries of the slots of each series, with their latency. The deliveries are kept
 * for 400 days, even if the files are removed.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { FileDuration, FileType } from '../../parse/types.ts'
import { unseen } from '../../series/delivery-window.ts'
import type { SeriesKey } from '../../series/series.ts'
import { deliveryDays, periodRules, seriesOf, slotAt, startOf } from '../../series/series.ts'
import type { Dialect } from '../dialect.ts'
import type { Question, Statement } from '../question.ts'
import { column, execute, row, value } from '../question.ts'
import { NewIds } from './new-ids.ts'

/** What says which slot a live record fills. */
export interface SlotFile {
  readonly id: number
  readonly station: number
  readonly kind: number
  readonly data_date: number
}

/** A record that is not damaged, with the time of its arrival if that was seen. */
export interface GoodFile extends SlotFile {
  readonly arrival_us: number | null
}

type KindRow = [fileType: FileType, duration: FileDuration, period: string]

const isDelivery = 'data_date = @data_date AND series = @series'

/** What changes of files mean for the deliveries of their series. */
export class DeliveryRows {
  readonly #series: NewIds
  readonly #sql: ReturnType<typeof deliverySql>
  /** The series of the kinds that this transaction asked for. */
  readonly #keys = new Map<number, SeriesKey | undefined>()

  constructor(dialect: Dialect) {
    const columns = { station: 'int', file_type: 'text', period: 'text' } as const
    this.#series = new NewIds(dialect, 'series', columns)
    this.#sql = deliverySql(dialect)
  }

  /** To be used at the start of a transaction. */
  begin(): Question<void> {
    this.#keys.clear()
    return this.#series.begin()
  }

  /**
   * Records the deliveries of the slots of records that are new, or were damaged, and are good now.
   * The latency of the first delivery of a slot stays. Files without a series, and those of slots
   * that ended more than 400 days ago, deliver nothing.
   */
  *gain(files: readonly GoodFile[], nowUs: number): Question<void> {
    for (const slot of Map.groupBy(files, slotKey).values()) {
      const [first] = slot
      if (first === undefined) continue
      const key = yield* this.#keyOf(first.kind)
      if (key !== undefined)
        yield* execute(...this.#inserts(key, first.data_date, { files: slot, nowUs }))
    }
  }

  /** Takes back the deliveries of records that are damaged now. */
  *lose(files: readonly SlotFile[]): Question<void> {
    for (const file of files) {
      const key = yield* this.#keyOf(file.kind)
      const series = key && this.#series.find([file.station, key.fileType, key.period])
      if (key === undefined || series === undefined) continue
      const start = startOf(slotAt(file.data_date, key.period), key.period)
      const delivery = { data_date: start, series }
      if ((yield* value(this.#sql.exists, delivery)) === undefined) continue
      yield* execute({ sql: this.#sql.less, values: delivery })
      const first = yield* this.#firstLeft(file, key)
      if (first === undefined) yield* execute({ sql: this.#sql.none, values: delivery })
      else {
        const [arrivalUs] = first
        const end = start + periodRules[key.period].seconds
        const latency_s = arrivalUs === null ? null : latencyOf(arrivalUs, end)
        yield* execute({ sql: this.#sql.attribute, values: { ...delivery, latency_s } })
      }
    }
  }

  /**
   * The first live record that is not damaged in the slot of another file, with its arrival;
   * `undefined` if there is none.
   */
  *#firstLeft(
    { id, station, data_date }: SlotFile,
    key: SeriesKey,
  ): Question<[arrivalUs: number | null] | undefined> {
    const start = startOf(slotAt(data_date, key.period), key.period)
    const end = start + periodRules[key.period].seconds
    const kinds: number[] = []
    for (const kind of yield* column<number>('SELECT id FROM kind')) {
      const own = yield* this.#keyOf(kind)
      if (own?.fileType === key.fileType && own.period === key.period) kinds.push(kind)
    }
    // Without the index, as in a first scan, to find it takes too long.
    return yield* row(this.#sql.first, { id, station, kinds, start, end })
  }

  #inserts(
    { fileType, period }: SeriesKey,
    startSeconds: number,
    { files, nowUs }: { readonly files: readonly GoodFile[]; readonly nowUs: number },
  ): Statement[] {
    const start = startOf(slotAt(startSeconds, period), period)
    const end = start + periodRules[period].seconds
    if (Math.floor(nowUs / 1e6) - end > deliveryDays * secondsPerDay) return []
    // One statement for each latency: in a burst few differ, and those of a scan have none. A slot
    // with several files, of names that differ in their case, has as many statements.
    const batches: { readonly latency: number | null; readonly series: Set<number> }[] = []
    for (const { station, arrival_us } of files) {
      const latency = arrival_us === null ? null : latencyOf(arrival_us, end)
      const id = this.#series.idOf([station, fileType, period])
      const batch = batches.find((each) => each.latency === latency && !each.series.has(id))
      if (batch === undefined) batches.push({ latency, series: new Set([id]) })
      else batch.series.add(id)
    }
    const inserts = batches.map(({ latency, series }) => ({
      sql: this.#sql.insert,
      values: { data_date: start, latency_s: latency, series: [...series] },
    }))
    return [...this.#series.unwritten(), ...inserts]
  }

  *#keyOf(kind: number): Question<SeriesKey | undefined> {
    if (!this.#keys.has(kind)) {
      const found = yield* row<KindRow>(this.#sql.kind, { kind })
      this.#keys.set(
        kind,
        found && seriesOf({ type: found[0], duration: found[1], period: found[2] }),
      )
    }
    return this.#keys.get(kind)
  }
}

function deliverySql(dialect: Dialect) {
  return {
    insert: `INSERT INTO delivery (data_date, series, latency_s)
      SELECT @data_date, r.value, @latency_s FROM ${dialect.each('series', 'bigint')} WHERE TRUE
      ON CONFLICT (data_date, series) DO UPDATE SET good = delivery.good + 1`,
    kind: 'SELECT file_type, file_duration, period FROM kind WHERE id = @kind',
    less: `UPDATE delivery SET good = good - 1 WHERE ${isDelivery}`,
    none: `DELETE FROM delivery WHERE ${isDelivery} AND good < 1`,
    exists: `SELECT 1 FROM delivery WHERE ${isDelivery}`,
    attribute: `UPDATE delivery SET latency_s = @latency_s WHERE ${isDelivery}`,
    first: `SELECT arrival_us FROM file
      WHERE EXISTS (SELECT 1 FROM built WHERE name = 'file_station')
        AND station = @station AND data_date >= @start AND data_date < @end AND id <> @id
        AND damaged_us IS NULL AND ${dialect.isIn('kind', 'kinds')}
      ORDER BY coalesce(arrival_us, returned_us, created_us), id LIMIT 1`,
  }
}

/**
 * The seconds from the end of a slot, in seconds since 1970, to an arrival. Above the value that
 * stands for no latency (see `unseen`) also if a wrong name puts the slot centuries ahead.
 */
function latencyOf(arrivalUs: number, end: number): number {
  return Math.max(Math.floor(arrivalUs / 1e6) - end, unseen + 1)
}

function slotKey({ kind, data_date }: SlotFile): string {
  return `${kind} ${data_date}`
}

/** Deletes the deliveries of slots that began more than 400 days ago. */
export function* purgeDeliveries(nowUs: number): Question<void> {
  const before = Math.floor(nowUs / 1e6) - deliveryDays * secondsPerDay
  yield* execute({ sql: 'DELETE FROM delivery WHERE data_date < @before', values: { before } })
}
