/** The SQLite that the database driver contains. */
import Sqlite from 'better-sqlite3'
import { UnusableDatabase } from '../writer.ts'

/**
 * The first version without the WAL-reset bug: if two connections write or checkpoint at the same
 * instant, an older one may skip a part of the WAL, and the database is damaged
 * (https://sqlite.org/wal.html#walresetbug).
 */
const oldestSafe = '3.51.3'

export function sqliteVersion(): string {
  const db = new Sqlite(':memory:')
  try {
    return db.prepare('SELECT sqlite_version()').pluck().get() as string
  } finally {
    db.close()
  }
}

/** Returns why the database must not be used with a version of SQLite; `undefined` if it may. */
export function sqliteProblem(version: string): string | undefined {
  if (version.localeCompare(oldestSafe, 'en', { numeric: true }) >= 0) return undefined
  return `the database driver has SQLite ${version}, which can damage the database (its WAL-reset bug): install this program with a driver that has SQLite ${oldestSafe} or newer`
}

/** @throws UnusableDatabase if the database must not be used with the SQLite of the driver */
export function refuseUnsafeSqlite(): void {
  const problem = sqliteProblem(sqliteVersion())
  if (problem !== undefined) throw new UnusableDatabase(problem)
}
