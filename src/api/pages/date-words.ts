/** Days and months in words, in the form of all dates (`readable.ts`). Pure. */
import {
  dateOf,
  dayToIso,
  parseDays,
  parseTimeUs,
  secondsPerDay,
  secondsToIso,
} from '../../parse/calendar.ts'
import type { DateForm } from '../../runtime/readable.ts'
import { dayAndMonth, months, readableDate, readableTime } from '../../runtime/readable.ts'

export { months }

/** `August 2026` */
export function monthWords({ year, month }: { year: number; month: number }): string {
  return `${months[month - 1] ?? ''} ${year}`
}

/** `3 Aug 2026 (215)`, for a UTC day since 1970 */
export function dayWords(day: number, form: DateForm = {}): string {
  return readableDate(dayToIso(day), { ...form, hasClock: false })
}

/** `3 to 31 Aug 2026`, `28 Dec 2025 to 3 Jan 2026`. @param last included */
export function daysWords(first: number, last: number, form: DateForm = {}): string {
  if (first === last) return dayWords(first, form)
  const [from, to] = [dateOf(first), dateOf(last)]
  const end = dayAndMonth(dayToIso(last), form.thisYear)
  if (from.year === to.year && from.month === to.month) return `${from.day} to ${end}`
  const omitted = from.year === to.year ? from.year : form.thisYear
  return `${dayAndMonth(dayToIso(first), omitted)} to ${end}`
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
 * A date, a month, a year or a time of a request: `22 Jan 2026 (022)`, `January 2026`, `22 Jan 2026
 * 05:13`, with seconds if they are not 0. Another text stays as it is.
 */
export function dateWords(text: string): string {
  const days = parseDays(text)
  if (days !== undefined) return spanWords(days.from, days.to)
  const us = parseTimeUs(text)
  if (us === undefined) return text
  const iso = secondsToIso(Math.floor(us / 1e6))
  return readableTime(iso, iso.endsWith(':00Z') ? 'minute' : 'second')
}

/** `27 Nov`; with the year unless it is that of `now`. @param now seconds since 1970 */
export function shortDay(day: number, now: number): string {
  return dayAndMonth(dayToIso(day), yearAt(now))
}

/** `12 to 14 Oct`. @param last included */
export function shortDays(first: number, last: number, now: number): string {
  const thisYear = yearAt(now)
  return first === last ? shortDay(first, now) : daysWords(first, last, { thisYear })
}

/** @param seconds since 1970 */
function yearAt(seconds: number): number {
  return dateOf(Math.floor(seconds / secondsPerDay)).year
}
