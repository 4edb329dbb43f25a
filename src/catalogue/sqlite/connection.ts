/** Read connections that notice a replaced database file. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import { CatalogueUnavailable, UnusableDatabase } from '../errors.ts'
import { openForReading } from './open.ts'

/** Interval of the check that the database file was not replaced, by default. */
const replacedCheckMs = 500

interface Connection<T> {
  readonly db: Database
  readonly prepared: T
  readonly device: number
  readonly inode: number
}

/**
 * A read connection to a database file that another process writes. It is opened on first use, and
 * again after the file was replaced or became unreadable. It stays open between uses. This also
 * keeps the `-wal` and `-shm` files, which a reader without write permission needs.
 * @param prepare called for each new connection; `use` passes the result of `prepare` to its
 * callback
 * @param options.checkMs interval of the check that the file was not replaced; 0: at each use
 */
export function connectionSource<T>(
  path: string,
  prepare: (db: Database) => T,
  { checkMs = replacedCheckMs } = {},
) {
  let connection: Connection<T> | undefined
  let checkedMs = 0
  let closed = false
  const drop = (): void => {
    connection?.db.close()
    connection = undefined
  }
  const current = (): Connection<T> => {
    if (closed) throw new CatalogueUnavailable('the reader is closed')
    const now = performance.now()
    if (connection !== undefined && now - checkedMs < checkMs) return connection
    const { dev, ino } = statSync(path)
    if (connection?.device !== dev || connection.inode !== ino) {
      drop()
      const db = openForReading(path)
      try {
        connection = { db, prepared: prepare(db), device: dev, inode: ino }
      } catch (error) {
        db.close()
        throw error
      }
    }
    checkedMs = now
    return connection
  }
  return {
    /** @throws CatalogueUnavailable if the database cannot be read */
    use<R>(work: (prepared: T) => R): R {
      try {
        return work(current().prepared)
      } catch (error) {
        if (error instanceof CatalogueUnavailable || !isDatabaseError(error)) throw error
        if (error.code === 'SQLITE_ERROR' && isReadable(path)) throw error
        drop()
        throw new CatalogueUnavailable(`cannot read ${path}: ${error.message}`, { cause: error })
      }
    },
    close(): void {
      closed = true
      drop()
    },
  }
}

/** True for errors of the file or of SQLite. */
function isDatabaseError(error: unknown): error is Error & { readonly code?: unknown } {
  if (error instanceof UnusableDatabase) return true
  const code = errorCode(error)
  return /^(SQLITE_|E[A-Z]+$)/.test(code)
}

function isReadable(path: string): boolean {
  try {
    openForReading(path).close()
    return true
  } catch {
    return false
  }
}
