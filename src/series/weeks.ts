/** GPS weeks. Pure. */

/** A GPS week, Sunday to Saturday, with its first and last day as UTC days since 1970. */
export interface Week {
  readonly number: number
  readonly fromDay: number
  readonly toDay: number
}

/** 1980-01-06, the first day of GPS week 0 (IS-GPS-200, 3.3.4), a Sunday. */
const gpsEpochDay = 3657

export function gpsWeek(number: number): Week {
  const fromDay = gpsEpochDay + 7 * number
  return { number, fromDay, toDay: fromDay + 6 }
}

/**
 * The GPS week of a UTC day. Leap seconds between GPS time and UTC are ignored, as in file names.
 * No week is before week 0: a day before it, from a wrong clock, gives week 0.
 */
export function gpsWeekOf(day: number): Week {
  return gpsWeek(Math.max(0, Math.floor((day - gpsEpochDay) / 7)))
}
