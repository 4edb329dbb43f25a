/** Parses dates and times that clients send, and writes times as ISO 8601. Pure. */
import {
  dayToIso,
  parseDay,
  secondsPerDay,
  secondsPerHour,
  twoDigits,
} from '../../parse/calendar.ts'

// The plus sign of an offset arrives as a space if a client did not encode it.
const timePattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?$/i

/**
 * Parses an ISO 8601 date or date-time to microseconds since 1970. A bare date means its midnight.
 * Times without an offset are UTC. Digits beyond microseconds are dropped.
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

/** @param seconds since 1970 */
export function isoOrNull(seconds: number | undefined): string | null {
  return seconds === undefined ? null : secondsToIso(seconds)
}
