/** Queries of `CatalogueReader` for series and deliveries, and their answers. */
import type { DayDeliveries } from '../series/delivery-window.ts'
import type { SeriesKey } from '../series/series.ts'
import type { SlotRange } from '../series/slot-states.ts'
import type { Head } from './records.ts'

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
    readonly following?: number | undefined
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

/** Query for the deliveries of all series. */
export interface DeliveriesQuery {
  /** First and last UTC day since 1970, both included. */
  readonly fromDay: number
  readonly toDay: number
  /**
   * Reads only days on which the data of files start that changed after this state; without it,
   * reads all days.
   */
  readonly since?: Head | undefined
}

/** A series that has live files, or for which a delivery was ever recorded. */
export interface NetworkSeries extends SeriesKey {
  /**
   * The station code: 9 characters, or 4 for a short code that belongs to no long code (see
   * `selection/sites.ts`).
   */
  readonly station: string
  /**
   * The ids of the series in `DayDeliveries`: several if deliveries of a long and of a short code
   * were recorded, none if no delivery was ever recorded.
   */
  readonly ids: readonly number[]
  /**
   * First and latest start of the data of its live files, in seconds since 1970; `undefined`
   * without live files.
   */
  readonly firstStart: number | undefined
  readonly lastStart: number | undefined
  /** Number of its live files. */
  readonly files: number
  /**
   * The period as its newest live files with long names write it: `24H` for `01D`; `undefined`
   * without such files.
   */
  readonly writtenPeriod: string | undefined
  /** Its slots with damaged live files (see `DamagedSlots`). */
  readonly damaged: readonly (readonly [slot: number, foundSeconds: number])[]
}

/** The recorded deliveries of all series on some days. */
export interface NetworkDeliveries {
  readonly head: Head
  readonly series: readonly NetworkSeries[]
  /** False if the changes after `since` are unknown or too many; then no day was read. */
  readonly isComplete: boolean
  /**
   * The damaged live files of each day on which there are some, as a text that changes with them:
   * deliveries of a day whose text is another have changed without a change of the head.
   */
  readonly damagedDays: ReadonlyMap<number, string>
  /**
   * Codes of the stations, as in `NetworkSeries`, of which files have changed after `since` that
   * begin before the last `settledDays`. Empty without `since`.
   */
  readonly olderChanged: readonly string[]
  /** The days that were read, ascending, with all their deliveries. */
  readonly days: readonly DayDeliveries[]
}

/** A damaged live file of a series, and the slot that it fills. */
export interface DamagedFile extends SeriesKey {
  /** As in `NetworkSeries`. */
  readonly station: string
  readonly slot: number
  /** Below the archive root. */
  readonly path: string
}
