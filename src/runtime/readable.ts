/** Times, sizes and numbers as texts for people, on pages and in terminals. Pure. */
import { dayOfYearAt, parseDay, secondsPerDay, twoDigits } from '../parse/calendar.ts'

/** Formats an ISO time in UTC: `2026-01-22 05:00`, or with seconds. */
export function readableTime(
  iso: string | null,
  precision: 'minute' | 'second' = 'minute',
): string {
  return (iso ?? '').slice(0, precision === 'minute' ? 16 : 19).replace('T', ' ')
}

/** A time to the second with its day of the year: `2026-01-22 (022) 05:00:07 UTC`. */
export function exactTime(iso: string | null): string {
  return iso === null ? '' : `${readableDate(iso.slice(0, 10))} ${iso.slice(11, 19)} UTC`
}

/** The start of data with its day of the year: `2026-01-22 (022) 05:00`, without midnight. */
export function readableDate(iso: string | null): string {
  if (iso === null) return ''
  const date = iso.slice(0, 10)
  const time = iso.slice(11, 16)
  const { dayOfYear } = dayOfYearAt((parseDay(date) ?? NaN) * secondsPerDay)
  return `${date} (${String(dayOfYear).padStart(3, '0')})${time === '00:00' || time === '' ? '' : ` ${time}`}`
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

/** `42 s`, `9 min`, `5 h 40`, `3 days`; an empty text for null. @param seconds 0 or more */
export function readableDuration(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds < 120) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  if (hours < 48) return rest === 0 ? `${hours} h` : `${hours} h ${twoDigits(rest)}`
  return `${readableNumber(Math.round(seconds / secondsPerDay))} days`
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
