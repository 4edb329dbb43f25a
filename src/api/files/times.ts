/** Parses dates and times that clients send. The functions return `undefined` for any other text. Pure. */
import { dayStartSeconds, isDayOfYear, secondsPerDay } from '../../parse/calendar.ts'

/** `2026-01-22`, `2026-1-22`, `20260122`. */
const datePattern = /^(\d{4})(?:-(\d\d?)-(\d\d?)|(\d\d)(\d\d))$/
/** `2026-022`, `2026022`. */
const dayOfYearPattern = /^(\d{4})-?(\d{3})$/
// The plus sign of an offset arrives as a space if a client did not encode it.
const timePattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?$/i

/** Parses a date, or a year and day of the year, to days since 1970-01-01. */
export function parseDay(text: string): number | undefined {
  const match = datePattern.exec(text)
  if (match === null) return parseDayOfYear(text)
  const [year = 0, month = 0, day = 0] = match.slice(1).filter(Boolean).map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // JavaScript turns 30 February into a day of March.
  if (date.getUTCDate() !== day || date.getUTCMonth() + 1 !== month) return undefined
  return Math.floor(date.getTime() / 1000 / secondsPerDay)
}

function parseDayOfYear(text: string): number | undefined {
  const [, year, day] = dayOfYearPattern.exec(text) ?? []
  if (year === undefined || !isDayOfYear(Number(year), Number(day))) return undefined
  return dayStartSeconds(Number(year), Number(day)) / secondsPerDay
}

/**
 * Parses an ISO 8601 date or date-time to microseconds since 1970. A bare date means its midnight. Times without an offset are
 * UTC. Digits beyond microseconds are dropped.
 */
export function parseTimeUs(text: string): number | undefined {
  const midnight = parseDay(text)
  if (midnight !== undefined) return midnight * secondsPerDay * 1e6
  const [, date = '', hh, mm, ss = '00', fraction = '', sign, offsetHours, offsetMinutes] =
    timePattern.exec(text) ?? []
  const day = parseDay(date)
  if (day === undefined) return undefined
  const [hours, minutes, seconds] = [Number(hh), Number(mm), Number(ss)]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
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
