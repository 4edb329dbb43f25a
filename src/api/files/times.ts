/**
 * Parses dates and times that clients send. The functions return `undefined` for any other text.
 * Pure.
 */
import { parseDay, secondsPerDay } from '../../parse/calendar.ts'

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
