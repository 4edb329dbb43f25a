/** Records which slots of which series were delivered, and how late; kept for 400 days, also when the files are removed. */
import type { Database } from 'better-sqlite3'
import { deliveryDays, periodRules, seriesOf, slotAt } from '../../insight/series.ts'
import type { SeriesKey } from '../../insight/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { ParsedName } from '../../parse/types.ts'

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
  /** Records the slot of new files; an already recorded slot keeps its first delivery. */
  record(files: DeliveredFiles): void
  /** Clears the cache of series ids after a rolled-back transaction. */
  reset(): void
}

export function prepareDeliveries(db: Database): Deliveries {
  /** Ids by type and period, then by station. */
  const series = new Map<string, Map<number, number>>()
  const insertSeries = db.prepare(
    'INSERT INTO series (station, file_type, period) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const selectSeries = db
    .prepare('SELECT id FROM series WHERE station = ? AND file_type = ? AND period = ?')
    .pluck()
  const insert = db.prepare(
    `INSERT INTO delivery (data_date, series, latency_s) SELECT ?, value, ? FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING`,
  )
  const seriesIds = (stations: readonly number[], { fileType, period }: SeriesKey): number[] => {
    const ids = series.get(fileType + period) ?? new Map<number, number>()
    series.set(fileType + period, ids)
    return stations.map((station) => {
      let id = ids.get(station)
      if (id === undefined) {
        insertSeries.run(station, fileType, period)
        id = selectSeries.get(station, fileType, period) as number
        ids.set(station, id)
      }
      return id
    })
  }
  return {
    record({ parsed, stations, arrived, nowUs }) {
      const key = seriesOf(parsed)
      if (key === undefined) return
      const slot = slotAt(parsed.startSeconds, key.period)
      const { seconds } = periodRules[key.period]
      const ageSeconds = Math.floor(nowUs / 1e6) - (slot + 1) * seconds
      if (ageSeconds > deliveryDays * secondsPerDay) return
      const latency = arrived ? Math.max(0, ageSeconds) : null
      insert.run(slot * seconds, latency, JSON.stringify(seriesIds(stations, key)))
    },
    reset() {
      series.clear()
    },
  }
}

/** Deletes deliveries older than 400 days. */
export function prepareDeliveryPurge(db: Database): (nowUs: number) => void {
  const purge = db.prepare('DELETE FROM delivery WHERE data_date < ?')
  return (nowUs) => {
    purge.run(Math.floor(nowUs / 1e6) - deliveryDays * secondsPerDay)
  }
}
