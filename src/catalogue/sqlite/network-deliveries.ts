/** Reads the recorded deliveries of all series, by whole days. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import type { DayDeliveries } from '../../series/delivery-window.ts'
import { seriesOf } from '../../series/series.ts'
import type { SeriesKey } from '../../series/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { DeliveriesQuery, NetworkDeliveries, NetworkSeries } from '../series-queries.ts'
import type { Head } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import type { Lookups } from './lookup-cache.ts'
import { dayOf } from '../questions/count-tables.ts'

/**
 * Maximum number of changes for which the changed days are searched. With more changes it is faster to read all days in parts.
 */
const maxChanges = 50_000

type StartRow = readonly [start: number, series: string, latencies: string]

export function prepareNetworkDeliveries(db: Database, head: () => Head) {
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const purgedSeq = db.prepare('SELECT forgotten_seq FROM catalogue WHERE one = 1').pluck()
  const changedDays = db
    .prepare(
      `SELECT ${dayOf('data_date')} AS day FROM file WHERE seq > @seq
       UNION SELECT ${dayOf('data_date')} FROM tombstone WHERE seq > @seq`,
    )
    .pluck()
  // Each start has one row, because to copy a million single values into JavaScript would take seconds.
  const ofDay = db
    .prepare(
      `SELECT data_date, json_group_array(series), json_group_array(coalesce(latency_s, -1)) FROM delivery
       WHERE data_date >= ? AND data_date < ? GROUP BY data_date`,
    )
    .raw()
  const seriesList = prepareSeriesList(db, lookups)
  /** The days on which files changed after `since`; `undefined` if these changes are unknown or too many. */
  const changedSince = (since: Head, now: Head): readonly number[] | undefined => {
    const isKnown =
      since.epoch === now.epoch &&
      since.seq >= (purgedSeq.get() as number) &&
      now.seq - since.seq <= maxChanges
    return isKnown ? (changedDays.all({ seq: since.seq }) as number[]) : undefined
  }
  const deliveriesOf = (day: number): DayDeliveries => {
    const rows = ofDay.all(day * secondsPerDay, (day + 1) * secondsPerDay) as StartRow[]
    return {
      day,
      starts: rows.map(([start, series, latencies]) => ({
        start,
        ids: Int32Array.from(JSON.parse(series) as number[]),
        latencies: Int32Array.from(JSON.parse(latencies) as number[]),
      })),
    }
  }
  return ({ fromDay, toDay, since }: DeliveriesQuery): NetworkDeliveries => {
    counts.require('station_count')
    lookups.refresh()
    const now = head()
    const days =
      since === undefined
        ? Array.from({ length: toDay - fromDay + 1 }, (_value, n) => fromDay + n)
        : changedSince(since, now)
    return {
      head: now,
      isComplete: days !== undefined,
      olderChanged: since !== undefined && (days ?? []).some((day) => day < fromDay),
      series: seriesList(),
      days: (days ?? [])
        .filter((day) => day >= fromDay && day <= toDay)
        .sort((a, b) => a - b)
        .map(deliveriesOf),
    }
  }
}

const none = { firstStart: undefined, lastStart: undefined, files: 0 }

interface LiveRow {
  readonly station: number
  readonly kind: number
  readonly files: number
  readonly firstStart: number
  readonly lastStart: number
}

/** All series that have live files or ever had a delivery, by site (see `sites.ts`). */
function prepareSeriesList(
  db: Database,
  { stations, kinds, sites }: Lookups,
): () => NetworkSeries[] {
  const recorded = db.prepare('SELECT id, station, file_type AS fileType, period FROM series')
  const live = db.prepare(
    'SELECT station, kind, files, first_date AS firstStart, last_date AS lastStart FROM station_count',
  )
  return () => {
    const found = new Map<string, { ids: number[] } & Omit<NetworkSeries, 'ids'>>()
    const seriesAt = (stationId: number, { fileType, period }: SeriesKey) => {
      const own = stations.get(stationId) ?? ''
      const station = sites.longCode(own) ?? own
      const key = `${station} ${fileType} ${period}`
      const known = found.get(key) ?? { ...none, ids: [], station, fileType, period }
      found.set(key, known)
      return known
    }
    for (const { id, station, ...key } of recorded.all() as (SeriesKey & {
      id: number
      station: number
    })[])
      seriesAt(station, key).ids.push(id)
    for (const { station, kind, files, firstStart, lastStart } of live.all() as LiveRow[]) {
      const parts = kinds.get(kind)
      const key = parts && seriesOf({ ...parts, period: parts.period || undefined })
      if (key === undefined) continue
      const series = seriesAt(station, key)
      found.set(`${series.station} ${key.fileType} ${key.period}`, {
        ...series,
        firstStart: Math.min(series.firstStart ?? Infinity, firstStart),
        lastStart: Math.max(series.lastStart ?? -Infinity, lastStart),
        files: series.files + files,
      })
    }
    return [...found.values()]
  }
}
