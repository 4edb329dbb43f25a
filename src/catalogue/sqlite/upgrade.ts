/** Upgrades the database of an earlier release before a writer opens it. */
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { schemaVersion } from '../schema.ts'
import { UnusableDatabase } from '../writer.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { makeBackup } from './backup.ts'
import { freeBeside, sizeOf } from './database-files.ts'
import { isCorruption } from './integrity-check.ts'
import { lockWriter } from './lock.ts'
import { migrate, progressOf } from './migration.ts'
import { connectForWriting } from './open.ts'
import { versionOf } from './schema.ts'

/**
 * Required free space as a multiple of the size of the database: for the backup and for what the
 * changes write.
 */
const freeSpaceFactor = 1.5

/**
 * Migrates the database of an earlier release after a backup, and yields to the event loop between
 * the parts. Does nothing without a database to migrate, and leaves a corrupt one to the writer,
 * which can restore a backup.
 * @param options.onMigrating called before each part of a migration with its progress in words
 * @param options.signal stops the migration between two parts; the next start continues it
 * @throws AlreadyRunning, UnusableDatabase as `openWriter`
 */
export async function upgradeDatabase(options: {
  readonly database: string
  readonly onMigrating: (progress: string) => void
  readonly signal: AbortSignal
}): Promise<void> {
  const { database, onMigrating, signal } = options
  prepareDatabaseFolder(database)
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const lock = lockWriter(database)
  try {
    const db = connectForWriting(database)
    try {
      const version = versionOf(db)
      if ([0, schemaVersion].includes(version)) return
      if (progressOf(db) === undefined) {
        refuseWithoutSpace(db, database)
        onMigrating(`from schema ${version} to ${schemaVersion}: making a backup`)
        await makeBackup(database, signal)
      }
      for (const progress of migrate(db)) {
        onMigrating(progress)
        await setImmediate()
        if (signal.aborted) return
      }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error) && !signal.aborted) throw unusable(database, error)
  } finally {
    lock.release()
  }
}

function refuseWithoutSpace(db: Database, path: string): void {
  const [needed, free] = [Math.ceil(sizeOf(db) * freeSpaceFactor), freeBeside(path)]
  if (free >= needed) return
  throw new UnusableDatabase(
    `${path} cannot be migrated: needs ${needed} bytes of free space, ${free} are available: free some space on its disk`,
    { cause: { code: 'ENOSPC' } },
  )
}
