import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { alreadyRunning, fileAt, isLiving, readOwner } from './owner.ts'
import { unusable } from './usable.ts'

/** How often (ms) the lock file is looked for. */
const usualLookMs = 20_000

export interface LockOptions {
  readonly lookMs?: number | undefined
  /** The lock file was removed or replaced; it was made and locked again, or the error says why not. */
  readonly onLockLost?: ((path: string, error: Error | undefined) => void) | undefined
}

export interface WriterLock {
  release(): void
}

/**
 * Takes the right to write the catalogue for as long as this process lives: an exclusive lock on a file
 * beside the database. The kernel drops it when the process ends, however it ends, so there is no stale lock
 * to judge, and of two that start at once exactly one gets it. A lock file that is removed or replaced is made and locked
 * again.
 * @throws AlreadyRunning when another process has it, UnusableDatabase when the file cannot be used.
 */
export function lockWriter(database: string, options: LockOptions = {}): WriterLock {
  const { lookMs = usualLookMs, onLockLost } = options
  const path = `${database}-lock`
  let held = lockFile(database, path)
  let failure: string | undefined
  const look = (): void => {
    if (fileAt(path) === held.file) return
    try {
      const lost = held
      held = lockFile(database, path)
      lost.db.close()
      failure = undefined
      onLockLost?.(path, undefined)
    } catch (error) {
      const { message } = error as Error
      if (message !== failure) onLockLost?.(path, error as Error)
      failure = message
    }
  }
  const timer = setInterval(look, lookMs).unref()
  return {
    release() {
      clearInterval(timer)
      held.db.close()
    },
  }
}

function lockFile(database: string, path: string): { db: Database; file: string } {
  let db: Database | undefined
  try {
    db = new Sqlite(path, { timeout: 0 })
    // Nothing is ever written to it, so it needs no journal beside it.
    db.pragma('journal_mode = MEMORY')
    db.exec('BEGIN EXCLUSIVE')
    return { db, file: fileAt(path) }
  } catch (error) {
    db?.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw unusable(path, error)
    const owner = readOwner(database)
    const isKnown = owner !== undefined && isLiving(owner)
    throw alreadyRunning(database, isKnown ? owner : undefined)
  }
}
