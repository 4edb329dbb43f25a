/** The slots of a series: live files and recorded deliveries. */
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
import type { SlotRange } from '../../series/slot-states.ts'
import type {
  ArrivalsQuery,
  LiveSlots,
  LiveSlotsQuery,
  SeriesArrivals,
  SeriesQuery,
  SeriesSlots,
} from '../series-queries.ts'
import { LiveFiles } from './live-slots.ts'
import type { Kind, QuestionContext } from '../selection/lookups.ts'
import { column, rows } from '../question.ts'
import type { Question } from '../question.ts'
import type { Sites } from '../selection/sites.ts'

/**
 * The station of a series: the ids of its codes, and the long codes to which its short code could
 * belong (see `ambiguous` in `SeriesSlots`).
 */
interface SeriesStation {
  readonly ids: readonly number[]
  readonly ambiguous: readonly string[]
}

/** A recorded delivery; `latency` is at least 0, null if the file was not seen arriving. */
type Delivery = [slot: number, latency: number | null]

/** @throws NotBuilt */
export function* seriesSlots(
  query: SeriesQuery,
  context: QuestionContext,
): Question<SeriesSlots | undefined> {
  const found = yield* read(query, ['station_count', 'file_station'], context)
  if (found === undefined) return undefined
  const { station, deliveries, facts, deliveriesUs } = found
  const { period, now, to } = query
  const recorded = deliveries.map(([slot]) => slot)
  const live = yield* liveFiles(station.ids, query, context)
  const { first, last } = yield* endsOf(live, recorded, query.now)
  const damaged = live.damagedUpTo(now)
  const there = damaged.reduce((least, [slot]) => Math.min(least, slot), first ?? Infinity)
  const earliest = Math.max(Math.min(there, to), to - query.mostSlots + 1)
  const from = query.from ?? Math.min(earliest, to)
  const back = lookbackDays * slotsPerDay(period)
  // The state of the series now needs its last slots too, wherever the range is.
  const tail = { from: Math.min(last ?? now, now) - back, to: now }
  const oldestUs = oldestSlot(query) * periodRules[period].seconds * 1e6
  return {
    ...facts,
    from,
    first,
    last,
    live: yield* live.slotsIn({ from: from - back, to: Math.min(to, now) }, tail),
    damaged,
    recorded,
    knownFromUs: Math.max(deliveriesUs ?? Infinity, oldestUs),
  }
}

/** @throws NotBuilt */
export function* seriesArrivals(
  query: ArrivalsQuery,
  context: QuestionContext,
): Question<SeriesArrivals | undefined> {
  const found = yield* read(query, ['station_count'], context)
  if (found === undefined) return undefined
  const arrivals = found.deliveries.flatMap(([slot, latency]) =>
    latency !== null && slot >= query.from && slot <= query.to ? [[slot, latency] as const] : [],
  )
  return { ...found.facts, arrivals }
}

/** @throws NotBuilt */
export function* liveSlots(
  { series, now }: LiveSlotsQuery,
  context: QuestionContext,
): Question<readonly LiveSlots[]> {
  yield* context.lookups.refresh(['station_count', 'file_station'])
  const sites = yield* context.lookups.sites()
  // Searched once: a query has many series of many stations.
  const siteOf = (code: string): string => sites.longCode(code) ?? code
  const byCode = Map.groupBy(context.lookups.stations, ([, code]) => siteOf(code))
  const answers: LiveSlots[] = []
  for (const { station, ...key } of series) {
    const ids = (byCode.get(siteOf(station)) ?? []).map(([id]) => id)
    const live = yield* liveFiles(ids, key, context)
    const delivered = key.following === undefined ? [] : [key.following]
    const slot = slotAt(now, key.period)
    const { first } = yield* endsOf(live, delivered, slot)
    const to = (yield* live.lastUpTo(slot)) ?? slot
    const last = { from: to - lookbackDays * slotsPerDay(key.period), to }
    const range = key.range ?? last
    const slots = yield* live.slotsIn(range)
    const found =
      key.withRecorded === true
        ? yield* recordedDeliveries(ids, { ...key, now: slot, range }, context)
        : []
    answers.push({ first, slots, recorded: found.map(([each]) => each) })
  }
  return answers
}

/** What the questions about one series have in common; `undefined` for an unknown station. */
function* read(
  query: Pick<SeriesQuery, 'code' | 'fileType' | 'period' | 'now'>,
  needed: readonly string[],
  context: QuestionContext,
) {
  const { head, deliveriesUs } = yield* context.lookups.refresh(needed)
  const { stations } = context.lookups
  const station = stationOf(query.code, stations, yield* context.lookups.sites())
  if (station === undefined) return undefined
  const deliveries = yield* recordedDeliveries(station.ids, query, context)
  const recent = query.now - recentDays * slotsPerDay(query.period)
  const latencies = deliveries
    .flatMap(([slot, latency]) => (slot >= recent ? (latency ?? []) : []))
    .sort((a, b) => a - b)
  const codes = station.ids.map((id) => stations.get(id) ?? '')
  const facts = { head, codes, ambiguous: station.ambiguous, latencies }
  return { station, deliveries, deliveriesUs, facts }
}

function liveFiles(
  stations: readonly number[],
  key: SeriesKey,
  context: QuestionContext,
): Question<LiveFiles> {
  const kinds = kindsOf(key, context.lookups.kinds)
  return LiveFiles.of(context.dialect, { stations, kinds, period: key.period })
}

/**
 * The recorded deliveries of a series up to now, by default all; the earliest counts if a slot has
 * several.
 */
function* recordedDeliveries(
  stations: readonly number[],
  query: SeriesKey & { readonly now: number; readonly range?: SlotRange },
  context: QuestionContext,
): Question<Delivery[]> {
  const { fileType, period, now, range = { from: -Infinity, to: now } } = query
  const start = Math.max(oldestSlot(query), range.from)
  const end = Math.min(now, range.to) + 1
  if (start >= end) return []
  const series = yield* column<number>(
    `SELECT id FROM series WHERE ${context.dialect.isIn('station', 'stations')}
     AND file_type = @fileType AND period = @period`,
    { stations, fileType, period },
  )
  if (series.length === 0) return []
  const { seconds } = periodRules[period]
  const earliest = 'min(latency_s)'
  const atLeast0 = `CASE WHEN ${earliest} < 0 THEN 0 ELSE ${earliest} END`
  // One lookup per slot, because deliveries are stored by time.
  return yield* rows<Delivery>(
    `WITH RECURSIVE slot (start) AS (
       SELECT CAST(@start AS bigint) UNION ALL
       SELECT start + @seconds FROM slot WHERE start + @seconds < @end)
     SELECT start / @seconds, ${atLeast0} FROM slot CROSS JOIN delivery
     WHERE ${context.dialect.inTime('start')} AND data_date = start
       AND ${context.dialect.isIn('series', 'series')}
     GROUP BY start ORDER BY start`,
    { series, start: start * seconds, end: end * seconds, seconds },
  )
}

/** The first slot of which deliveries are read: older deliveries are purged. */
function oldestSlot({ period, now }: Pick<SeriesQuery, 'period' | 'now'>): number {
  return now - deliveryDays * slotsPerDay(period)
}

/** The first and the last delivered slot of a series, without those after now. */
function* endsOf(
  live: LiveFiles,
  recorded: readonly number[],
  now: number,
): Question<{ readonly first: number | undefined; readonly last: number | undefined }> {
  const first = Math.min((yield* live.firstFrom(-Infinity)) ?? Infinity, recorded[0] ?? Infinity)
  const last = Math.max(
    (yield* live.lastUpTo(now)) ?? -Infinity,
    recorded[lowerBound(recorded, now + 1) - 1] ?? -Infinity,
  )
  return { first: first > now ? undefined : first, last: last === -Infinity ? undefined : last }
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
function stationOf(
  code: string,
  stations: ReadonlyMap<number, string>,
  sites: Sites,
): SeriesStation | undefined {
  const codeOf = (each: string): string => sites.longCode(each) ?? each
  const ids = [...stations].flatMap(([id, each]) => (codeOf(each) === codeOf(code) ? [id] : []))
  const shortCode = code.slice(0, 4)
  const sharing = sites.longCodes(shortCode)
  if (ids.length === 0 && (code.length === 9 || sharing.length === 0)) return undefined
  const isShared =
    sharing.length > 1 && (code.length === 4 || [...stations.values()].includes(shortCode))
  return { ids, ambiguous: isShared ? [...sharing].sort() : [] }
}
