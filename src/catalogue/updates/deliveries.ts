/**
 * Records the deliveries of the slots of each series, with their latency. The deliveries are kept
 * for 400 days, even if the files are removed.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { ParsedName } from '../../parse/types.ts'
import { unseen } from '../../series/delivery-window.ts'
import { deliveryDays, periodRules, seriesOf, slotAt } from '../../series/series.ts'
import type { Dialect } from '../dialect.ts'
import { execute } from '../question.ts'
import type { Question, Statement } from '../question.ts'
import { Lookup } from './lookup.ts'

/** New records whose names differ only in the station. */
interface DeliveredFiles {
  readonly parsed: ParsedName
  /** The id of the station of each file, and the time of its arrival if that was seen. */
  readonly files: readonly {
    readonly station: number
    readonly arrivalUs: number | undefined
  }[]
  readonly nowUs: number
}

export class DeliveryRows {
  readonly #series: Lookup
  readonly #insert: string

  constructor(dialect: Dialect) {
    const columns = { station: 'int', file_type: 'text', period: 'text' } as const
    this.#series = new Lookup(dialect, 'series', columns)
    this.#insert = `INSERT INTO delivery (data_date, series, latency_s)
      SELECT @data_date, r.value, @latency_s FROM ${dialect.each('series', 'bigint')} WHERE TRUE
      ON CONFLICT DO NOTHING`
  }

  /** To be used at the start of a transaction. */
  begin(): Question<void> {
    return this.#series.begin()
  }

  /**
   * The statements that record the delivery of the slot of new files. If the slot is recorded
   * already, the first delivery stays. There are none for files without a series, or if the slot
   * ended more than 400 days ago.
   */
  record({ parsed, files, nowUs }: DeliveredFiles): Statement[] {
    const key = seriesOf(parsed)
    if (key === undefined) return []
    const slot = slotAt(parsed.startSeconds, key.period)
    const { seconds } = periodRules[key.period]
    const end = (slot + 1) * seconds
    if (Math.floor(nowUs / 1e6) - end > deliveryDays * secondsPerDay) return []
    // One statement for each latency: in a burst few differ, and those of a scan have none.
    const byLatency = new Map<number | null, number[]>()
    for (const { station, arrivalUs } of files) {
      const latency = arrivalUs === undefined ? null : latencyOf(arrivalUs, end)
      const series = byLatency.get(latency) ?? []
      byLatency.set(latency, series)
      series.push(this.#series.idOf([station, key.fileType, key.period]))
    }
    const inserts = Array.from(byLatency, ([latency, series]) => ({
      sql: this.#insert,
      values: { data_date: slot * seconds, latency_s: latency, series },
    }))
    return [...this.#series.unwritten(), ...inserts]
  }
}

/**
 * The seconds from the end of a slot, in seconds since 1970, to an arrival. Above the value that
 * stands for no latency (see `unseen`) also if a wrong name puts the slot centuries ahead.
 */
function latencyOf(arrivalUs: number, end: number): number {
  return Math.max(Math.floor(arrivalUs / 1e6) - end, unseen + 1)
}

/** Deletes the deliveries of slots that began more than 400 days ago. */
export function* purgeDeliveries(nowUs: number): Question<void> {
  const before = Math.floor(nowUs / 1e6) - deliveryDays * secondsPerDay
  yield* execute({ sql: 'DELETE FROM delivery WHERE data_date < @before', values: { before } })
}
