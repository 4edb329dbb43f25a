/** Makes the report of a week, as the central bureaus of networks mail it. Pure. */
import type { Week } from '../../parse/calendar.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import type { ShareClass } from '../../series/completeness.ts'
import { completenessOf, shareClass } from '../../series/completeness.ts'
import type { FlaggedStation, FlaggedWeek } from '../../series/flags.ts'
import { flaggedWeek } from '../../series/flags.ts'
import { usualLatency } from '../../series/latency.ts'
import { endOfSlot } from '../../series/series.ts'
import { withinTarget } from '../../series/series-summary.ts'
import type { StateRun } from '../../series/slot-states.ts'
import { missingPatterns, missingSlots } from '../missing/missing-slots.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { SeriesOfDays } from '../series/network-days.ts'

export interface WeekReport {
  readonly week: Week
  /** Number of series that had ended by the end of the week, and their stations. */
  readonly ended: number
  readonly endedStations: readonly string[]
  readonly stations: readonly StationWeek[]
  /** What is flagged of the observation files of these stations. */
  readonly flagged: FlaggedWeek
}

/** What a station delivered in a week. */
export interface StationWeek {
  readonly station: string
  /** `undefined` without such files. */
  readonly daily: SeriesWeek | undefined
  readonly hourly: SeriesWeek | undefined
  /** Share of the hourly files that arrived within 10 minutes. */
  readonly inTime: number | undefined
  /** The median of their latencies, in seconds. */
  readonly usualLatency: number | undefined
  /** Patterns of the names of missing files. */
  readonly missing: readonly string[]
}

export interface SeriesWeek {
  /** Numbers of slots. */
  readonly possible: number
  readonly delivered: number
  /** Number of the delivered ones that are half. */
  readonly half: number
  readonly completeness: number | undefined
  readonly class: ShareClass | undefined
  /** Number of slots that were expected, and were not delivered or are damaged. */
  readonly missing: number
  /** True if the series had ended by the end of the week. */
  readonly ended: boolean
}

/**
 * @param series those of observation files, with their slots of the week
 * @param files those of the week that were read, of all stations and types
 */
export function weekReport(
  week: Week,
  series: readonly SeriesOfDays[],
  files: readonly FlaggedStation[],
): WeekReport {
  const stations = Array.from(Map.groupBy(series.filter(isOfWeek), ({ station }) => station))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([station, found]) => stationWeek(station, found, week))
  const ended = series.filter((each) => hasEnded(each, week))
  const endedStations = [...new Set(ended.map(({ station }) => station))].sort()
  const codes = new Set(stations.map(({ station }) => station))
  const own = files.filter(({ station, fileType }) => fileType === 'o' && codes.has(station))
  return { week, ended: ended.length, endedStations, stations, flagged: flaggedWeek(own) }
}

/** True if a series is expected or delivered in the week; the report leaves out other series. */
function isOfWeek({ slots }: SeriesOfDays): boolean {
  const isThere = ({ state }: StateRun): boolean => state === 'present' || state === 'damaged'
  return slots.expected > 0 || slots.runs.some(isThere)
}

/** True if a series has ended, with its last file by this week: it counts in no sum. */
export function hasEnded(
  { period, summary: { ended, lastSlot } }: SeriesStatus,
  week: Week,
): boolean {
  const weekEnd = (week.toDay + 1) * secondsPerDay
  return ended && (lastSlot === undefined || endOfSlot(lastSlot, period) <= weekEnd)
}

function stationWeek(station: string, series: readonly SeriesOfDays[], week: Week): StationWeek {
  const lost = series.map((each) => ({
    each,
    slots: Array.from(missingSlots(each, each.slots.runs, week), ({ slot }) => slot),
  }))
  const [daily, hourly] = (['01D', '01H'] as const).map((period) =>
    lost.find(({ each }) => each.period === period),
  )
  return {
    station,
    daily: daily && seriesWeek(daily.each, daily.slots.length, week),
    hourly: hourly && seriesWeek(hourly.each, hourly.slots.length, week),
    inTime: withinTarget('01H', hourly?.each.latencies ?? []),
    usualLatency: usualLatency(hourly?.each.latencies ?? []),
    missing: lost.flatMap(({ each, slots }) => missingPatterns(each, slots)),
  }
}

function seriesWeek(series: SeriesOfDays, missing: number, week: Week): SeriesWeek {
  const { possible, delivered, completeness } = completenessOf(series.slots)
  const ended = hasEnded(series, week)
  const name = ended ? undefined : shareClass(completeness)
  const { half } = series.slots
  return { possible, delivered, half, completeness, class: name, missing, ended }
}
