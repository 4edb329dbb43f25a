/** The code of an error of Node or of SQLite. */

/**
 * Returns the code, for example `ENOENT` or `SQLITE_BUSY`; an empty text for errors without a code
 * and for other values.
 */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Codes for a path that does not exist. All other codes mean that the path cannot be read now. */
const missingCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/**
 * True if an error means that a path does not exist, for example because a file has taken the place
 * of one of its directories.
 */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(errorCode(error))
}
