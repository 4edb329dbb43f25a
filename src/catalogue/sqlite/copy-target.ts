/** Opens a file as the target of a copy. */
import type { Ask } from '../question.ts'
import { buildIndexes } from '../updates/indexes.ts'
import type { CopyTarget } from '../updates/writer.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import { lockWriter } from './lock.ts'
import { connectForWriting, isNew } from './open.ts'
import { createTables } from './schema.ts'

/**
 * Unlike a writer, restores and migrates nothing, and leaves the numbers beside the database to the
 * next writer.
 * @throws AlreadyRunning, UnusableDatabase
 */
export function openTarget(path: string): CopyTarget {
  prepareDatabaseFolder(path)
  lockWriter(path)
  try {
    const db = connectForWriting(path, { anySchema: true })
    if (isNew(db)) createTables(db)
    const driver = new Driver(db)
    const read: Ask = (ask) => Promise.resolve(driver.read(ask()))
    const write: Ask = (ask) => Promise.resolve(driver.write(ask()))
    return {
      engine: { dialect, read, write },
      buildIndexes: () => write(() => buildIndexes(dialect)),
      checkpoint: () => Promise.resolve(void db.pragma('wal_checkpoint(TRUNCATE)')),
    }
  } catch (error) {
    throw unusable(path, error)
  }
}
