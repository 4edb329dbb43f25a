/** The names of directories. */

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
