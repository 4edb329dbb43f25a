/**
 * Times in words, in the form of all dates (`readable.ts`): days, hours, and the slots of periods.
 * Pure.
 */
import {
  dateOf,
  dayToIso,
  parseDays,
  parseTimeUs,
  secondsPerDay,
  secondsPerHour,
  secondsToIso,
} from '../../parse/calendar.ts'
import type { DateForm } from '../../runtime/readable.ts'
import { counted, dayAndMonth, months, readableDate, readableTime } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, startOf } from '../../series/series.ts'

const nouns: Readonly<Record<Period, readonly [one: string, many: string]>> = {
  '15M': ['quarter hour', 'quarter hours'],
  '01H': ['hour', 'hours'],
  '01D': ['day', 'days'],
}

/** `hour`, the data of one file; `hours` unless the count is 1. */
export function periodNoun(period: Period, count = 1): string {
  return nouns[period][count === 1 ? 0 : 1]
}

/** `3 quarter hours` */
export function slotCount(count: number, period: Period): string {
  return counted(count, ...nouns[period])
}

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
function wholeDays(first: number, last: number): string {
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
  if (days !== undefined) return wholeDays(days.from, days.to)
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

/** Data of a span: `24 to 26 Nov`, `24 Nov 03–05 h`, `24 Nov 22:00 to 25 Nov 03:00`. */
export function spanWords(start: number, end: number, now: number): string {
  const [first, last] = [dayAt(start), dayAt(end - 1)]
  if (start % secondsPerDay === 0 && end % secondsPerDay === 0) return shortDays(first, last, now)
  if (first === last) return `${shortDay(first, now)} ${hoursWords(start, end)}`
  return `${shortDay(first, now)} ${clockWords(start)} to ${shortDay(last, now)} ${endWords(end)}`
}

/** The data of adjacent slots. */
export function slotsWords(
  { firstSlot, slots }: { readonly firstSlot: number; readonly slots: number },
  period: Period,
  now: number,
): string {
  return spanWords(startOf(firstSlot, period), endOfSlot(firstSlot + slots - 1, period), now)
}

/** Hours of a day: `08–15 h`, `23–24 h`; other times of it `05:15–06:00`. */
export function hoursWords(start: number, end: number): string {
  const [from, to] = [clockWords(start), endWords(end)]
  const isOfHours = start % secondsPerHour === 0 && end % secondsPerHour === 0
  return isOfHours ? `${from.slice(0, 2)}–${to.slice(0, 2)} h` : `${from}–${to}`
}

/** `10:00`, with its date on another day than now. */
export function momentWords(seconds: number, now: number): string {
  const clock = clockWords(seconds)
  return dayAt(seconds) === dayAt(now) ? clock : `${shortDay(dayAt(seconds), now)} ${clock}`
}

/** `10:00` */
export function clockWords(seconds: number): string {
  return secondsToIso(seconds).slice(11, 16)
}

/** The same of an end: midnight is 24:00. */
function endWords(seconds: number): string {
  return seconds % secondsPerDay === 0 ? '24:00' : clockWords(seconds)
}

/** The UTC day since 1970 of a time. */
export function dayAt(seconds: number): number {
  return Math.floor(seconds / secondsPerDay)
}

/** @param seconds since 1970 */
function yearAt(seconds: number): number {
  return dateOf(dayAt(seconds)).year
}
