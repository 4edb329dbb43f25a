/** The period of a directory: the year, month, day or hour that its path names. Pure. */
import {
  dayOfYearAt,
  daysInYear,
  dayStartSeconds,
  parseDay,
  secondsPerDay,
  secondsPerHour,
  twoDigits,
} from './calendar.ts'
import { daysAhead } from './directories.ts'
import type { PathDates } from './path-dates.ts'
import { datesOfPath } from './path-dates.ts'

/** The time of the files in a directory, in seconds since 1970. */
export interface DirectoryPeriod {
  readonly startSeconds: number
  /** Length of the year, month, day or hour. */
  readonly spanSeconds: number
  /** True if the path may name another one later: `101` is the latest day with this number. */
  readonly isRelative: boolean
}

/** The number of a day of the year as a segment. */
const dayNumberForm = /(?:^|\/)(?:d(?:ay|oy)?[-_]?)?\d{3}(?:\/|$)/i
/** Of nine years at least one has a day 366. */
const yearsBack = 8

/** The latest time at which files may begin (s since 1970); one with a later date is misnamed. */
export function latestStart(nowSeconds: number): number {
  return nowSeconds + daysAhead * secondsPerDay
}

/**
 * The shortest period that the path of a directory names, with or without its area; `undefined` if
 * it names none. Of several the latest that begins at most two days ahead. A day of the year
 * without a year is the latest such day.
 */
export function periodOfDirectory(path: string, nowSeconds: number): DirectoryPeriod | undefined {
  const latest = latestStart(nowSeconds)
  const named = startsOf(datesOfPath(path))
  if (named !== undefined) {
    const isRelative = named.starts.length > 1
    const startSeconds = latestUntil(latest, named.starts) ?? Math.min(...named.starts)
    return { startSeconds, spanSeconds: named.spanAt(startSeconds), isRelative }
  }
  if (!dayNumberForm.test(path)) return undefined
  const { year } = dayOfYearAt(latest)
  for (let each = year; each >= year - yearsBack; each--) {
    const dates = datesOfPath(`${each}/${path}`)
    const found = dates.month === undefined && dates.days.length > 0 ? startsOf(dates) : undefined
    const startSeconds = found && latestUntil(latest, found.starts)
    if (found !== undefined && startSeconds !== undefined)
      return { startSeconds, spanSeconds: found.spanAt(startSeconds), isRelative: true }
  }
  return undefined
}

interface Starts {
  readonly starts: readonly number[]
  /** The length of the period that begins at one of them. */
  readonly spanAt: (start: number) => number
}

/** The starts of the shortest periods that a path names. */
function startsOf({ years, month, days, hours }: PathDates): Starts | undefined {
  const midnights = days.map((day) => day * secondsPerDay)
  if (midnights.length > 0 && hours.length > 0) {
    const starts = midnights.flatMap((at) => hours.map((hour) => at + hour * secondsPerHour))
    return { starts, spanAt: () => secondsPerHour }
  }
  if (midnights.length > 0) return { starts: midnights, spanAt: () => secondsPerDay }
  if (years.length === 0) return undefined
  if (month === undefined)
    return {
      starts: years.map((year) => dayStartSeconds(year, 1)),
      spanAt: (start) => daysInYear(dayOfYearAt(start).year) * secondsPerDay,
    }
  const { number } = month
  return {
    starts: years.map((year) => monthStart(year, number)),
    spanAt: (start) => {
      const { year } = dayOfYearAt(start)
      return (number === 12 ? dayStartSeconds(year + 1, 1) : monthStart(year, number + 1)) - start
    },
  }
}

function monthStart(year: number, month: number): number {
  return (parseDay(`${year}-${twoDigits(month)}-01`) ?? NaN) * secondsPerDay
}

function latestUntil(latest: number, starts: readonly number[]): number | undefined {
  const past = starts.filter((start) => start <= latest)
  return past.length === 0 ? undefined : Math.max(...past)
}
