import type { ArchiveDirectory, PathRejection } from '../../parse/archive-path.ts'

const dayMs = 86_400_000

/**
 * Whether nothing is expected to happen in a directory any more: its date is more than two days past and it was
 * last touched more than a day ago. Then names are enough for a record, and sizes can follow.
 */
export function isQuiet(options: {
  readonly directory: ArchiveDirectory | PathRejection
  /** The directory's mtime. */
  readonly touchedMs: number
  readonly nowMs: number
}): boolean {
  const { directory, touchedMs, nowMs } = options
  if (directory.kind === 'rejected') return false
  const { startSeconds, spanSeconds } = directory
  if (startSeconds === undefined || spanSeconds === undefined) return false
  const endMs = (startSeconds + spanSeconds) * 1000
  return nowMs - endMs > 2 * dayMs && nowMs - touchedMs > dayMs
}
