/** A series is the files of one station, one type and one period; each file fills a slot. Pure. */
import { secondsPerDay, secondsPerHour, secondsPerMinute } from '../parse/calendar.ts'
import type { FileDuration, FileType, ParsedName } from '../parse/types.ts'

/** Periods that have series, as long names write them. */
export const periods = ['15M', '01H', '01D'] as const
export type Period = (typeof periods)[number]

/** Rules of a period; times in seconds. */
export interface PeriodRule {
  /** Length of a slot. */
  readonly seconds: number
  /** A series is expected only if at least this number of slots was delivered in the 28 days before. */
  readonly learnedAfter: number
  /** Lower bound of the usual latency. */
  readonly leastUsual: number
  /** An expected slot that is not delivered is late until this time after its end, and missing after that. */
  readonly lateFor: number
}

export const periodRules: Readonly<Record<Period, PeriodRule>> = {
  '15M': {
    seconds: 15 * secondsPerMinute,
    learnedAfter: 96,
    leastUsual: 5 * secondsPerMinute,
    lateFor: 3 * secondsPerDay,
  },
  '01H': {
    seconds: secondsPerHour,
    learnedAfter: 24,
    leastUsual: 10 * secondsPerMinute,
    lateFor: 3 * secondsPerDay,
  },
  '01D': {
    seconds: secondsPerDay,
    learnedAfter: 3,
    leastUsual: 2 * secondsPerHour,
    lateFor: 7 * secondsPerDay,
  },
}

/** Number of past days from which expectations and the usual latency are learned. */
export const learningDays = 28

/** Number of days for which deliveries are kept. */
export const deliveryDays = 400

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
 * The series of a name; `undefined` for a period that has no series. The period of a long name is written in it; that of a short
 * name follows from its session (`h` an hour, `m` a quarter of an hour, `d` a day). Source, interval and content do not matter.
 */
export function seriesOf(
  name: Pick<ParsedName, 'type' | 'period' | 'duration'>,
): SeriesKey | undefined {
  const period =
    name.period === undefined
      ? shortPeriods[name.duration]
      : periods.find((each) => each === name.period)
  return period === undefined ? undefined : { fileType: name.type, period }
}

/** The number of the slot that begins at a time: seconds since 1970 divided by the period. */
export function slotAt(startSeconds: number, period: Period): number {
  return Math.floor(startSeconds / periodRules[period].seconds)
}

/** Number of slots in a UTC day. */
export function slotsPerDay(period: Period): number {
  return secondsPerDay / periodRules[period].seconds
}
