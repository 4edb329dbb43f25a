import { parseDirectory } from '../parse/archive-path.ts'

/** Number of past days whose directories are watched. */
export interface WatchWindow {
  readonly obsDays: number
  readonly nrtDays: number
}

const dayMs = 86_400_000
/** Clocks differ, and tomorrow's directories are created today. */
const aheadDays = 2

/**
 * Whether a directory belongs to the hot window and is watched: the areas, the years around the present one, the last
 * days, and everything below a hot directory that has a date.
 */
export function isHot(path: string, nowMs: number, window: WatchWindow): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected') return false
  const { area, startSeconds, spanSeconds } = directory
  if (path === area) return true
  if (startSeconds === undefined || spanSeconds === undefined) {
    const parent = path.slice(0, path.lastIndexOf('/'))
    return isDated(parent) && isHot(parent, nowMs, window)
  }
  const [startMs, endMs] = [startSeconds * 1000, (startSeconds + spanSeconds) * 1000]
  if (startMs > nowMs + aheadDays * dayMs) return false
  // The previous year stays hot: late files may create a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = area === 'obs' ? window.obsDays : window.nrtDays
  return endMs > nowMs - days * dayMs
}

/** Whether a directory or one above it has a date; `obs/misc` has none. */
function isDated(path: string): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected' || path === directory.area) return false
  return directory.startSeconds !== undefined || isDated(path.slice(0, path.lastIndexOf('/')))
}
