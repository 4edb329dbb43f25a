/** The slots of a series, or of many: live files and recorded deliveries. */
import type { SeriesKey } from '../../series/series.ts'
import { lookbackDays, periodRules, recentDays, slotAt, slotsPerDay } from '../../series/series.ts'
import type { SlotRange } from '../../series/slot-states.ts'
import type { Question } from '../question.ts'
import type { Head } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { StationCodes } from '../selection/sites.ts'
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
export interface SeriesSlots extends StationCodes {
  readonly head: Head
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
export interface SeriesArrivals extends StationCodes, Pick<SeriesSlots, 'head'> {
  /** The slots whose files were seen arriving, ascending, each with its latency in seconds. */
  readonly arrivals: readonly (readonly [slot: number, latency: number])[]
  /**
   * Latencies in seconds, ascending: those of the slots of the last 28 days whose files were seen
   * arriving.
   */
  readonly latencies: readonly number[]
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
  const station = yield* context.lookups.stationOf(query.code)
  if (station === undefined) return undefined
  const deliveries = yield* recordedDeliveries(station.ids, query, context)
  const recent = query.now - recentDays * slotsPerDay(query.period)
  const latencies = deliveries
    .flatMap(([slot, latency]) => (slot >= recent ? (latency ?? []) : []))
    .sort((a, b) => a - b)
  const { codes, ambiguous } = station
  const facts = { head, codes, ambiguous, latencies }
  return { station, deliveries, deliveriesUs, facts }
}

/** Query for the live files of some series at some time. */
export interface LiveSlotsQuery {
  /** Seconds since 1970; later slots do not count. */
  readonly now: number
  readonly series: readonly (SeriesKey & {
    /** Code of the station, also the short one of a site with a long one. */
    readonly station: string
    /** Slots to read; without it those of the `lookbackDays` up to the last one. */
    readonly range?: SlotRange
    /** True to read the recorded deliveries of the range too. */
    readonly withRecorded?: boolean
    /** A delivered slot that may have no live file any more; it counts for `first`. */
    readonly firstDelivered?: number | undefined
  })[]
}

/** The live files of a series. */
export interface LiveSlots {
  /** The first slot with a live file that is not damaged; `undefined` if there is none. */
  readonly first: number | undefined
  /** Distinct slots of the range with such a file, ascending. */
  readonly slots: readonly number[]
  /**
   * Slots of the range with a recorded delivery, ascending, also if its file was removed; none
   * unless they were asked for.
   */
  readonly recorded: readonly number[]
}

/** The live files of some series, in the order of the query. @throws NotBuilt */
export function* liveSlots(
  { series, now }: LiveSlotsQuery,
  context: QuestionContext,
): Question<readonly LiveSlots[]> {
  yield* context.lookups.refresh({ needsBuilt: true })
  const sites = yield* context.lookups.sites()
  // Searched once: a query has many series of many stations.
  const byCode = Map.groupBy(context.lookups.stations, ([, code]) => sites.mainCode(code))
  const answers: LiveSlots[] = []
  for (const { station, ...key } of series) {
    const ids = (byCode.get(sites.mainCode(station)) ?? []).map(([id]) => id)
    const live = yield* liveFiles(ids, key, context)
    const delivered = key.firstDelivered === undefined ? [] : [key.firstDelivered]
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
