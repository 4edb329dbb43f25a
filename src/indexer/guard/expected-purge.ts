/**
 * Tells removals that are expected, because the archive purges old files (`purged_after_days`),
 * from those that may be an accident. Pure.
 */
import { secondsPerDay } from '../../parse/calendar.ts'

/** Days after the end of their data after which the files of an area are purged, by area. */
export type PurgedAfterDays = Readonly<Partial<Record<string, number>>>

/**
 * True if a file is purged when it is removed at this time: its data ended longer ago than the days
 * of its area. A file whose data have no known end never is.
 */
export function isPurge(
  days: PurgedAfterDays,
  {
    area,
    endSeconds,
    atUs,
  }: { readonly area: string; readonly endSeconds: number | undefined; readonly atUs: number },
): boolean {
  const after = days[area]
  if (after === undefined || endSeconds === undefined) return false
  return endSeconds + after * secondsPerDay < atUs / 1e6
}
