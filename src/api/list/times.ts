/** Dates and times as clients write them. Pure; what is none of ours is `undefined`. */
import { dayStartSeconds, isDayOfYear, secondsPerDay } from '../../parse/calendar.ts'

const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/
// The plus sign of an offset comes as a space where a client did not encode it.
const timePattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?$/i

/** UTC day since 1970-01-01 of a date such as `2026-01-22`. */
export function parseDay(text: string): number | undefined {
  const [, year, month, day] = datePattern.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript takes 30 February for a day of March.
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined
  if (date.getUTCMonth() + 1 !== Number(month)) return undefined
  return Math.floor(date.getTime() / 1000 / secondsPerDay)
}

/** UTC day since 1970-01-01 of a year and day of the year such as `2026-022`. */
export function parseDayOfYear(text: string): number | undefined {
  const [, year, day] = /^(\d{4})-(\d{3})$/.exec(text) ?? []
  if (year === undefined || !isDayOfYear(Number(year), Number(day))) return undefined
  return dayStartSeconds(Number(year), Number(day)) / secondsPerDay
}

/**
 * Microseconds since 1970 of an ISO 8601 date or date-time. A bare date is its midnight; without an offset times are
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

/** Seconds east of Greenwich. */
function parseOffset(sign: string | undefined, hours: number, minutes: number) {
  if (hours > 23 || minutes > 59) return undefined
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60)
}
