/** Which directories are hot: those in which new files are expected. */
import { secondsPerHour } from '../../parse/calendar.ts'
import { daysAhead } from '../../parse/directories.ts'
import type { Layout } from '../../parse/layout.ts'
import { parentOf } from '../../parse/layout.ts'
import type { KnownDirectories } from './known-directories.ts'

/** Number of past days whose directories are hot. */
export interface HotWindow {
  /** For directories of days. */
  readonly days: number
  /** For directories of hours. */
  readonly hoursDays: number
}

/** What decides which directories are hot. */
interface HotTree {
  readonly layout: Layout
  readonly window: HotWindow
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
export function isHot(path: string, nowMs: number, tree: HotTree): boolean {
  const { layout, window } = tree
  const directory = layout.parseDirectory(path)
  if (directory.kind === 'rejected') return false
  const { startSeconds, spanSeconds } = directory
  if (layout.isRoot(path)) return true
  if (startSeconds === undefined || spanSeconds === undefined) {
    const parent = parentOf(path)
    return isDated(layout, parent) && isHot(parent, nowMs, tree)
  }
  const [startMs, endMs] = [startSeconds * 1000, (startSeconds + spanSeconds) * 1000]
  if (startMs > nowMs + daysAhead * dayMs) return false
  // The previous year stays hot: late files may create a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = spanSeconds > secondsPerHour ? window.days : window.hoursDays
  return endMs > nowMs - days * dayMs
}

/** True if a directory, or one above it, has a date; `obs/misc` has none. */
function isDated(layout: Layout, path: string): boolean {
  const directory = layout.parseDirectory(path)
  if (directory.kind === 'rejected' || layout.isRoot(path)) return false
  return directory.startSeconds !== undefined || isDated(layout, parentOf(path))
}

/**
 * Returns the known hot directories. Starts at the areas and goes down, because most of a tree is
 * not hot.
 */
export function hotDirectories(
  tree: HotTree & { readonly known: KnownDirectories },
  nowMs: number,
): string[] {
  const { layout, known } = tree
  const found: string[] = []
  const pending: string[] = layout.roots.filter((root) => known.has(root))
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (!isHot(path, nowMs, tree)) continue
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
export function newestOf(layout: Layout, paths: readonly string[], most: number): string[] {
  if (paths.length <= most) return [...paths]
  const ends = new Map(paths.map((path) => [path, endSeconds(layout, path)]))
  const endOf = (path: string): number => ends.get(path) ?? -Infinity
  // A difference of two infinite ends would be no number.
  const compare = (a: string, b: string): number => Number(endOf(a) < endOf(b)) || -1
  return paths.toSorted((a, b) => (endOf(a) === endOf(b) ? 0 : compare(a, b))).slice(0, most)
}

function endSeconds(layout: Layout, path: string): number {
  const directory = layout.parseDirectory(path)
  if (directory.kind === 'rejected') return -Infinity
  const { startSeconds, spanSeconds } = directory
  if (layout.isRoot(path)) return Infinity
  if (startSeconds === undefined || spanSeconds === undefined)
    return isDated(layout, parentOf(path)) ? endSeconds(layout, parentOf(path)) : -Infinity
  return spanSeconds > dayMs / 1000 ? Infinity : startSeconds + spanSeconds
}
