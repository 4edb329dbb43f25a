/** The write lock, which allows only one writer for each database. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import { AlreadyRunning, CatalogueCorrupt } from '../errors.ts'
import { unusable } from './access-check.ts'
import { makeFile } from './database-files.ts'

/** Interval of checking that the lock file was not removed (ms). */
const checkEveryMs = 30_000

export type WriterLock = ReturnType<typeof lockWriter>

/**
 * Takes the write lock of the catalogue until this process ends: an exclusive lock on a file beside
 * the database. The kernel releases the lock however the process ends, so there are no stale locks.
 * If two processes start at the same time, exactly one gets the lock. A lock file that was removed
 * is created again, soon or before the next write.
 * @throws AlreadyRunning if another process has the lock, UnusableDatabase if the file cannot be
 * used
 */
export function lockWriter(database: string, checkMs = checkEveryMs) {
  const path = `${database}-lock`
  let current = lockFile(path)
  /**
   * Checks that the lock file is the one that was locked. If it was removed, creates and locks it
   * again.
   * @throws CatalogueCorrupt if another file is there, because another process may have locked it
   */
  const check = (): void => {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino
    if (inode === current.inode) return
    if (inode !== undefined)
      throw new CatalogueCorrupt(`${path} was replaced: another indexer may write the database`)
    const { lock } = current
    current = lockFile(path)
    lock.close()
  }
  const timer = setInterval(() => {
    try {
      check()
    } catch {
      // The next write reports it.
    }
  }, checkMs).unref()
  return {
    check,
    release(): void {
      clearInterval(timer)
      current.lock.close()
    },
  }
}

function lockFile(path: string): { readonly lock: Database; readonly inode: number } {
  let lock: Database | undefined
  try {
    makeFile(path)
    lock = new Sqlite(path, { timeout: 0 })
    // The lock file is never written, so it needs no journal.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return { lock, inode: statSync(path).ino }
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw unusable(path, error)
    throw new AlreadyRunning(`already running: another indexer holds ${path}`, { cause: error })
  }
}
