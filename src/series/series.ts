/** A series is the files of one station, one type and one period; each file fills a slot. Pure. */
import { secondsPerDay, secondsPerHour, secondsPerMinute } from '../parse/calendar.ts'
import { usualPeriod } from '../parse/long-name.ts'
import type { FileDuration, FileType, ParsedName } from '../parse/types.ts'

/** Periods that have series, as long names write them. */
export const periods = ['15M', '01H', '01D'] as const
export type Period = (typeof periods)[number]

/** Rules of a period; times in seconds. */
interface PeriodRule {
  /** Length of a slot. */
  readonly seconds: number
  /**
   * A day is steady only if at least this number of slots was delivered in the 28 days that end
   * with it.
   */
  readonly steadyFrom: number
  /** Arrivals within this time are in time, and no limit of lateness is lower. */
  readonly target: number
  /**
   * Only arrivals within this time after the end of their slot are used for the limit of lateness.
   */
  readonly learnedWithin: number
  /** The limit of lateness is learned only from at least this number of arrivals. */
  readonly leastArrivals: number
  /** The limit of lateness with fewer arrivals. */
  readonly unlearnedLimit: number
  /**
   * An expected slot that is not delivered is late until this time after its end, and missing after
   * that.
   */
  readonly lateFor: number
  /** A series is down when nothing was delivered for this time and its limit of lateness. */
  readonly downAfter: number
}

export const periodRules: Readonly<Record<Period, PeriodRule>> = {
  '15M': {
    seconds: 15 * secondsPerMinute,
    steadyFrom: 96,
    target: 5 * secondsPerMinute,
    learnedWithin: secondsPerDay,
    leastArrivals: 24,
    unlearnedLimit: secondsPerHour,
    lateFor: 3 * secondsPerDay,
    downAfter: secondsPerDay,
  },
  '01H': {
    seconds: secondsPerHour,
    steadyFrom: 24,
    target: 10 * secondsPerMinute,
    learnedWithin: secondsPerDay,
    leastArrivals: 24,
    unlearnedLimit: secondsPerHour,
    lateFor: 3 * secondsPerDay,
    downAfter: secondsPerDay,
  },
  '01D': {
    seconds: secondsPerDay,
    steadyFrom: 3,
    target: 2 * secondsPerHour,
    learnedWithin: 3 * secondsPerDay,
    leastArrivals: 3,
    unlearnedLimit: secondsPerDay,
    lateFor: 7 * secondsPerDay,
    downAfter: 3 * secondsPerDay,
  },
}

/** Number of past days that the figures of a series cover, and that a steady day looks back on. */
export const recentDays = 28

/**
 * Longest time in days for which a series is expected after its last delivery, and over which that
 * is learned.
 */
export const expectedDays = 90

/** Number of days before a day that decide whether a series is expected on it. */
export const lookbackDays = 2 * expectedDays + recentDays - 1

/**
 * A series whose last delivery is more than this number of days ago is expected on none of the last
 * 28 days.
 */
export const settledDays = expectedDays + recentDays

/** Number of days for which deliveries are kept. */
export const deliveryDays = 400

/** UTC days since 1970, both included. */
export interface DayRange {
  readonly fromDay: number
  readonly toDay: number
}

/** Identifies a series within a station. */
export interface SeriesKey {
  readonly fileType: FileType
  readonly period: Period
}

/** The periods that have series, by the duration of a short name. */
const shortPeriods: Readonly<Partial<Record<FileDuration, Period>>> = {
  d: '01D',
  h: '01H',
  m: '15M',
}

/**
 * The series of a name; `undefined` for a period that has no series. The period of a long name is
 * written in it; that of a short name follows from its session (`h` an hour, `m` a quarter of an
 * hour, `d` a day). Source, interval and content do not matter.
 */
export function seriesOf(
  name: Pick<ParsedName, 'type' | 'period' | 'duration'>,
): SeriesKey | undefined {
  const period = name.period === '' ? shortPeriods[name.duration] : periodOf(name.period)
  return period === undefined ? undefined : { fileType: name.type, period }
}

/**
 * The period that has series, of one as names and people write it: `24H` is a day, `60M` an hour.
 */
export function periodOf(text: string): Period | undefined {
  const usual = usualPeriod(text.toUpperCase())
  return periods.find((each) => each === usual)
}

/**
 * The number of the slot in which a time lies: seconds since 1970 divided by the period, rounded
 * down. So a file whose name has the actual start of its data fills the slot in which it begins.
 */
export function slotAt(startSeconds: number, period: Period): number {
  return Math.floor(startSeconds / periodRules[period].seconds)
}

/** The start of a slot, in seconds since 1970. */
export function startOf(slot: number, period: Period): number {
  return slot * periodRules[period].seconds
}

/** The end of a slot, in seconds since 1970. */
export function endOfSlot(slot: number, period: Period): number {
  return startOf(slot + 1, period)
}

/** Number of slots in a UTC day. */
export function slotsPerDay(period: Period): number {
  return secondsPerDay / periodRules[period].seconds
}
