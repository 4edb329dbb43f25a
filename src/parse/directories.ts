/**
 * The names of directories, and the dates in their paths: below an area, `<yyyy>/<ddd>` has the
 * files of a day, `<yyyy>/<ddd>/<hh>` the files of an hour.
 */
import {
  daysInYear,
  dayStartSeconds,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
} from './calendar.ts'

/**
 * Maximum number of segments in the path of a directory below the archive root. Deeper directories
 * are not read.
 */
export const maxDirectoryDepth = 12

/**
 * Days in the future that belong to the present: clocks differ, and directories of tomorrow are
 * made today. A file with a later date has a wrong name.
 */
export const daysAhead = 2

/**
 * True if directories with this name are read. The allowed names need no escaping in URLs, are not
 * hidden, and are not `..`.
 */
export function isDirectoryName(segment: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(segment)
}

/** The date in the path of a directory. */
export interface DirectoryDate {
  /** Start of the directory's year, day or hour; `undefined` if its path has no date. */
  readonly startSeconds: number | undefined
  /** Length of that year, day or hour; `undefined` if its path has no date. */
  readonly spanSeconds: number | undefined
}

/** `<yyyy>`, `<yyyy>/<ddd>` or `<yyyy>/<ddd>/<hh>`. */
const datedPath = /^([0-9]{4})(?:\/([0-9]{3})(?:\/([0-9]{2}))?)?$/

const noDate: DirectoryDate = { startSeconds: undefined, spanSeconds: undefined }

/**
 * The date of a directory.
 * @param path its path below its area
 */
export function dateOfDirectory(area: string, path: string): DirectoryDate {
  const [, yyyy, ddd, hh] = datedPath.exec(path) ?? []
  if (yyyy === undefined) return noDate
  const year = Number(yyyy)
  if (ddd === undefined)
    return { startSeconds: dayStartSeconds(year, 1), spanSeconds: daysInYear(year) * secondsPerDay }
  if (!isDayOfYear(year, Number(ddd))) return noDate
  const dayStart = dayStartSeconds(year, Number(ddd))
  if (hh === undefined) return { startSeconds: dayStart, spanSeconds: secondsPerDay }
  // The daily archive of the seed has no directories of hours.
  if (area === 'obs' || Number(hh) > 23) return noDate
  return { startSeconds: dayStart + Number(hh) * secondsPerHour, spanSeconds: secondsPerHour }
}
