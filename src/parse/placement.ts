/**
 * Whether the path of a file contradicts its name. The name says all that a record needs; of the
 * path is only asked whether it names another year, month, day or hour.
 */
import { dateOf, dayOfYearAt, gpsWeekOf, secondsPerDay, secondsPerHour } from './calendar.ts'
import type { PathDates } from './path-dates.ts'
import { datesOfPath, siteOf } from './path-dates.ts'
import type { ParsedName } from './types.ts'

/** Whether the files of one directory fit it. */
export interface Placement {
  /** True if this depends on the station of a file, because a segment may be its code. */
  readonly perStation: boolean
  /** True if the path of the directory contradicts what the name of a file says. */
  isMisplaced(name: Pick<ParsedName, 'station' | 'startSeconds' | 'spanSeconds'>): boolean
}

/** Reads the path of a directory once, for all its files. */
export function placementIn(directory: string): Placement {
  const dates = datesOfPath(directory)
  const sites = directory.split('/').map(siteOf)
  const bySite = new Map<string, PathDates>()
  for (const site of sites) {
    if (site === undefined) continue
    const own = datesOfPath(directory, site)
    if (!sameDates(own, dates)) bySite.set(site, own)
  }
  return {
    perStation: bySite.size > 0,
    isMisplaced: (name) => contradicts(bySite.get(name.station.slice(0, 4)) ?? dates, name),
  }
}

function sameDates(a: PathDates, b: PathDates): boolean {
  const plain = ({ years, month, days, hours }: PathDates): string =>
    JSON.stringify([years, month, days, hours])
  return plain(a) === plain(b)
}

function contradicts(
  { years, month, days, hours }: PathDates,
  { startSeconds, spanSeconds = secondsPerDay }: Pick<ParsedName, 'startSeconds' | 'spanSeconds'>,
): boolean {
  const day = Math.floor(startSeconds / secondsPerDay)
  if (days.length > 0) {
    if (!days.includes(day)) return true
    // The files of a day may be in the directory of any of its hours.
    if (hours.length === 0 || spanSeconds >= secondsPerDay) return false
    return !hours.includes(Math.floor((startSeconds % secondsPerDay) / secondsPerHour))
  }
  if (years.length === 0) return false
  const date = dateOf(day)
  // A number of four digits may also be the GPS week.
  if (!years.includes(date.year) && !years.includes(gpsWeekOf(day).number)) return true
  if (month === undefined || month.number === date.month) return false
  return !(
    month.weak &&
    (month.number === date.day || month.number === dayOfYearAt(startSeconds).dayOfYear)
  )
}
