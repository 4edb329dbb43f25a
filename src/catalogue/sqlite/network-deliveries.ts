/** Reads the recorded deliveries of all series, by whole days. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { seriesOf } from '../../series/series.ts'
import type { SeriesKey } from '../../series/series.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { DeliveriesQuery, NetworkDeliveries, NetworkSeries } from '../series-queries.ts'
import type { Head } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import type { Lookups } from './lookup-cache.ts'
import { dayOf } from './schema.ts'

/**
 * Maximum number of changes for which the changed days are searched. With more changes it is faster to read all days in parts.
 */
const maxChanges = 50_000

type StartRow = readonly [start: number, series: string, latencies: string]

export function prepareNetworkDeliveries(db: Database, head: () => Head) {
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const state = db.prepare(
    'SELECT deliveries_us AS knownFromUs, forgotten_seq AS purgedSeq FROM catalogue WHERE one = 1',
  )
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
  /**
   * The days to read: without `since`, all days of the range, otherwise the days whose files changed after `since`. `undefined`
   * if these changes are unknown or too many.
   */
  const daysOf = (
    { fromDay, toDay, since }: DeliveriesQuery,
    now: Head,
    purgedSeq: number,
  ): readonly number[] | undefined => {
    if (since === undefined)
      return Array.from({ length: toDay - fromDay + 1 }, (_value, n) => fromDay + n)
    const isKnown =
      since.epoch === now.epoch && since.seq >= purgedSeq && now.seq - since.seq <= maxChanges
    if (!isKnown) return undefined
    const days = changedDays.all({ seq: since.seq }) as number[]
    return days.filter((day) => day >= fromDay && day <= toDay).sort((a, b) => a - b)
  }
  return (query: DeliveriesQuery): NetworkDeliveries => {
    counts.require('station_count')
    lookups.refresh()
    const now = head()
    const { knownFromUs, purgedSeq } = state.get() as {
      readonly knownFromUs: number | null
      readonly purgedSeq: number
    }
    const days = daysOf(query, now, purgedSeq)
    return {
      head: now,
      isComplete: days !== undefined,
      knownFromUs: knownFromUs ?? Infinity,
      series: seriesList(),
      days: (days ?? []).map((day) => {
        const rows = ofDay.all(day * secondsPerDay, (day + 1) * secondsPerDay) as StartRow[]
        return {
          day,
          starts: rows.map(([start, series, latencies]) => ({
            start,
            ids: Int32Array.from(JSON.parse(series) as number[]),
            latencies: Int32Array.from(JSON.parse(latencies) as number[]),
          })),
        }
      }),
    }
  }
}

/** All series that have live files or ever had a delivery, by site (see `sites.ts`). */
function prepareSeriesList(
  db: Database,
  { stations, kinds, sites }: Lookups,
): () => NetworkSeries[] {
  const recorded = db.prepare('SELECT id, station, file_type AS fileType, period FROM series')
  const live = db.prepare('SELECT station, kind, last_date AS lastStart FROM station_count')
  return () => {
    const found = new Map<string, { ids: number[] } & Omit<NetworkSeries, 'ids'>>()
    const seriesAt = (stationId: number, { fileType, period }: SeriesKey) => {
      const own = stations.get(stationId) ?? ''
      const station = sites.longCode(own) ?? own
      const key = `${station} ${fileType} ${period}`
      const known = found.get(key) ?? { ids: [], station, fileType, period, lastStart: undefined }
      found.set(key, known)
      return known
    }
    for (const { id, station, ...key } of recorded.all() as (SeriesKey & {
      id: number
      station: number
    })[])
      seriesAt(station, key).ids.push(id)
    for (const { station, kind, lastStart } of live.all() as {
      station: number
      kind: number
      lastStart: number
    }[]) {
      const parts = kinds.get(kind)
      const key = parts && seriesOf({ ...parts, period: parts.period || undefined })
      if (key === undefined) continue
      const series = seriesAt(station, key)
      found.set(`${series.station} ${key.fileType} ${key.period}`, {
        ...series,
        lastStart: Math.max(series.lastStart ?? -Infinity, lastStart),
      })
    }
    return [...found.values()]
  }
}
