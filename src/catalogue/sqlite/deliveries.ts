/**
 * Records the deliveries of the slots of each series, with their latency. The deliveries are kept for 400 days, even if the files
 * are removed.
 */
import type { Database } from 'better-sqlite3'
import { deliveryDays, periodRules, seriesOf, slotAt } from '../../series/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { ParsedName } from '../../parse/types.ts'
import { openLookup } from './lookup-tables.ts'

/** New records whose names differ only in the station. */
export interface DeliveredFiles {
  readonly parsed: ParsedName
  /** Ids of the stations. */
  readonly stations: readonly number[]
  /** True if the indexer saw the files arrive, false if a scan found them. */
  readonly arrived: boolean
  readonly nowUs: number
}

export interface Deliveries {
  /**
   * Records that the slot of new files was delivered. If the slot is recorded already, the first delivery stays. Does nothing for
   * files without a series, or if the slot ended more than 400 days ago.
   */
  record(files: DeliveredFiles): void
  /** Clears the cache of series ids after a rolled-back transaction. */
  reset(): void
}

export function prepareDeliveries(db: Database): Deliveries {
  const series = openLookup(db, 'series', ['station', 'file_type', 'period'])
  const insert = db.prepare(
    `INSERT INTO delivery (data_date, series, latency_s) SELECT ?, value, ? FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING`,
  )
  return {
    record({ parsed, stations, arrived, nowUs }) {
      const key = seriesOf(parsed)
      if (key === undefined) return
      const slot = slotAt(parsed.startSeconds, key.period)
      const { seconds } = periodRules[key.period]
      const ageSeconds = Math.floor(nowUs / 1e6) - (slot + 1) * seconds
      if (ageSeconds > deliveryDays * secondsPerDay) return
      const latency = arrived ? Math.max(0, ageSeconds) : null
      const { fileType, period } = key
      const ids = stations.map((station) =>
        series.idOf(`${station} ${fileType} ${period}`, [station, fileType, period]),
      )
      insert.run(slot * seconds, latency, JSON.stringify(ids))
    },
    reset() {
      series.clear()
    },
  }
}

/** Returns a function that deletes the deliveries of slots that began more than 400 days ago. */
export function prepareDeliveryPurge(db: Database): (nowUs: number) => void {
  const purge = db.prepare('DELETE FROM delivery WHERE data_date < ?')
  return (nowUs) => {
    purge.run(Math.floor(nowUs / 1e6) - deliveryDays * secondsPerDay)
  }
}
