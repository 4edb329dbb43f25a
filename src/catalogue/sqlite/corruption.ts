import Sqlite from 'better-sqlite3'

/** Whether an error says that a file is not, or no longer, an SQLite database. */
export function isCorruption(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(NOTADB|CORRUPT)/.test(code)
}

/** An error that `isCorruption` knows. */
export function corruption(fault: string): Error {
  return new Sqlite.SqliteError(fault, 'SQLITE_CORRUPT')
}
