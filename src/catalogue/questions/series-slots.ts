/** The slots of a series: live files and recorded deliveries. */
import type { SeriesKey } from '../../series/series.ts'
import { lookbackDays, periodRules, recentDays, slotsPerDay } from '../../series/series.ts'
import type { Question } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { Sites } from '../selection/sites.ts'
import { endsOf, liveFiles } from './live-files.ts'
import { oldestSlot, recordedDeliveries } from './recorded-deliveries.ts'

/** Query for the slots of a series (see src/series). */
export interface SeriesQuery extends SeriesKey {
  /** Code of the station in upper case, 4 or 9 characters. */
  readonly code: string
  /**
   * First and last slot to read. Without `from`, the range begins at the first delivered slot (see
   * `firstSlot`), but at most `mostSlots` before `to`; without deliveries, it begins at `to`.
   */
  readonly from: number | undefined
  readonly to: number
  readonly mostSlots: number
  /** The present slot: deliveries of later ones do not count. */
  readonly now: number
}

/** The slots of a series; ascending, without duplicates. */
export interface SeriesSlots {
  readonly head: Head
  /**
   * The codes whose files fill the slots: the long code, and the short code if it belongs to it
   * (see `selection/sites.ts`). If a short code was requested that belongs to no long code, only
   * this short code; empty if no file ever had it.
   */
  readonly codes: readonly string[]
  /**
   * Long codes with files that begin with the same 4 characters, if there are several: files with
   * the short code cannot be assigned to one long code, so they form a series of their own. Also
   * empty if a long code was requested and no file ever had the short code.
   */
  readonly ambiguous: readonly string[]
  /** The first slot of the range. */
  readonly from: number
  /**
   * The first and the last delivered slot, wherever the range is; `undefined` without deliveries.
   */
  readonly first: number | undefined
  readonly last: number | undefined
  /** The slots up to now with damaged live files (see `DamagedSlots`), wherever the range is. */
  readonly damaged: readonly (readonly [slot: number, foundSeconds: number])[]
  /**
   * Slots that have a live file which is not damaged: of the range, of the last slots up to now,
   * and of `lookbackDays` before both.
   */
  readonly live: readonly number[]
  /**
   * Slots up to now with a recorded delivery of the last 400 days, even if the file was removed
   * since.
   */
  readonly recorded: readonly number[]
  /**
   * Latencies in seconds, ascending: those of the slots of the last 28 days whose files were seen
   * arriving.
   */
  readonly latencies: readonly number[]
  /**
   * Time from which deliveries are known: the time when the recording began, but at most 400 days
   * ago, because older deliveries are purged. `Infinity` before the recording began.
   */
  readonly knownFromUs: number
}

/** Query for the arrivals of the slots of a series; see `SeriesQuery`. */
export interface ArrivalsQuery extends Pick<
  SeriesQuery,
  'fileType' | 'period' | 'code' | 'to' | 'now'
> {
  readonly from: number
}

/** The recorded arrivals of a series. */
export interface SeriesArrivals extends Pick<SeriesSlots, 'head' | 'codes' | 'ambiguous'> {
  /** The slots whose files were seen arriving, ascending, each with its latency in seconds. */
  readonly arrivals: readonly (readonly [slot: number, latency: number])[]
  /**
   * Latencies in seconds, ascending: those of the slots of the last 28 days whose files were seen
   * arriving.
   */
  readonly latencies: readonly number[]
}

/**
 * The station of a series: the ids of its codes, and the long codes to which its short code could
 * belong (see `ambiguous` in `SeriesSlots`).
 */
interface SeriesStation {
  readonly ids: readonly number[]
  readonly ambiguous: readonly string[]
}

/** The slots of a series; `undefined` for an unknown station. @throws NotBuilt */
export function* seriesSlots(
  query: SeriesQuery,
  context: QuestionContext,
): Question<SeriesSlots | undefined> {
  const found = yield* read(query, context)
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

/** The recorded arrivals of a series; `undefined` for an unknown station. @throws NotBuilt */
export function* seriesArrivals(
  query: ArrivalsQuery,
  context: QuestionContext,
): Question<SeriesArrivals | undefined> {
  const found = yield* read(query, context)
  if (found === undefined) return undefined
  const arrivals = found.deliveries.flatMap(([slot, latency]) =>
    latency !== null && slot >= query.from && slot <= query.to ? [[slot, latency] as const] : [],
  )
  return { ...found.facts, arrivals }
}

/** What the questions about one series have in common; `undefined` for an unknown station. */
function* read(
  query: Pick<SeriesQuery, 'code' | 'fileType' | 'period' | 'now'>,
  context: QuestionContext,
) {
  const { head, deliveriesUs } = yield* context.lookups.refresh({ needsBuilt: true })
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

/**
 * Finds the station of a code; `undefined` for a code that the catalogue does not have. The files
 * of a short code that belongs to no long code (see `sites.ts`) are a series of their own.
 */
function stationOf(
  code: string,
  stations: ReadonlyMap<number, string>,
  sites: Sites,
): SeriesStation | undefined {
  const main = sites.mainCode(code)
  const ids = [...stations].flatMap(([id, each]) => (sites.mainCode(each) === main ? [id] : []))
  const shortCode = code.slice(0, 4)
  const sharing = sites.longCodes(shortCode)
  if (ids.length === 0 && (code.length === 9 || sharing.length === 0)) return undefined
  const isShared =
    sharing.length > 1 && (code.length === 4 || [...stations.values()].includes(shortCode))
  return { ids, ambiguous: isShared ? [...sharing].sort() : [] }
}
