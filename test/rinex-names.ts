/** Names of RINEX files, and the directories where they belong. Times are seconds since 1970. */
import { dayOfYearAt } from '../src/parse/calendar.ts'

interface Parts {
  /** `01D`, or another one that a name may write: `24H`. */
  readonly period?: string
  /** Only in a long name: `R`, `S` or `U`. */
  readonly source?: string
  /** Only in a long name: the rate, the type and the form. */
  readonly rest?: string
  /** Only in a short name. */
  readonly type?: string
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0')

function partsOf(start: number) {
  const { year, dayOfYear } = dayOfYearAt(start)
  const date = new Date(start * 1000)
  const [hour, minute] = [digits(date.getUTCHours(), 2), digits(date.getUTCMinutes(), 2)]
  return { year: digits(year, 4), day: digits(dayOfYear, 3), hour, minute }
}

/** The start of a day, hour or minute. */
export const startOf = (year: number, dayOfYear: number, hour = 0, minute = 0): number =>
  Date.UTC(year, 0, dayOfYear, hour, minute) / 1000

/** The name of a file of a station: a long one if its code has nine characters. */
export function nameOf(station: string, start: number, parts: Parts = {}): string {
  return station.length === 9 ? longName(station, start, parts) : shortName(station, start, parts)
}

/** `GRAZ00AUT_R_20260220500_01H_30S_MO.crx.gz` */
function longName(station: string, start: number, parts: Parts): string {
  const { period = '01D', source = 'R', rest = '30S_MO.crx' } = parts
  const { year, day, hour, minute } = partsOf(start)
  return `${station}_${source}_${year}${day}${hour}${minute}_${period}_${rest}.gz`
}

/** `graz0220.26d.gz`, `graz022f.26d.gz` of an hour, or `graz022f15.26d.gz` of 15 minutes */
function shortName(station: string, start: number, { period = '01D', type = 'd' }: Parts): string {
  const { year, day, hour, minute } = partsOf(start)
  const letter = String.fromCharCode(97 + Number(hour))
  const session = { '01D': '0', '01H': letter }[period] ?? letter + minute
  return `${station.toLowerCase()}${day}${session}.${year.slice(2)}${type}.gz`
}

/** `obs/2026/022`, or `nrt/2026/022/05` */
export function directoryOf(area: 'obs' | 'nrt', start: number): string {
  const { year, day, hour } = partsOf(start)
  return area === 'obs' ? `obs/${year}/${day}` : `nrt/${year}/${day}/${hour}`
}
