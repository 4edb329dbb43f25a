/** Days and months in words, as people write them into a mail. Pure. */
import {
  dateOf,
  parseDays,
  parseTimeUs,
  secondsPerDay,
  secondsToIso,
} from '../../parse/calendar.ts'

export const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
] as const

/** `August 2026` */
export function monthWords({ year, month }: { year: number; month: number }): string {
  return `${months[month - 1] ?? ''} ${year}`
}

/** `3 August 2026`, for a UTC day since 1970 */
export function dayWords(day: number): string {
  return `${dateOf(day).day} ${monthWords(dateOf(day))}`
}

/** `3 to 31 August 2026`, `28 December 2025 to 3 January 2026`. @param last included */
export function daysWords(first: number, last: number): string {
  if (first === last) return dayWords(first)
  const [from, to] = [dateOf(first), dateOf(last)]
  if (from.year !== to.year) return `${dayWords(first)} to ${dayWords(last)}`
  const month = from.month === to.month ? '' : ` ${months[from.month - 1] ?? ''}`
  return `${from.day}${month} to ${dayWords(last)}`
}

/** The same with whole months and years in fewer words: `August 2026`, `2024 to 2026`. */
function spanWords(first: number, last: number): string {
  const [from, to] = [dateOf(first), dateOf(last)]
  if (from.day !== 1 || dateOf(last + 1).day !== 1) return daysWords(first, last)
  const isOneYear = from.year === to.year
  if (from.month === 1 && to.month === 12)
    return isOneYear ? String(to.year) : `${from.year} to ${to.year}`
  if (isOneYear && from.month === to.month) return monthWords(to)
  const begin = isOneYear ? (months[from.month - 1] ?? '') : monthWords(from)
  return `${begin} to ${monthWords(to)}`
}

/**
 * A date, a month, a year or a time of a request: `22 January 2026`, `January 2026`, `22 January
 * 2026 05:13`, with seconds if they are not 0. Another text stays as it is.
 */
export function dateWords(text: string): string {
  const days = parseDays(text)
  if (days !== undefined) return spanWords(days.from, days.to)
  const us = parseTimeUs(text)
  if (us === undefined) return text
  const seconds = Math.floor(us / 1e6)
  const time = secondsToIso(seconds).split('T')[1] ?? ''
  const clock = time.slice(0, time.endsWith(':00Z') ? 5 : 8)
  return `${dayWords(Math.floor(seconds / secondsPerDay))} ${clock}`
}

/** `27 Nov`; with the year unless it is that of `now`. @param now seconds since 1970 */
export function shortDay(day: number, now: number): string {
  const { year, month, day: ofMonth } = dateOf(day)
  const isThisYear = year === dateOf(Math.floor(now / secondsPerDay)).year
  return `${ofMonth} ${(months[month - 1] ?? '').slice(0, 3)}${isThisYear ? '' : ` ${year}`}`
}

/** `12 to 14 Oct`. @param last included */
export function shortDays(first: number, last: number, now: number): string {
  if (first === last) return shortDay(first, now)
  const [from, to] = [dateOf(first), dateOf(last)]
  const isOneMonth = from.year === to.year && from.month === to.month
  return `${isOneMonth ? from.day : shortDay(first, now)} to ${shortDay(last, now)}`
}
