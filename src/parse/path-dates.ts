/**
 * What the path of a directory says about the time of the files in it, for any layout of
 * directories, without its being described. Paths are relative to the archive root.
 */
import {
  dayStartSeconds,
  fullYear,
  gpsWeek,
  isDayOfYear,
  parseDay,
  secondsPerDay,
  sessionHour,
} from './calendar.ts'

/** What the path of a directory says about the time of the files in it. */
export interface PathDates {
  /** Years from 1980 to 2079, in the order of the path; of several, any may be meant. */
  readonly years: readonly number[]
  /**
   * The month of these years, 1 to 12. It is weak if it is a number alone, which may also be a day
   * of the month or of the year.
   */
  readonly month: { readonly number: number; readonly weak: boolean } | undefined
  /** Days since 1970; of several, any may be meant. */
  readonly days: readonly number[]
  /** Hours of these days, 0 to 23; of several, any may be meant. */
  readonly hours: readonly number[]
}

/** What the segments of a path have said so far. */
interface Reading {
  years: number[]
  month: PathDates['month']
  days: number[]
  hours: number[]
  /** True while the only day has a year of two digits and no segment before it was a year. */
  shortDay: boolean
  /** The number of segments so far, and of those up to the last year, without the station's. */
  position: number
  yearPosition: number
}

/**
 * Each rule reads one form of a segment: it returns false if the segment does not have this form,
 * is no date (`20261301`), or has no meaning after what was read.
 */
type Rule = (segment: string, reading: Reading) => boolean

/** Matches `yyyyddd` and `yyyymmdd`, their parts also joined by a hyphen, `_` or a full stop. */
const wholeDayForm = /^\d{4}([-_.]?)(?:\d{3}|\d\d\1\d\d)$/
const yearForm = /^(?:y?(\d{4})|RefData\.(\d\d))$/i
const shortDayForm = /^(\d\d)(\d{3})$/
const dayOfYearForm = /^(?:d(?:ay|oy)?[-_]?)?(\d{3})$/i
const monthNumberForm = /^(?:0[1-9]|1[0-2])$/
const dayOfMonthForm = /^(?:Day\.)?(\d\d)$/i
const hourForm = /^(?:[01]\d|2[0-3])$/
/** A letter of an hour, but not one that is the type of a file (`2024/101/d`). */
const hourLetterForm = /^[abcefhijkqrstuvwx]$/i

/** The months by their English names, the first three letters of these, and `sept`. */
const months: ReadonlyMap<string, number> = new Map([
  ...('january february march april may june ' + 'july august september october november december')
    .split(' ')
    .flatMap((name, index): [string, number][] => [
      [name, index + 1],
      [name.slice(0, 3), index + 1],
    ]),
  ['sept', 9],
])

/** The rules, in this order: the first that fits a segment counts. */
const rules: readonly Rule[] = [
  wholeDay,
  year,
  dayWithShortYear,
  dayOfYear,
  monthOfYear,
  dayOfMonth,
  hourOfDay,
]

function wholeDay(segment: string, reading: Reading): boolean {
  if (!wholeDayForm.test(segment)) return false
  const day = parseDay(segment.replace(/[_.]/g, '-'))
  const number = Number(segment.slice(0, 4))
  if (day === undefined || !isYear(number)) return false
  forgetShortDay(reading)
  if (reading.days.length === 0) {
    reading.years = [number]
    reading.month = undefined
  }
  reading.days.push(day)
  return true
}

function year(segment: string, reading: Reading): boolean {
  const [, four, two] = yearForm.exec(segment) ?? []
  const number = two === undefined ? Number(four) : fullYear(Number(two))
  if (!isYear(number)) return false
  forgetShortDay(reading)
  reading.years.push(number)
  reading.yearPosition = reading.position
  return true
}

/**
 * `24101` is a day, also below its year; above a year it is more likely the number of a site.
 * Without a year it may also be the GPS week 2410 and its day.
 */
function dayWithShortYear(segment: string, reading: Reading): boolean {
  const [, yy, ddd] = shortDayForm.exec(segment) ?? []
  if (yy === undefined || reading.days.length > 0) return false
  const year = fullYear(Number(yy))
  const isFirst = reading.years.length === 0
  const days = isFirst || reading.years.includes(year) ? daysOf([year], Number(ddd)) : []
  if (days.length === 0) return false
  reading.days = isFirst ? [...days, ...dayOfWeek(segment)] : days
  reading.shortDay = isFirst
  return true
}

/** The day of a GPS week of four digits and a day of the week, from Sunday 0 to Saturday 6. */
function dayOfWeek(digits: string): number[] {
  const day = Number(digits.slice(4))
  return day > 6 ? [] : [gpsWeek(Number(digits.slice(0, 4))).fromDay + day]
}

function dayOfYear(segment: string, reading: Reading): boolean {
  const [, ddd] = dayOfYearForm.exec(segment) ?? []
  const days = ddd === undefined ? [] : daysOf(reading.years, Number(ddd))
  reading.days.push(...days)
  return days.length > 0
}

function monthOfYear(segment: string, reading: Reading): boolean {
  const { years, days, month, position, yearPosition } = reading
  if (years.length === 0 || days.length > 0 || month !== undefined) return false
  if (position === yearPosition + 1 && monthNumberForm.test(segment)) {
    reading.month = { number: Number(segment), weak: true }
    return true
  }
  const [, digits, name = ''] = /^(?:Month\.|(\d\d)[-_.]?)?([a-z]{3,9})$/i.exec(segment) ?? []
  // `MAR` is the code of Morocco.
  const number = segment === 'MAR' ? undefined : months.get(name.toLowerCase())
  if (number === undefined || Number(digits ?? number) !== number) return false
  reading.month = { number, weak: false }
  return true
}

function dayOfMonth(segment: string, reading: Reading): boolean {
  const [, dd] = dayOfMonthForm.exec(segment) ?? []
  const { years, month, days } = reading
  if (dd === undefined || month === undefined || days.length > 0) return false
  const mm = String(month.number).padStart(2, '0')
  reading.days = years
    .map((number) => parseDay(`${number}-${mm}-${dd}`))
    .filter((day) => day !== undefined)
  return reading.days.length > 0
}

function hourOfDay(segment: string, reading: Reading): boolean {
  if (reading.days.length === 0) return false
  const hour = hourForm.test(segment)
    ? Number(segment)
    : hourLetterForm.test(segment)
      ? sessionHour(segment)
      : undefined
  if (hour !== undefined) reading.hours.push(hour)
  return hour !== undefined
}

function isYear(number: number): boolean {
  return number >= 1980 && number <= 2079
}

/** The days with this number in those of the years that have it. */
function daysOf(years: readonly number[], dayOfYear: number): number[] {
  return years
    .filter((year) => isDayOfYear(year, dayOfYear))
    .map((year) => dayStartSeconds(year, dayOfYear) / secondsPerDay)
}

function forgetShortDay(reading: Reading): void {
  if (!reading.shortDay) return
  reading.shortDay = false
  reading.days = []
  reading.hours = []
}

/**
 * What the path of a directory says, read from the top. A year is one of four digits, `y2024` or
 * `RefData.24`; a day is `2024101`, `20240410` or `24101`, after a year `101`, `d101`, `DOY101` or
 * `24101`, after a month `10` or `Day.10`; a month follows a year, as `Apr`, `April`, `04-Apr`,
 * `Month.Apr` or `04`; an hour follows a day, as `13` or `n`. What is no date says nothing, and
 * neither does the station of the file.
 * @param site four characters of the station of the file, in upper case; by default it is not known
 */
export function datesOfPath(path: string, site?: string): PathDates {
  const reading: Reading = {
    years: [],
    month: undefined,
    days: [],
    hours: [],
    shortDay: false,
    position: 0,
    yearPosition: -1,
  }
  for (const segment of path.split('/')) {
    if (site !== undefined && siteOf(segment) === site) continue
    reading.position++
    rules.some((rule) => rule(segment, reading))
  }
  return reading
}

const stationForm = /^([A-Z0-9]{4})(?:[0-9]{2}[A-Z]{3})?$/

/** The site of a segment that has the form of a station code and is no year; else `undefined`. */
export function siteOf(segment: string): string | undefined {
  const code = segment.toUpperCase()
  return isYear(Number(code)) ? undefined : stationForm.exec(code)?.[1]
}
