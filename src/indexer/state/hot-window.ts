/** Which directories are hot: those in which new files are expected. */
import { areas, daysAhead, parseDirectory } from '../../parse/archive-path.ts'
import type { KnownDirectories } from './known-directories.ts'

/** Number of past days whose directories are hot, for each area. */
export interface HotWindow {
  readonly obsDays: number
  readonly nrtDays: number
}

const dayMs = 86_400_000
/** Maximum number of directories whose names each sweep reads. */
export const mostByName = 1000

/**
 * True if a directory belongs to the hot window, whose directories are watched, and read by name in
 * each sweep: the areas; the present and the previous year; the days and hours within the `window`;
 * years, days and hours that begin within the next two days; and directories without a date of
 * their own below a hot directory that has a date.
 */
export function isHot(path: string, nowMs: number, window: HotWindow): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected') return false
  const { area, startSeconds, spanSeconds } = directory
  if (path === area) return true
  if (startSeconds === undefined || spanSeconds === undefined) {
    const parent = parentOf(path)
    return isDated(parent) && isHot(parent, nowMs, window)
  }
  const [startMs, endMs] = [startSeconds * 1000, (startSeconds + spanSeconds) * 1000]
  if (startMs > nowMs + daysAhead * dayMs) return false
  // The previous year stays hot: late files may create a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = area === 'obs' ? window.obsDays : window.nrtDays
  return endMs > nowMs - days * dayMs
}

/** True if a directory, or one above it, has a date; `obs/misc` has none. */
function isDated(path: string): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected' || path === directory.area) return false
  return directory.startSeconds !== undefined || isDated(parentOf(path))
}

/**
 * Returns the known hot directories. Starts at the areas and goes down, because most of a tree is
 * not hot.
 */
export function hotDirectories(
  known: KnownDirectories,
  window: HotWindow,
  nowMs: number,
): string[] {
  const found: string[] = []
  const pending: string[] = areas.filter((area) => known.has(area))
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (!isHot(path, nowMs, window)) continue
    found.push(path)
    pending.push(...known.childrenOf(path))
  }
  return found
}

/**
 * Returns the first of these directories, at most so many: areas and years first, because new
 * directories appear in them, then those whose date ends last. A directory without a date of its
 * own counts as the one above it.
 */
export function newestOf(paths: readonly string[], most: number): string[] {
  if (paths.length <= most) return [...paths]
  const ends = new Map(paths.map((path) => [path, endSeconds(path)]))
  const endOf = (path: string): number => ends.get(path) ?? -Infinity
  // A difference of two infinite ends would be no number.
  const compare = (a: string, b: string): number => Number(endOf(a) < endOf(b)) || -1
  return paths.toSorted((a, b) => (endOf(a) === endOf(b) ? 0 : compare(a, b))).slice(0, most)
}

function endSeconds(path: string): number {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected') return -Infinity
  const { area, startSeconds, spanSeconds } = directory
  if (path === area) return Infinity
  if (startSeconds === undefined || spanSeconds === undefined)
    return isDated(parentOf(path)) ? endSeconds(parentOf(path)) : -Infinity
  return spanSeconds > dayMs / 1000 ? Infinity : startSeconds + spanSeconds
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}
