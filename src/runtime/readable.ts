/** Times, sizes and numbers as texts for people, on pages and in terminals. Pure. */
import { dayOfYearAt, parseDay, secondsPerDay, twoDigits } from '../parse/calendar.ts'

export const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
] as const

/** What a date may be written with, besides its usual form. */
export interface DateForm {
  /** The year that is not written, because it is this one. */
  readonly thisYear?: number
  /** True if midnight is written too. */
  readonly hasClock?: boolean
}

/** `22 Jan 2026 (022)`, the one form of dates. @param date as in `2026-01-22` */
function dateText(date: string, thisYear?: number): string {
  return `${dayAndMonth(date, thisYear)} (${dayOfYearIn(date)})`
}

function dayOfYearIn(date: string): string {
  const { dayOfYear } = dayOfYearAt((parseDay(date) ?? NaN) * secondsPerDay)
  return String(dayOfYear).padStart(3, '0')
}

/** `22 Jan 2026`. @param date as in `2026-01-22` */
export function dayAndMonth(date: string, thisYear?: number): string {
  const [year = '', month = '', day = ''] = date.split('-')
  const name = months[Number(month) - 1]?.slice(0, 3) ?? ''
  return `${Number(day)} ${name}${Number(year) === thisYear ? '' : ` ${year}`}`
}

/** A time in UTC: `22 Jan 2026 05:00`, or with seconds; an empty text for null. */
export function readableTime(
  iso: string | null,
  precision: 'minute' | 'second' = 'minute',
  thisYear?: number,
): string {
  if (iso === null) return ''
  const clock = iso.slice(11, precision === 'minute' ? 16 : 19)
  return `${dayAndMonth(iso.slice(0, 10), thisYear)} ${clock}`
}

/** What is exact of a time or a date: `2026-01-22 (022) 05:00:07 UTC`, `2026-01-22 (022)`. */
export function exactTime(iso: string | null): string {
  if (iso === null) return ''
  const date = iso.slice(0, 10)
  const day = `${date} (${dayOfYearIn(date)})`
  return iso.length > 10 ? `${day} ${iso.slice(11, 19)} UTC` : day
}

/** The start of data with its day of the year: `22 Jan 2026 (022) 05:00`, without midnight. */
export function readableDate(iso: string | null, { thisYear, hasClock }: DateForm = {}): string {
  if (iso === null) return ''
  const time = iso.slice(11, 16)
  const isShown = hasClock ?? !['', '00:00'].includes(time)
  return `${dateText(iso.slice(0, 10), thisYear)}${isShown ? ` ${time}` : ''}`
}

/** The hour of data that begins at a time: `13–14`, `23–24`. @param start in seconds since 1970 */
export function hourWords(start: number): string {
  const hour = Math.floor(start / 3600) % 24
  return `${twoDigits(hour)}–${twoDigits(hour + 1)}`
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `1.4 MB`: at most three digits, powers of 1000. @param bytes 0 or more */
export function readableSize(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  const digits = step === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits)} ${units[step] ?? ''}`
}

/** `99.4 %`; an empty text without a share. @param share 0 to 1 */
export function readableShare(share: number | null | undefined): string {
  return typeof share !== 'number' ? '' : `${(100 * share).toFixed(1)} %`
}

const grouped = new Intl.NumberFormat('en')

export function readableNumber(count: number): string {
  return grouped.format(count)
}

/** `1 file`, `1,234 files` */
export function counted(count: number, one: string, many: string): string {
  return `${readableNumber(count)} ${count === 1 ? one : many}`
}

/** `42 s`, `9 min`, `5 h 40 min`, `3 days`; an empty text for null. @param seconds 0 or more */
export function readableDuration(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds < 120) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours < 48) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
  return `${readableNumber(Math.floor(minutes / 1440))} days`
}

/** The first 60 characters of a text, for titles. */
export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Maximum length of client text in a log line. */
const maxLength = 1024

/** Cuts client text and escapes all but printable ASCII, because a terminal would act on it. */
export function printable(text: string): string {
  return text
    .slice(0, maxLength)
    .replaceAll(/[^\x20-\x7e]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}
