/** Reads the slots of a series: live files by `file_station`, and recorded deliveries. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import {
  deliveryDays,
  learningDays,
  periodRules,
  seriesOf,
  slotAt,
  slotsPerDay,
} from '../../series/series.ts'
import type { SeriesKey } from '../../series/series.ts'
import { union } from '../../series/slot-states.ts'
import type { SeriesArrivals, SeriesQuery, SeriesSlots } from '../series-queries.ts'
import type { Head } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import type { Kind, Lookups } from './lookup-cache.ts'

/**
 * The station of a code: the ids of its codes, and the long codes that its short code could belong to (see `ambiguous` in
 * `SeriesSlots`).
 */
interface Site {
  readonly ids: readonly number[]
  readonly ambiguous: readonly string[]
}

export function prepareSeriesSlots(db: Database, head: () => Head) {
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const firstDate = db
    .prepare(
      `SELECT min(first_date) FROM station_count WHERE station IN (SELECT value FROM json_each(@stations))
         AND kind IN (SELECT value FROM json_each(@kinds))`,
    )
    .pluck()
  const liveSlots = db
    .prepare(
      `SELECT data_date / @seconds FROM file
       WHERE station = @station AND data_date >= @start AND data_date < @end
         AND +kind IN (SELECT value FROM json_each(@kinds)) ORDER BY data_date`,
    )
    .pluck()
  // This query needs one lookup per slot, because deliveries are stored by time.
  const deliveries = `WITH RECURSIVE slot (start) AS (
      SELECT @start WHERE @start < @end UNION ALL SELECT start + @seconds FROM slot WHERE start + @seconds < @end)
    SELECT start / @seconds AS slot, min(latency_s) AS latency FROM slot CROSS JOIN delivery ON data_date = start
    WHERE series IN (SELECT id FROM series WHERE station IN (SELECT value FROM json_each(@stations))
      AND file_type = @fileType AND period = @period)
    GROUP BY start`
  const recorded = db.prepare(`SELECT slot FROM (${deliveries}) ORDER BY slot`).pluck()
  const arrivals = db
    .prepare(`SELECT slot, latency FROM (${deliveries}) WHERE latency IS NOT NULL ORDER BY slot`)
    .raw()
  const latencies = db
    .prepare(`SELECT latency FROM (${deliveries}) WHERE latency IS NOT NULL ORDER BY latency`)
    .pluck()
  const knownFrom = db.prepare('SELECT deliveries_us FROM catalogue WHERE one = 1').pluck()
  const slots = (query: SeriesQuery): SeriesSlots | undefined => {
    counts.require('file_station')
    counts.require('station_count')
    lookups.refresh()
    const site = siteOf(query.code, lookups)
    if (site === undefined) return undefined
    const { period, to } = query
    const { seconds } = periodRules[period]
    const kinds = JSON.stringify(kindsOf(query, lookups.kinds))
    const stations = JSON.stringify(site.ids)
    const first = firstDate.get({ stations, kinds }) as number | null
    const from = query.from ?? Math.min(first === null ? to : slotAt(first, period), to)
    const start = from - learningDays * slotsPerDay(period)
    const range = { start: start * seconds, end: (to + 1) * seconds, seconds }
    const live = site.ids
      .map((station) => liveSlots.all({ station, kinds, ...range }) as number[])
      .reduce<readonly number[]>(union, [])
    return {
      head: head(),
      codes: site.ids.map((id) => lookups.stations.get(id) ?? ''),
      ambiguous: site.ambiguous,
      from,
      live,
      recorded: recorded.all(rangeOf(query, stations, start, to)) as number[],
      latencies: latencies.all(
        rangeOf(query, stations, query.learning.from, query.learning.to),
      ) as number[],
      knownFromUs: Math.max(
        (knownFrom.get() as number | null) ?? Infinity,
        oldestSlot(query) * seconds * 1e6,
      ),
    }
  }
  return {
    slots,
    arrivals: (query: SeriesQuery & { readonly from: number }): SeriesArrivals | undefined => {
      counts.require('station_count')
      lookups.refresh()
      const site = siteOf(query.code, lookups)
      if (site === undefined) return undefined
      const { from, to } = query
      const stations = JSON.stringify(site.ids)
      return {
        head: head(),
        codes: site.ids.map((id) => lookups.stations.get(id) ?? ''),
        ambiguous: site.ambiguous,
        arrivals: arrivals.all(rangeOf(query, stations, from, to)) as [number, number][],
        latencies: latencies.all(
          rangeOf(query, stations, query.learning.from, query.learning.to),
        ) as number[],
      }
    },
  }
}

/** Returns the oldest slot whose delivery is read: older deliveries are purged. */
function oldestSlot({ period, learning }: SeriesQuery): number {
  return learning.to - deliveryDays * slotsPerDay(period)
}

/** Parameters for the deliveries of the slots from `from` to `to`, both included. */
function rangeOf(query: SeriesQuery, stations: string, from: number, to: number) {
  const { fileType, period } = query
  const { seconds } = periodRules[period]
  const first = Math.max(from, oldestSlot(query))
  return { stations, fileType, period, seconds, start: first * seconds, end: (to + 1) * seconds }
}

function kindsOf({ fileType, period }: SeriesKey, kinds: ReadonlyMap<number, Kind>): number[] {
  return [...kinds].flatMap(([id, kind]) => {
    const series = seriesOf({ ...kind, period: kind.period === '' ? undefined : kind.period })
    return series?.fileType === fileType && series.period === period ? [id] : []
  })
}

/**
 * Finds the station of a code; `undefined` for a code that the catalogue does not have. The files
 * of a short code that belongs to no long code (see `sites.ts`) are a series of their own.
 */
function siteOf(code: string, { stations, sites }: Lookups): Site | undefined {
  const codeOf = (each: string): string => sites.longCode(each) ?? each
  const ids = [...stations].flatMap(([id, each]) => (codeOf(each) === codeOf(code) ? [id] : []))
  const shortCode = code.slice(0, 4)
  const sharing = sites.longCodes(shortCode)
  if (ids.length === 0 && (code.length === 9 || sharing.length === 0)) return undefined
  const isShared =
    sharing.length > 1 && (code.length === 4 || [...stations.values()].includes(shortCode))
  return { ids, ambiguous: isShared ? [...sharing].sort() : [] }
}
