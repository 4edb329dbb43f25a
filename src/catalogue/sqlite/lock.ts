import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { AlreadyRunning } from '../catalogue-writer.ts'
import { unusable } from './usable.ts'

/**
 * Takes the right to write the catalogue for as long as this process lives: an exclusive lock on a file
 * beside the database. The kernel drops it when the process ends, however it ends, so there is no stale lock
 * to judge, and of two that start at once exactly one gets it.
 * @throws AlreadyRunning when another process has it, UnusableDatabase when the file cannot be used.
 */
export function lockWriter(database: string): { release: () => void } {
  const path = `${database}-lock`
  let lock: Database | undefined
  try {
    lock = new Sqlite(path, { timeout: 0 })
    // Nothing is ever written to it, so it needs no journal beside it.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
    const held = lock
    return { release: () => held.close() }
  } catch (error) {
    lock?.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw unusable(path, error)
    throw new AlreadyRunning(`already running: another indexer holds ${path}`, { cause: error })
  }
}
