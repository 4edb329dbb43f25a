/**
 * The calendar of file names: years, days of the year, hours. Times are in the time system of the
 * name, without leap seconds, counted in seconds since 1970-01-01T00:00:00. Uses plain arithmetic
 * instead of `Date` objects, because a scan parses millions of names. Every year follows the
 * Gregorian rule.
 */

export const secondsPerMinute = 60
export const secondsPerHour = 3600
export const secondsPerDay = 86_400

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

export function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365
}

/** True if the year has this day: 1 to 365, in leap years also 366. */
export function isDayOfYear(year: number, dayOfYear: number): boolean {
  return dayOfYear >= 1 && dayOfYear <= daysInYear(year)
}

/**
 * The full year of two digits: 80 to 99 are 1980 to 1999, 00 to 79 are 2000 to 2079. This is the
 * rule of RINEX 2.11, section 6.5 (3.04, section 6.10), for all years of two digits in RINEX 1 and
 * 2.
 */
export function fullYear(twoDigits: number): number {
  return twoDigits >= 80 ? 1900 + twoDigits : 2000 + twoDigits
}

/**
 * The hour of a session letter, in upper or lower case: `a` is 00, `x` is 23. `undefined` for `y`
 * and `z`, which are after the end of the day, and for digits, which are not hours.
 */
export function sessionHour(session: string): number | undefined {
  // Setting bit 5 makes the letter lower-case.
  const hour = (session.charCodeAt(0) | 32) - 97
  return hour >= 0 && hour < 24 ? hour : undefined
}

/**
 * Midnight at the start of a day of the year, in seconds since 1970. A day after the end of the
 * year is a day of the next year.
 */
export function dayStartSeconds(year: number, dayOfYear: number): number {
  return (daysBeforeYear(year) + dayOfYear - 1) * secondsPerDay
}

/** The year and the day of the year at a time: the inverse of `dayStartSeconds`. */
export function dayOfYearAt(seconds: number): { year: number; dayOfYear: number } {
  const day = Math.floor(seconds / secondsPerDay)
  // Years have 365.2425 days on average, so the estimate is at most one year too late.
  let year = 1971 + Math.floor(day / 365.2425)
  while (daysBeforeYear(year) > day) year--
  return { year, dayOfYear: day - daysBeforeYear(year) + 1 }
}

/** Number of days in a year before each month, without the leap day. */
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

/** The calendar date at a time: month 1 to 12, day 1 to 31. */
function dateOf(seconds: number): { year: number; month: number; day: number } {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  let month = 12
  while (daysBefore(year, month) >= dayOfYear) month--
  return { year, month, day: dayOfYear - daysBefore(year, month) }
}

/**
 * `2026-01-22`, for a day since 1970-01-01. Without `Date`, which took a quarter of the time of
 * streams of records.
 */
export function dayToIso(daysSince1970: number): string {
  const { year, month, day } = dateOf(daysSince1970 * secondsPerDay)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

/** `05`; numbers of more digits stay as they are. */
export function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** Days of the year before the month. */
function daysBefore(year: number, month: number): number {
  return (daysBeforeMonth[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0)
}

/** Matches dates: `2026-01-22`, `2026-1-22`, `20260122`. */
const datePattern = /^(\d{4})(?:-(\d\d?)-(\d\d?)|(\d\d)(\d\d))$/
/** Matches a year with a day of the year: `2026-022`, `2026022`. */
const dayOfYearPattern = /^(\d{4})-?(\d{3})$/

/**
 * Days since 1970-01-01 of a date, or of a year and day of year; `undefined` for any other text.
 */
export function parseDay(text: string): number | undefined {
  const match = datePattern.exec(text)
  if (match === null) return parseDayOfYear(text)
  const [year = 0, month = 0, day = 0] = match.slice(1).filter(Boolean).map(Number)
  const seconds = dayStartSeconds(year, daysBefore(year, month) + day)
  // Without this check, 30 February would be a day of March.
  const found = dateOf(seconds)
  return found.month === month && found.day === day ? seconds / secondsPerDay : undefined
}

function parseDayOfYear(text: string): number | undefined {
  const [, year, day] = dayOfYearPattern.exec(text) ?? []
  if (year === undefined || !isDayOfYear(Number(year), Number(day))) return undefined
  return dayStartSeconds(Number(year), Number(day)) / secondsPerDay
}

/** Number of days from 1970-01-01 to 1 January of the year; negative before 1970. */
function daysBeforeYear(year: number): number {
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  return past * 365 + leapDays - 719_162
}
