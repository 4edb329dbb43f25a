/** Reads the slots of a series: live files by `file_station`, and recorded deliveries. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { learningDays, periodRules, seriesOf, slotAt, slotsPerDay } from '../../insight/series.ts'
import type { SeriesKey } from '../../insight/series.ts'
import type { SeriesArrivals, SeriesQuery, SeriesSlots } from '../reader.ts'
import type { Head } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import type { Kind, Lookups } from './lookup-cache.ts'
import { prepareLongCodes } from './station-codes.ts'

/** The station of a code: the ids of its codes, and the long codes that a short code could also belong to. */
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
  const dates = db
    .prepare(
      `SELECT DISTINCT data_date FROM file
       WHERE station = @station AND data_date >= @start AND data_date < @end
         AND +kind IN (SELECT value FROM json_each(@kinds))`,
    )
    .pluck()
  const seriesIds = `SELECT id FROM series WHERE station IN (SELECT value FROM json_each(@stations))
    AND file_type = @fileType AND period = @period`
  const recorded = db
    .prepare(
      `SELECT DISTINCT slot FROM delivery WHERE series IN (${seriesIds}) AND slot BETWEEN @from AND @to ORDER BY slot`,
    )
    .pluck()
  const latencies = db
    .prepare(
      `SELECT min(latency_s) AS latency FROM delivery WHERE series IN (${seriesIds}) AND slot >= @latenciesFrom
         AND latency_s IS NOT NULL GROUP BY slot ORDER BY latency`,
    )
    .pluck()
  const knownFrom = db.prepare('SELECT deliveries_us FROM catalogue WHERE one = 1').pluck()
  const arrivals = db
    .prepare(
      `SELECT slot, min(latency_s) FROM delivery WHERE series IN (${seriesIds}) AND slot BETWEEN @from AND @to
         AND latency_s IS NOT NULL GROUP BY slot ORDER BY slot`,
    )
    .raw()
  const slots = (query: SeriesQuery): SeriesSlots | undefined => {
    counts.require('file_station')
    counts.require('station_count')
    lookups.refresh()
    const site = siteOf(query.code, lookups)
    if (site === undefined) return undefined
    const { fileType, period, to, latenciesFrom } = query
    const { seconds } = periodRules[period]
    const kinds = JSON.stringify(kindsOf(query, lookups.kinds))
    const stations = JSON.stringify(site.ids)
    const first = firstDate.get({ stations, kinds }) as number | null
    const from = query.from ?? Math.min(first === null ? to : slotAt(first, period), to)
    const start = from - learningDays * slotsPerDay(period)
    const liveDates = site.ids.flatMap(
      (station) =>
        dates.all({
          station,
          kinds,
          start: start * seconds,
          end: (to + 1) * seconds,
        }) as number[],
    )
    const live = [...new Set(liveDates.map((date) => slotAt(date, period)))].sort((a, b) => a - b)
    return {
      head: head(),
      codes: site.ids.map((id) => lookups.stations.get(id) ?? ''),
      ambiguous: site.ambiguous,
      from,
      live,
      recorded: recorded.all({ stations, fileType, period, from: start, to }) as number[],
      latencies: latencies.all({ stations, fileType, period, latenciesFrom }) as number[],
      knownFromUs: (knownFrom.get() as number | null) ?? Infinity,
    }
  }
  return {
    slots,
    arrivals: (query: SeriesQuery & { readonly from: number }): SeriesArrivals | undefined => {
      lookups.refresh()
      const site = siteOf(query.code, lookups)
      if (site === undefined) return undefined
      const { fileType, period, from, to, latenciesFrom } = query
      const stations = JSON.stringify(site.ids)
      return {
        head: head(),
        codes: site.ids.map((id) => lookups.stations.get(id) ?? ''),
        ambiguous: site.ambiguous,
        arrivals: arrivals.all({ stations, fileType, period, from, to }) as [number, number][],
        latencies: latencies.all({ stations, fileType, period, latenciesFrom }) as number[],
      }
    },
  }
}

function kindsOf({ fileType, period }: SeriesKey, kinds: ReadonlyMap<number, Kind>): number[] {
  return [...kinds].flatMap(([id, kind]) => {
    const series = seriesOf({ ...kind, period: kind.period === '' ? undefined : kind.period })
    return series?.fileType === fileType && series.period === period ? [id] : []
  })
}

/** A short code belongs to the one long code that begins with it; with several of them, its files are a series of their own. */
function siteOf(code: string, { stations }: Lookups): Site | undefined {
  const longCodeOf = prepareLongCodes(stations)
  const long = [...stations].filter(([, each]) => each.length === 9 && each.startsWith(code))
  const own = longCodeOf(code) ?? code
  const ids = [...stations].flatMap(([id, each]) =>
    each === own || (longCodeOf(each) ?? each) === own ? [id] : [],
  )
  const site = code.slice(0, 4)
  const sharing = [...stations.values()].filter(
    (each) => each.length === 9 && each.startsWith(site),
  )
  if (ids.length === 0 && long.length === 0) return undefined
  const isShared =
    sharing.length > 1 && (code.length === 4 || [...stations.values()].includes(site))
  return { ids, ambiguous: isShared ? sharing.sort() : [] }
}
