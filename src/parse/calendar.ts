/**
 * The calendar of file names: years, days of the year, hours; and times as ISO 8601. Times are in
 * the time system of the name, without leap seconds, counted in seconds since 1970-01-01T00:00:00.
 * Uses plain arithmetic instead of `Date` objects, because a scan parses millions of names. Every
 * year follows the Gregorian rule.
 */

export const secondsPerMinute = 60
export const secondsPerHour = 3600
export const secondsPerDay = 86_400

function isLeapYear(year: number): boolean {
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

/** The calendar date of a day since 1970-01-01: month 1 to 12, day 1 to 31. */
export function dateOf(daysSince1970: number): { year: number; month: number; day: number } {
  const { year, dayOfYear } = dayOfYearAt(daysSince1970 * secondsPerDay)
  let month = 12
  while (daysBefore(year, month) >= dayOfYear) month--
  return { year, month, day: dayOfYear - daysBefore(year, month) }
}

/**
 * `2026-01-22`, for a day since 1970-01-01. Without `Date`, which took a quarter of the time of
 * streams of records.
 */
export function dayToIso(daysSince1970: number): string {
  const { year, month, day } = dateOf(daysSince1970)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

/** `05`; numbers of more digits stay as they are. */
export function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** The directory of a day below an area: `2026/022`. */
export function dayPath(seconds: number): string {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  return `${String(year).padStart(4, '0')}/${String(dayOfYear).padStart(3, '0')}`
}

/** Days of the year before the month. */
function daysBefore(year: number, month: number): number {
  return (daysBeforeMonth[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0)
}

/** Matches dates: `2026-01-22`, `2026-1-22`, `20260122`. */
const datePattern = /^(\d{4})(?:-(\d\d?)-(\d\d?)|(\d\d)(\d\d))$/
/** Matches dates with the day first: `22.1.2026`. */
const dayFirstPattern = /^(\d\d?)\.(\d\d?)\.(\d{4})$/
/** Matches a year, and a month of a year: `2026`, `2026-01`, `2026-1`. */
const monthPattern = /^(\d{4})(?:-(\d\d?))?$/
/** Matches a year with a day of the year: `2026-022`, `2026022`. */
const dayOfYearPattern = /^(\d{4})-?(\d{3})$/

/**
 * Days since 1970-01-01 of a date, or of a year and day of year; `undefined` for any other text.
 */
export function parseDay(text: string): number | undefined {
  const match = datePattern.exec(text.replace(dayFirstPattern, '$3-$2-$1'))
  if (match === null) return parseDayOfYear(text)
  const [year = 0, month = 0, day = 0] = match.slice(1).filter(Boolean).map(Number)
  return dayOfDate(year, month, day)
}

/** Days since 1970-01-01 of a date; `undefined` for one that the calendar does not have. */
export function dayOfDate(year: number, month: number, day: number): number | undefined {
  const found = dayStartSeconds(year, daysBefore(year, month) + day) / secondsPerDay
  // Without this check, 30 February would be a day of March.
  const date = dateOf(found)
  return date.month === month && date.day === day ? found : undefined
}

/** Days since 1970-01-01, the first and the last one. */
export interface Days {
  readonly from: number
  readonly to: number
}

/** The first and the last day of a day, a month or a year; `undefined` for any other text. */
export function parseDays(text: string): Days | undefined {
  const day = parseDay(text)
  if (day !== undefined) return { from: day, to: day }
  const [, year, month] = monthPattern.exec(text) ?? []
  const [first, last] = month === undefined ? [1, 12] : [Number(month), Number(month)]
  if (year === undefined || first < 1 || last > 12) return undefined
  const dayAt = (month: number) =>
    dayStartSeconds(Number(year), daysBefore(Number(year), month) + 1) / secondsPerDay
  const end = last === 12 ? dayStartSeconds(Number(year) + 1, 1) / secondsPerDay : dayAt(last + 1)
  return { from: dayAt(first), to: end - 1 }
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

/** Matches a date in any form, and a time. */
const timePattern = /^([\d.-]+)[T ](.+)$/i

/**
 * Matches the time of a day: `05`, `05:06`, `05:06:07.5Z`, without colons `0506`, `050607`. The
 * plus sign of an offset arrives as a space if a client did not encode it.
 */
const clockPattern =
  /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d{1,9}))?)?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?$/i

/**
 * Parses an ISO 8601 date or date-time to microseconds since 1970; the date may have all forms of
 * `parseDay`. A bare date means its midnight. Times without an offset are UTC. 24:00 is the end of
 * the day, and the second 60 the begin of the next minute. Digits beyond microseconds are dropped.
 */
export function parseTimeUs(text: string): number | undefined {
  const midnight = parseDay(text)
  if (midnight !== undefined) return midnight * secondsPerDay * 1e6
  const [, date = '', clock = ''] = timePattern.exec(text) ?? []
  const [, hh, , mm = '00', ss = '00', fraction = '', sign, offsetHours, offsetMinutes] =
    clockPattern.exec(clock) ?? []
  const day = parseDay(date)
  if (day === undefined || hh === undefined) return undefined
  const [hours, minutes, seconds] = [Number(hh), Number(mm), Number(ss)]
  const isEndOfDay = hours === 24 && minutes + seconds + Number(fraction) === 0
  if ((hours > 23 && !isEndOfDay) || minutes > 59 || seconds > 60) return undefined
  const offset = parseOffset(sign, Number(offsetHours ?? 0), Number(offsetMinutes ?? 0))
  if (offset === undefined) return undefined
  const total = day * secondsPerDay + hours * 3600 + minutes * 60 + seconds - offset
  return total * 1e6 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

/** The offset from UTC in seconds; offsets east of Greenwich are positive. */
function parseOffset(sign: string | undefined, hours: number, minutes: number) {
  if (hours > 23 || minutes > 59) return undefined
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
}

/** `2026-01-22T05:00:00Z`: a time without a fraction, as in `data_date`. */
export function secondsToIso(seconds: number): string {
  return `${timeOf(seconds)}Z`
}

/** `2026-01-22T05:00:00.000001Z`: always six digits, also on a whole second. */
export function microsecondsToIso(us: number): string {
  const seconds = Math.floor(us / 1e6)
  const fraction = String(us - seconds * 1e6).padStart(6, '0')
  return `${timeOf(seconds)}.${fraction}Z`
}

function timeOf(seconds: number): string {
  const day = Math.floor(seconds / secondsPerDay)
  const ofDay = seconds - day * secondsPerDay
  const [hour, minute] = [Math.floor(ofDay / secondsPerHour), Math.floor(ofDay / 60) % 60]
  return `${dayToIso(day)}T${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(ofDay % 60)}`
}

/** @param us microseconds since 1970 */
export function momentOrNull(us: number | undefined): string | null {
  return us === undefined ? null : microsecondsToIso(us)
}

/** @param seconds since 1970 */
export function isoOrNull(seconds: number | undefined): string | null {
  return seconds === undefined ? null : secondsToIso(seconds)
}

/** A GPS week, Sunday to Saturday, with its first and last day as UTC days since 1970. */
export interface Week {
  readonly number: number
  readonly fromDay: number
  readonly toDay: number
}

/** 1980-01-06, the first day of GPS week 0 (IS-GPS-200, 3.3.4), a Sunday. */
const gpsEpochDay = 3657

export function gpsWeek(number: number): Week {
  const fromDay = gpsEpochDay + 7 * number
  return { number, fromDay, toDay: fromDay + 6 }
}

/**
 * The GPS week of a UTC day. Leap seconds between GPS time and UTC are ignored, as in file names.
 * No week is before week 0: a day before it, from a wrong clock, gives week 0.
 */
export function gpsWeekOf(day: number): Week {
  return gpsWeek(Math.max(0, Math.floor((day - gpsEpochDay) / 7)))
}
