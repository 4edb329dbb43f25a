/**
 * Records the deliveries of the slots of each series, with their latency. The deliveries are kept
 * for 400 days, even if the files are removed.
 */
import { secondsPerDay } from '../../parse/calendar.ts'
import type { ParsedName } from '../../parse/types.ts'
import { deliveryDays, periodRules, seriesOf, slotAt } from '../../series/series.ts'
import type { Dialect } from '../dialect.ts'
import { execute } from '../question.ts'
import type { Question, Statement } from '../question.ts'
import { Lookup } from './lookup.ts'

/** New records whose names differ only in the station. */
interface DeliveredFiles {
  readonly parsed: ParsedName
  /** Ids of the stations. */
  readonly stations: readonly number[]
  /** True if the indexer saw the files arrive, false if a scan found them. */
  readonly arrived: boolean
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
  record({ parsed, stations, arrived, nowUs }: DeliveredFiles): Statement[] {
    const key = seriesOf(parsed)
    if (key === undefined) return []
    const slot = slotAt(parsed.startSeconds, key.period)
    const { seconds } = periodRules[key.period]
    const ageSeconds = Math.floor(nowUs / 1e6) - (slot + 1) * seconds
    if (ageSeconds > deliveryDays * secondsPerDay) return []
    const values = {
      data_date: slot * seconds,
      latency_s: arrived ? Math.max(0, ageSeconds) : null,
      series: stations.map((station) => this.#series.idOf([station, key.fileType, key.period])),
    }
    return [...this.#series.unwritten(), { sql: this.#insert, values }]
  }
}

/** Deletes the deliveries of slots that began more than 400 days ago. */
export function* purgeDeliveries(nowUs: number): Question<void> {
  const before = Math.floor(nowUs / 1e6) - deliveryDays * secondsPerDay
  yield* execute({ sql: 'DELETE FROM delivery WHERE data_date < @before', values: { before } })
}
