import { parseDirectory } from '../parse/archive-path.ts'

/** How many days back a directory is watched. */
export interface WatchWindow {
  readonly obsDays: number
  readonly nrtDays: number
}

const dayMs = 86_400_000
/** Clocks of stations and archives differ, and tomorrow's directories are made today. */
const aheadDays = 2

/**
 * Whether files are expected in a directory at any moment, so that it is worth a watch: the areas themselves, the
 * years around this one, the last days, and whatever lies below a directory that is watched for its day or hour.
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
  // The year before stays hot, for stragglers that make a new directory in it.
  if (spanSeconds > dayMs / 1000) return endMs > nowMs - 365 * dayMs
  const days = area === 'obs' ? window.obsDays : window.nrtDays
  return endMs > nowMs - days * dayMs
}

/** Directories without a date of their own follow one that has a day: not those beside the years. */
function isDated(path: string): boolean {
  const directory = parseDirectory(path)
  if (directory.kind === 'rejected' || path === directory.area) return false
  return directory.startSeconds !== undefined || isDated(path.slice(0, path.lastIndexOf('/')))
}
