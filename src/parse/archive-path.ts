/**
 * The directories of an archive: `obs/<yyyy>/<ddd>` holds the files of a day, `nrt/<yyyy>/<ddd>/<hh>` those of an
 * hour. Paths are relative to the archive root, without slashes at their ends.
 */
import {
  dayStartSeconds,
  daysInYear,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
} from './calendar.ts'
import { numberAt } from './characters.ts'
import type { ParsedName } from './types.ts'

/** The two storage areas of an archive: the daily archive and the near-real-time area. */
export const areas = ['obs', 'nrt'] as const
export type Area = (typeof areas)[number]

/** Segments of the deepest directory that is walked, its area among them. */
export const maxDirectoryDepth = 8

/** A directory whose files are catalogued. */
export interface ArchiveDirectory {
  readonly kind: 'directory'
  readonly area: Area
  /** Start of the year, day or hour that the directory is for; `undefined` when its path tells no date. */
  readonly startSeconds: number | undefined
  /** Length of that year, day or hour; `undefined` when its path tells no date. */
  readonly spanSeconds: number | undefined
}

/** Why a directory is not walked. */
export type PathRejectionReason = 'not-in-area' | 'too-deep' | 'bad-directory-name'

export interface PathRejection {
  readonly kind: 'rejected'
  readonly reason: PathRejectionReason
}

/** Whether a directory of that name is walked: so none needs escaping in a URL, none is hidden, none is `..`. */
export function isDirectoryName(segment: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(segment)
}

/** What the path of a directory tells. Files may lie in any directory below an area, dated or not. */
export function parseDirectory(path: string): ArchiveDirectory | PathRejection {
  const segments = path.split('/', maxDirectoryDepth + 1)
  const area = areas.find((name) => name === segments[0])
  if (area === undefined) return { kind: 'rejected', reason: 'not-in-area' }
  if (segments.length > maxDirectoryDepth) return { kind: 'rejected', reason: 'too-deep' }
  if (!segments.every(isDirectoryName)) return { kind: 'rejected', reason: 'bad-directory-name' }
  const [startSeconds, spanSeconds] = periodOf(area, segments.slice(1)) ?? []
  return { kind: 'directory', area, startSeconds, spanSeconds }
}

/**
 * Whether a file lies where its name does not send it: its start is not in the directory's time, it covers a day
 * or more and lies in the directory of an hour, or the directory has no date at all.
 */
export function isMisplaced(parsed: ParsedName, directory: ArchiveDirectory): boolean {
  const { startSeconds, spanSeconds } = directory
  if (startSeconds === undefined || spanSeconds === undefined) return true
  const offset = parsed.startSeconds - startSeconds
  if (offset < 0 || offset >= spanSeconds) return true
  return spanSeconds === secondsPerHour && (parsed.duration === 'd' || parsed.duration === 'y')
}

/** Start and length of `<yyyy>`, `<yyyy>/<ddd>` or, near real time only, `<yyyy>/<ddd>/<hh>`. */
function periodOf(area: Area, segments: readonly string[]): [number, number] | undefined {
  const [yyyy, ddd, hh, ...deeper] = segments
  const year = numberOf(yyyy, 4)
  if (year === undefined || deeper.length > 0) return undefined
  if (ddd === undefined) return [dayStartSeconds(year, 1), daysInYear(year) * secondsPerDay]

  const dayOfYear = numberOf(ddd, 3)
  if (dayOfYear === undefined || !isDayOfYear(year, dayOfYear)) return undefined
  const dayStart = dayStartSeconds(year, dayOfYear)
  if (hh === undefined) return [dayStart, secondsPerDay]

  const hour = numberOf(hh, 2)
  if (area !== 'nrt' || hour === undefined || hour > 23) return undefined
  return [dayStart + hour * secondsPerHour, secondsPerHour]
}

/** The number of exactly so many digits that a segment is. */
function numberOf(segment: string | undefined, width: number): number | undefined {
  if (segment?.length !== width) return undefined
  const number = numberAt(segment, 0, width)
  return number < 0 ? undefined : number
}
