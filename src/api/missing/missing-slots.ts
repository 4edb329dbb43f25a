/** The slots whose files are missing or damaged, and the names of these files. Pure. */
import { stationMatcher } from '../../catalogue/filter.ts'
import {
  dayOfYearAt,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
} from '../../parse/calendar.ts'
import type { DayRange } from '../../series/series.ts'
import { periodRules, recentDays, slotsPerDay } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import type {
  KnownSeries,
  NetworkKey,
  NetworkStatus,
  SeriesStatus,
} from '../series/known-series.ts'

/** What is missing; what is `half` (see series/half.ts) is listed only when it is asked for. */
export const missingStates = ['late', 'missing', 'damaged'] as const
export const listedStates = [...missingStates, 'half'] as const
export type ListedState = (typeof listedStates)[number]

/** A slot that is expected and not delivered, or whose files are all damaged; or a half one. */
export interface MissingSlot {
  readonly series: SeriesStatus
  readonly slot: number
  readonly state: ListedState
  /** Of a damaged slot: when the first file was found so, in seconds since 1970. */
  readonly foundSeconds?: number | undefined
  /** The path of its damaged file, or of the best one of a half slot, below the archive root. */
  readonly path?: string | undefined
  /** Of a half slot: the share of its epochs that this file holds. */
  readonly share?: number | undefined
  /** Bytes of that file, and the median of those of its neighbours. */
  readonly size?: number | undefined
  readonly usualSize?: number | undefined
  /** What is inside it that makes it damaged; empty if that is not why. */
  readonly why?: string | undefined
}

/** The late, missing and damaged slots of a series on some days, ascending. */
export function* missingSlots(
  series: SeriesStatus & Partial<Pick<KnownSeries, 'past'>>,
  runs: readonly StateRun[],
  { fromDay, toDay }: DayRange,
): Generator<MissingSlot> {
  const perDay = slotsPerDay(series.period)
  const [from, end] = [fromDay * perDay, (toDay + 1) * perDay]
  for (const { state, firstSlot, slots } of runs) {
    if (state !== 'late' && state !== 'missing' && state !== 'damaged') continue
    const last = Math.min(firstSlot + slots, end)
    for (let slot = Math.max(firstSlot, from); slot < last; slot++)
      if (state === 'damaged')
        yield { series, slot, state, foundSeconds: series.past?.damaged.get(slot) }
      else yield { series, slot, state }
  }
}

/** The half slots of a series on some days, ascending. */
export function* halfSlots(
  series: SeriesStatus & Pick<KnownSeries, 'past'>,
  { fromDay, toDay }: DayRange,
): Generator<MissingSlot> {
  const { half } = series.past
  const perDay = slotsPerDay(series.period)
  let slot = half?.firstFrom(fromDay * perDay)
  while (slot !== undefined && slot < (toDay + 1) * perDay) {
    yield { series, slot, state: 'half' }
    slot = half?.firstFrom(slot + 1)
  }
}

/** Number of the half slots of some series on these days. */
export function countHalf(series: readonly KnownSeries[], days: DayRange): number {
  return series.reduce((sum, each) => sum + Array.from(halfSlots(each, days)).length, 0)
}

/** The 28 days up to that of a time, of which the summaries in memory have the slots. */
export function recentRange(asOf: number): DayRange {
  const toDay = Math.floor(asOf / secondsPerDay)
  return { fromDay: toDay - recentDays + 1, toDay }
}

/** Number of the files that stations miss in these days. @param codes see `stationMatcher` */
export function countMissing(
  { states, asOf }: Pick<NetworkStatus, 'states' | 'asOf'>,
  codes: readonly string[],
): number {
  const [isOf, { fromDay }] = [stationMatcher(codes), recentRange(asOf.seconds ?? 0)]
  let count = 0
  for (const { station, period, summary } of states) {
    if (!isOf(station)) continue
    const from = fromDay * slotsPerDay(period)
    for (const { state, firstSlot, slots } of summary.runs)
      if (state === 'late' || state === 'missing' || state === 'damaged')
        count += Math.max(0, firstSlot + slots - Math.max(firstSlot, from))
  }
  return count
}

/** The times of a slot in seconds since 1970; `since` is the time since which it has its state. */
export function timesOf({ series, slot, state, foundSeconds }: MissingSlot) {
  const { seconds, lateFor } = periodRules[series.period]
  const [start, end] = [slot * seconds, (slot + 1) * seconds]
  const expectedBy = end + series.summary.lateAfter
  const since = {
    late: expectedBy,
    missing: end + lateFor,
    damaged: foundSeconds ?? end,
    half: end,
  }[state]
  return { start, end, expectedBy, since }
}

/**
 * Patterns of the names in these slots, long (RINEX 3.05, section A1) or short (RINEX 2.11, section
 * 4), one for a day on which all are missing.
 * @param slots ascending
 */
export function missingPatterns(series: NetworkKey, slots: readonly number[]): readonly string[] {
  const perDay = slotsPerDay(series.period)
  const byDay = Map.groupBy(slots, (slot) => Math.floor(slot / perDay))
  return Array.from(byDay.values()).flatMap((daySlots) => {
    if (perDay > 1 && daySlots.length === perDay)
      return [missingPattern(series, daySlots[0] ?? NaN, true)]
    return daySlots.map((slot) => missingPattern(series, slot))
  })
}

const shortTypes = { o: '[oOdD]', n: '[nNgGlLpPqQfFhH]', m: '[mM]' } as const

/**
 * The pattern of the names in a slot, or in its whole day. A long name may have the actual start of
 * its data, so it has any time of the day or of the hour, except for a quarter hour.
 */
export function missingPattern(
  { station, fileType, period, writtenPeriod = period }: NetworkKey,
  slot: number,
  isWholeDay = false,
): string {
  const { year, day, hour, minute } = partsOf(slot * periodRules[period].seconds)
  if (station.length === 9) {
    const times = { '01D': '????', '01H': `${hour}??`, '15M': `${hour}${minute}` }
    const time = isWholeDay ? '????' : times[period]
    return `${station}_?_${year}${day}${time}_${writtenPeriod}_*${fileType.toUpperCase()}.*`
  }
  const letter = isWholeDay ? '[a-x]' : String.fromCharCode(97 + Number(hour))
  const session = { '01D': '0', '01H': letter, '15M': `${letter}${isWholeDay ? '??' : minute}` }[
    period
  ]
  return `${station.toLowerCase()}${day}${session}.${year.slice(2)}${shortTypes[fileType]}*`
}

function partsOf(seconds: number) {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  const ofDay = ((seconds % secondsPerDay) + secondsPerDay) % secondsPerDay
  const digits = (value: number, count: number): string => String(value).padStart(count, '0')
  return {
    year: digits(year, 4),
    day: digits(dayOfYear, 3),
    hour: digits(Math.floor(ofDay / secondsPerHour), 2),
    minute: digits(Math.floor((ofDay % secondsPerHour) / secondsPerMinute), 2),
  }
}
