/** The write lock, which allows only one writer for each database. */
import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning } from '../writer.ts'
import { makeFile } from './database-files.ts'
import { unusable } from './access-check.ts'

/** Interval of checking that the lock file was not removed or replaced. */
const checkEveryMs = 30_000

export interface WriterLock {
  release(): void
}

/**
 * Takes the write lock of the catalogue until this process ends: an exclusive lock on a file beside the database. The kernel
 * releases the lock however the process ends, so there are no stale locks. If two processes start at the same time, exactly one
 * gets the lock. If the lock file is removed or replaced, the new file is locked, which is created if necessary.
 * @throws AlreadyRunning if another process has the lock, UnusableDatabase if the file cannot be used
 */
export function lockWriter(database: string, checkMs = checkEveryMs): WriterLock {
  const path = `${database}-lock`
  let current = lockFile(path)
  const renew = (): void => {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino
    if (inode === current.inode) return
    try {
      const next = lockFile(path)
      current.lock.close()
      current = next
    } catch {
      // Another process has locked the new file; it finds this process in the table `owner`, and so releases the lock again. Or
      // the file cannot be created or locked. In both cases the next check tries again.
    }
  }
  const timer = setInterval(renew, checkMs).unref()
  return {
    release() {
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
