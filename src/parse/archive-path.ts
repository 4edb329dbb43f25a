/** The tree of the seed, for what does not get its layout passed in yet. */
import type { ArchiveDirectory, PathRejection } from './layout.ts'
import { defaultLayout } from './layout.ts'

export { daysAhead, isDirectoryName, maxDirectoryDepth } from './directories.ts'
export type { ArchiveDirectory, PathRejectionReason } from './layout.ts'

/** The two storage areas of the seed: the daily archive and the near-real-time area. */
export const areas = ['obs', 'nrt'] as const
export type Area = (typeof areas)[number]

/** The area of the path of a directory or a file below an area. */
export function areaOf(path: string): Area {
  return path.split('/', 1)[0] as Area
}

export function parseDirectory(path: string): ArchiveDirectory | PathRejection {
  return defaultLayout.parseDirectory(path)
}
