import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { isCorruption } from './corruption.ts'
import { lockWriter } from './lock.ts'
import { migrate } from './migration.ts'
import type { MigrationProgress } from './migration.ts'
import { connectForWriting } from './open.ts'
import { schemaVersion, versionOf } from './schema.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'

export interface UpgradeOptions {
  /** Path of the database file. */
  readonly database: string
  /** Called before each part of a migration. */
  readonly onMigrating: (progress: MigrationProgress) => void
  /** Stops the migration between two parts; the next start continues it. */
  readonly signal: AbortSignal
}

/**
 * Migrates the database of an earlier release before a writer opens it, and yields to the event loop between the parts. Does nothing
 * without a database to migrate, and leaves a corrupt one to the writer, which can restore a backup.
 * @throws AlreadyRunning, UnusableDatabase as `openWriter`
 */
export async function upgradeDatabase(options: UpgradeOptions): Promise<void> {
  const { database, onMigrating, signal } = options
  prepareDatabaseFolder(database)
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const lock = lockWriter(database)
  try {
    const db = connectForWriting(database)
    try {
      if ([0, schemaVersion].includes(versionOf(db))) return
      for (const progress of migrate(db, { path: database, keepBackup: true })) {
        onMigrating(progress)
        await setImmediate()
        if (signal.aborted) return
      }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error)) throw unusable(database, error)
  } finally {
    lock.release()
  }
}
