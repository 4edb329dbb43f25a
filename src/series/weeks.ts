/** GPS weeks and ISO weeks. Pure. */
import { dayOfYearAt, dayStartSeconds, secondsPerDay } from '../parse/calendar.ts'

/** A week, with its first and last day as UTC days since 1970. */
export interface Week {
  /** The number of a GPS week (`2393`), or the name of an ISO week (`2026-W47`). */
  readonly name: string
  readonly fromDay: number
  readonly toDay: number
}

/** 1980-01-06, the first day of GPS week 0 (IS-GPS-200, 3.3.4), a Sunday. */
const gpsEpochDay = 3657

/**
 * The GPS week of a UTC day: Sunday to Saturday. Leap seconds between GPS time and UTC are ignored,
 * as in file names. No week is before week 0: a day before it, from a wrong clock, gives week 0.
 */
export function gpsWeekOf(day: number): Week {
  return gpsWeek(Math.max(0, Math.floor((day - gpsEpochDay) / 7)))
}

function gpsWeek(number: number): Week {
  return weekFrom(String(number), gpsEpochDay + 7 * number)
}

/** The ISO week of a UTC day (ISO 8601): Monday to Sunday, named after the year of its Thursday. */
function isoWeekOf(day: number): Week {
  const monday = mondayOf(day)
  const { year } = dayOfYearAt((monday + 3) * secondsPerDay)
  const number = (monday - isoYearStart(year)) / 7 + 1
  const name = `${String(year).padStart(4, '0')}-W${String(number).padStart(2, '0')}`
  return weekFrom(name, monday)
}

/** The week before a week (-1) or after it (1), of the same kind. */
export function weekBeside({ name, fromDay }: Week, step: -1 | 1): Week {
  const day = fromDay + 7 * step
  return name.includes('W') ? isoWeekOf(day) : gpsWeekOf(day)
}

/**
 * The week of a name: a GPS week `2393`, or an ISO week `2026-W47` of a year of four digits, as
 * file names have them; `undefined` for other text, and for an ISO week that its year does not
 * have.
 */
export function parseWeek(text: string): Week | undefined {
  if (/^\d{1,4}$/.test(text)) return gpsWeek(Number(text))
  const [, year, number] = /^(\d{4})-?W(\d\d)$/i.exec(text) ?? []
  if (year === undefined || number === undefined) return undefined
  const fromDay = isoYearStart(Number(year)) + 7 * (Number(number) - 1)
  const isOfYear = Number(number) >= 1 && fromDay < isoYearStart(Number(year) + 1)
  return isOfYear ? weekFrom(`${year}-W${number}`, fromDay) : undefined
}

/** First day of an ISO year: the Monday of the week with 4 January, as a UTC day since 1970. */
function isoYearStart(year: number): number {
  return mondayOf(dayStartSeconds(year, 4) / secondsPerDay)
}

/** The latest Monday that is not after a UTC day. 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return Math.floor((day + 3) / 7) * 7 - 3
}

function weekFrom(name: string, fromDay: number): Week {
  return { name, fromDay, toDay: fromDay + 6 }
}
