import Sqlite from 'better-sqlite3'

/** True for errors which say that a file is no SQLite database, or a damaged one. */
export function isCorruption(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(NOTADB|CORRUPT)/.test(code)
}

/** An error for which `isCorruption` is true. */
export function corruption(fault: string): Error {
  return new Sqlite.SqliteError(fault, 'SQLITE_CORRUPT')
}
