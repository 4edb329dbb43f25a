/** Reads the slots of series: live files by `file_station`, and recorded deliveries. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { lowerBound } from '../../series/latency.ts'
import {
  deliveryDays,
  lookbackDays,
  periodRules,
  recentDays,
  seriesOf,
  slotAt,
  slotsPerDay,
} from '../../series/series.ts'
import type { SeriesKey } from '../../series/series.ts'
import { firstSlot } from '../../series/slot-states.ts'
import type {
  ArrivalsQuery,
  LiveSlots,
  LiveSlotsQuery,
  SeriesArrivals,
  SeriesQuery,
  SeriesSlots,
} from '../series-queries.ts'
import type { Head } from '../records.ts'
import { prepareCounts } from './counts.ts'
import { openLookups } from './lookup-cache.ts'
import { prepareLiveSlots } from './live-slots.ts'
import type { LiveSource } from './live-slots.ts'
import type { Kind, Lookups } from './lookup-cache.ts'

/**
 * The station of a code: the ids of its codes, and the long codes that its short code could belong to (see `ambiguous` in
 * `SeriesSlots`).
 */
interface Site {
  readonly ids: readonly number[]
  readonly ambiguous: readonly string[]
}

/** A recorded delivery; `latency` is null for a file that a scan found. */
type Delivery = readonly [slot: number, latency: number | null]

export function prepareSeriesSlots(db: Database, head: () => Head) {
  const counts = prepareCounts(db)
  const lookups = openLookups(db)
  const liveSource = prepareLiveSlots(db)
  const live = (stations: readonly number[], key: SeriesKey): LiveSource =>
    liveSource(stations, kindsOf(key, lookups.kinds), key.period)
  const recorded = prepareRecorded(db)
  const knownFrom = db.prepare('SELECT deliveries_us FROM catalogue WHERE one = 1').pluck()
  const read = (query: Pick<SeriesQuery, 'code' | 'fileType' | 'period' | 'now'>) => {
    counts.require('station_count')
    lookups.refresh()
    const site = siteOf(query.code, lookups)
    if (site === undefined) return undefined
    const deliveries = recorded(site, query)
    const recent = query.now - recentDays * slotsPerDay(query.period)
    return {
      site,
      deliveries,
      facts: {
        head: head(),
        codes: site.ids.map((id) => lookups.stations.get(id) ?? ''),
        ambiguous: site.ambiguous,
        latencies: deliveries
          .flatMap(([slot, latency]) => (slot >= recent ? (latency ?? []) : []))
          .sort((a, b) => a - b),
      },
    }
  }
  return {
    slots: (query: SeriesQuery): SeriesSlots | undefined => {
      counts.require('file_station')
      const found = read(query)
      if (found === undefined) return undefined
      const { site, deliveries, facts } = found
      const { period, now, to } = query
      const slots = deliveries.map(([slot]) => slot)
      const source = live(site.ids, query)
      const { first, last } = endsOf(source, slots, query)
      const earliest = Math.max(first ?? to, to - query.mostSlots + 1)
      const from = query.from ?? Math.min(earliest, to)
      const back = lookbackDays * slotsPerDay(period)
      // The state of the series now needs its last slots too, wherever the range is.
      const tail = { from: Math.min(last ?? now, now) - back, to: now }
      return {
        ...facts,
        ...{ from, first, last },
        live: source.slotsIn({ from: from - back, to: Math.min(to, now) }, tail),
        recorded: slots,
        knownFromUs: Math.max(
          (knownFrom.get() as number | null) ?? Infinity,
          oldestSlot(query) * periodRules[period].seconds * 1e6,
        ),
      }
    },
    arrivals: (query: ArrivalsQuery): SeriesArrivals | undefined => {
      const found = read(query)
      if (found === undefined) return undefined
      const { deliveries, facts } = found
      return {
        ...facts,
        arrivals: deliveries.flatMap(([slot, latency]) =>
          latency !== null && slot >= query.from && slot <= query.to
            ? [[slot, latency] as const]
            : [],
        ),
      }
    },
    live: ({ series, now }: LiveSlotsQuery): readonly LiveSlots[] => {
      counts.require('station_count')
      counts.require('file_station')
      lookups.refresh()
      return series.map(({ station, ...key }) => {
        const source = live(siteOf(station, lookups)?.ids ?? [], key)
        const delivered = key.following === undefined ? [] : [key.following]
        const slot = slotAt(now, key.period)
        const { first } = endsOf(source, delivered, { period: key.period, now: slot })
        const to = source.lastUpTo(slot) ?? slot
        const last = { from: to - lookbackDays * slotsPerDay(key.period), to }
        return { first, slots: source.slotsIn(key.range ?? last) }
      })
    },
  }
}

/** The first slot of which deliveries are read: older deliveries are purged. */
function oldestSlot({ period, now }: EndsQuery): number {
  return now - deliveryDays * slotsPerDay(period)
}

/** Prepares reading all recorded deliveries of a series up to now; the earliest counts if a slot has several. */
function prepareRecorded(db: Database) {
  // One lookup per slot, because deliveries are stored by time.
  const statement = db
    .prepare(
      `WITH RECURSIVE slot (start) AS (
         SELECT @start UNION ALL SELECT start + @seconds FROM slot WHERE start + @seconds < @end)
       SELECT start / @seconds, min(latency_s) FROM slot CROSS JOIN delivery ON data_date = start
       WHERE series IN (SELECT value FROM json_each(@series))
       GROUP BY start ORDER BY start`,
    )
    .raw()
  const seriesIds = db
    .prepare(
      `SELECT id FROM series WHERE station IN (SELECT value FROM json_each(@stations))
       AND file_type = @fileType AND period = @period`,
    )
    .pluck()
  return (
    { ids }: Site,
    { fileType, period, now }: SeriesKey & { readonly now: number },
  ): readonly Delivery[] => {
    const series = seriesIds.all({ stations: JSON.stringify(ids), fileType, period })
    if (series.length === 0) return []
    const { seconds } = periodRules[period]
    const start = oldestSlot({ period, now }) * seconds
    return statement.all({
      ...{ series: JSON.stringify(series), start, end: (now + 1) * seconds, seconds },
    }) as Delivery[]
  }
}

type EndsQuery = Pick<SeriesQuery, 'period' | 'now'>

/** The first and the last delivered slot of a series, without those after now. */
function endsOf(live: LiveSource, recorded: readonly number[], { period, now }: EndsQuery) {
  const nextFrom = (slot: number): number | undefined => {
    const next = Math.min(
      live.firstFrom(slot) ?? Infinity,
      recorded[lowerBound(recorded, slot)] ?? Infinity,
    )
    return next > now ? undefined : next
  }
  const last = Math.max(
    live.lastUpTo(now) ?? -Infinity,
    recorded[lowerBound(recorded, now + 1) - 1] ?? -Infinity,
  )
  return { first: firstSlot(nextFrom, period), last: last === -Infinity ? undefined : last }
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
