/** Upgrades the database of an earlier release before a writer opens it. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { UnusableDatabase } from '../errors.ts'
import { latestOf, migrations } from '../tables/migrations.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { makeBackup } from './backup.ts'
import { freeBeside, sizeOf } from './database-files.ts'
import { isCorruption } from './integrity-check.ts'
import { lockWriter } from './lock.ts'
import { connectForWriting, refuseSchema } from './open.ts'
import { migrateTables, versionOf } from './schema.ts'

/**
 * Required free space as a multiple of the size of the database: for the backup and for what the
 * changes write.
 */
const freeSpaceFactor = 1.5

/**
 * Migrates the database of an earlier release after a backup. Does nothing without a database to
 * migrate, and leaves a corrupt one to the writer, which can restore a backup.
 * @param options.onMigrating called before a migration
 * @param options.signal stops the backup; then the next start migrates
 * @throws AlreadyRunning, UnusableDatabase as `openWriter`
 */
export async function upgradeDatabase(options: {
  readonly database: string
  readonly onMigrating: (words: string) => void
  readonly signal: AbortSignal
  readonly list?: typeof migrations
}): Promise<void> {
  const { database, onMigrating, signal, list = migrations } = options
  prepareDatabaseFolder(database)
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const lock = lockWriter(database)
  try {
    const db = connectForWriting(database, { anySchema: true })
    try {
      const [from, to] = [versionOf(db), latestOf(list)]
      refuseSchema(from, database, to)
      if (from === to) return
      refuseWithoutSpace(db, database)
      onMigrating(`from schema ${from} to ${to}, after a backup`)
      await makeBackup(database, signal)
      migrateTables(db, list)
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
