/** GPS weeks and ISO weeks. Pure. */
import { secondsPerDay } from '../parse/calendar.ts'

/** A week, with its first and last day as UTC days since 1970. */
export interface Week {
  /** The number of a GPS week (`2393`), or the name of an ISO week (`2026-W47`). */
  readonly name: string
  readonly fromDay: number
  readonly toDay: number
}

/** 1980-01-06, the first day of GPS week 0 (IS-GPS-200, 3.3.4), a Sunday. */
const gpsEpochDay = 3657

/** The GPS week of a UTC day: Sunday to Saturday. Leap seconds between GPS time and UTC are ignored, as in file names. */
export function gpsWeekOf(day: number): Week {
  return gpsWeek(Math.floor((day - gpsEpochDay) / 7))
}

function gpsWeek(number: number): Week {
  const fromDay = gpsEpochDay + 7 * number
  return { name: String(number), fromDay, toDay: fromDay + 6 }
}

/**
 * The week of a name: a GPS week `2393`, or an ISO week `2026-W47` (ISO 8601, Monday to Sunday); `undefined` for other text, and
 * for an ISO week that its year does not have.
 */
export function parseWeek(text: string): Week | undefined {
  if (/^\d{1,4}$/.test(text)) return gpsWeek(Number(text))
  const [, year, number] = /^(\d{4})-?W(\d\d)$/i.exec(text) ?? []
  if (year === undefined || number === undefined) return undefined
  const fromDay = isoWeekStart(Number(year)) + 7 * (Number(number) - 1)
  const isOfYear = Number(number) >= 1 && fromDay < isoWeekStart(Number(year) + 1)
  return isOfYear ? { name: `${year}-W${number}`, fromDay, toDay: fromDay + 6 } : undefined
}

/** First day of an ISO year: the Monday of the week with 4 January, as a UTC day since 1970. */
function isoWeekStart(year: number): number {
  const fourth = Date.UTC(year, 0, 4) / 1000 / secondsPerDay
  // 1970-01-01 was a Thursday.
  return fourth - ((((fourth + 3) % 7) + 7) % 7)
}
