import { statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning } from '../writer.ts'
import { makeFile } from './backup-files.ts'
import { unusable } from './access-check.ts'

/** How often the lock file is looked for. */
const checkEveryMs = 30_000

export interface WriterLock {
  release(): void
}

/**
 * Takes the right to write the catalogue for as long as this process lives: an exclusive lock on a file
 * beside the database. The kernel drops it when the process ends, however it ends, so there is no stale lock
 * to judge, and of two that start at once exactly one gets it. A lock file that was removed is made and locked again.
 * @throws AlreadyRunning when another process has it, UnusableDatabase when the file cannot be used.
 */
export function lockWriter(database: string, checkMs = checkEveryMs): WriterLock {
  const path = `${database}-lock`
  let held = lockFile(path)
  const renew = (): void => {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino
    if (inode === held.inode) return
    try {
      const next = lockFile(path)
      held.lock.close()
      held = next
    } catch {
      // Whoever has locked the new file is refused by the owner's row of the database; then it is free.
    }
  }
  const timer = setInterval(renew, checkMs).unref()
  return {
    release() {
      clearInterval(timer)
      held.lock.close()
    },
  }
}

function lockFile(path: string): { readonly lock: Database; readonly inode: number } {
  let lock: Database | undefined
  try {
    makeFile(path)
    lock = new Sqlite(path, { timeout: 0 })
    // Nothing is ever written to it, so it needs no journal beside it.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    return { lock, inode: statSync(path).ino }
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw unusable(path, error)
    throw new AlreadyRunning(`already running: another indexer holds ${path}`, { cause: error })
  }
}
