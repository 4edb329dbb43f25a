import Sqlite from 'better-sqlite3'
import { AlreadyRunning } from '../catalogue-writer.ts'

/**
 * Takes the right to write the catalogue for as long as this process lives: an exclusive lock on a file
 * beside the database. The kernel drops it when the process ends, however it ends, so there is no stale lock
 * to judge, and of two that start at once exactly one gets it.
 * @throws AlreadyRunning when another process has it.
 */
export function lockWriter(database: string): { release: () => void } {
  const path = `${database}-lock`
  const lock = new Sqlite(path, { timeout: 0 })
  try {
    // Nothing is ever written to it, so it needs no journal beside it.
    lock.pragma('journal_mode = MEMORY')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
    throw new AlreadyRunning(`already running: another indexer holds ${path}`, { cause: error })
  }
  return { release: () => lock.close() }
}
