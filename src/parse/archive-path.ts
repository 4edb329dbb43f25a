/**
 * The directories of an archive: `obs/<yyyy>/<ddd>` has the files of a day, `nrt/<yyyy>/<ddd>/<hh>`
 * the files of an hour. Paths are relative to the archive root, without a slash at either end.
 */
import {
  daysInYear,
  dayStartSeconds,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
} from './calendar.ts'
import type { ParsedName } from './types.ts'

/** The two storage areas of an archive: the daily archive and the near-real-time area. */
export const areas = ['obs', 'nrt'] as const
export type Area = (typeof areas)[number]

/** The area of the path of a directory or a file below an area. */
export function areaOf(path: string): Area {
  return path.split('/', 1)[0] as Area
}

/**
 * Maximum number of segments in a directory path, including the area. Deeper directories are not
 * read.
 */
export const maxDirectoryDepth = 8

/**
 * Days in the future that belong to the present: clocks differ, and directories of tomorrow are
 * made today. A file with a later date has a wrong name.
 */
export const daysAhead = 2

/** A directory whose files are catalogued. */
export interface ArchiveDirectory {
  readonly kind: 'directory'
  readonly area: Area
  /** Start of the directory's year, day or hour; `undefined` if its path has no date. */
  readonly startSeconds: number | undefined
  /** Length of that year, day or hour; `undefined` if its path has no date. */
  readonly spanSeconds: number | undefined
}

/** The reason why a directory is not read. */
export type PathRejectionReason = 'not-in-area' | 'too-deep' | 'bad-directory-name'

interface PathRejection {
  readonly kind: 'rejected'
  readonly reason: PathRejectionReason
}

/**
 * True if directories with this name are read. The allowed names need no escaping in URLs, are not
 * hidden, and are not `..`.
 */
export function isDirectoryName(segment: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(segment)
}

/**
 * Parses the path of a directory. Files may be in any directory below an area, with a date or
 * without.
 */
export function parseDirectory(path: string): ArchiveDirectory | PathRejection {
  const segments = path.split('/', maxDirectoryDepth + 1)
  const area = areas.find((name) => name === segments[0])
  if (area === undefined) return { kind: 'rejected', reason: 'not-in-area' }
  if (segments.length > maxDirectoryDepth) return { kind: 'rejected', reason: 'too-deep' }
  if (!segments.every(isDirectoryName)) return { kind: 'rejected', reason: 'bad-directory-name' }
  const [startSeconds, spanSeconds] = periodOf(area, path.slice(area.length + 1)) ?? []
  return { kind: 'directory', area, startSeconds, spanSeconds }
}

/**
 * True if a file is in the wrong directory: its data do not start within the directory's year, day
 * or hour; or the data cover a day or more, but the directory is that of an hour; or the directory
 * has no date.
 */
export function isMisplaced(parsed: ParsedName, directory: ArchiveDirectory): boolean {
  const { startSeconds, spanSeconds } = directory
  if (startSeconds === undefined || spanSeconds === undefined) return true
  const offset = parsed.startSeconds - startSeconds
  if (offset < 0 || offset >= spanSeconds) return true
  return spanSeconds === secondsPerHour && (parsed.spanSeconds ?? 0) >= secondsPerDay
}

/** `<yyyy>`, `<yyyy>/<ddd>` or `<yyyy>/<ddd>/<hh>`. */
const datedPath = /^([0-9]{4})(?:\/([0-9]{3})(?:\/([0-9]{2}))?)?$/

/** Start and length, in seconds, of a year, a day or, near real time only, an hour. */
function periodOf(area: Area, path: string): [number, number] | undefined {
  const [, yyyy, ddd, hh] = datedPath.exec(path) ?? []
  if (yyyy === undefined) return undefined
  const year = Number(yyyy)
  if (ddd === undefined) return [dayStartSeconds(year, 1), daysInYear(year) * secondsPerDay]

  if (!isDayOfYear(year, Number(ddd))) return undefined
  const dayStart = dayStartSeconds(year, Number(ddd))
  if (hh === undefined) return [dayStart, secondsPerDay]

  if (area !== 'nrt' || Number(hh) > 23) return undefined
  return [dayStart + Number(hh) * secondsPerHour, secondsPerHour]
}
