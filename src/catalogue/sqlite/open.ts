/** Opens database files for writing and for reading, and explains failures. */
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { CatalogueMigrating } from '../reader-errors.ts'
import { UnusableDatabase } from '../writer.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { makeFile } from './database-files.ts'
import { corruption, faultOf, isCorruption } from './integrity-check.ts'
import { lockWriter } from './lock.ts'
import { migrate, progressOf } from './migration.ts'
import { refuseOtherOwner } from './owner.ts'
import {
  applicationId,
  createTables,
  isKnownVersion,
  oldestSchemaVersion,
  schemaVersion,
  versionOf,
} from './schema.ts'
import { refuseUnsafeSqlite } from './sqlite-version.ts'

export interface OpeningForWriting {
  /** All pages of a database up to this size in bytes are checked first. */
  readonly checkUpTo: number
  /** Called before each part of a migration with its progress in words. */
  readonly onMigrating?: ((progress: string) => void) | undefined
  /** True to make a backup beside the database before a migration. */
  readonly keepBackup?: boolean
}

/**
 * Opens the catalogue for writing; creates or migrates it if necessary. All pages of a small file are checked first, because
 * undetected damage would give wrong answers.
 * @throws UnusableDatabase for a database of another program, or of a newer or a too old release of this program, for a hard link
 * to a database with a WAL, if a migration needs more disk space, or if the SQLite of the driver is not safe; AlreadyRunning for a database that another living process
 * writes; an error of corruption for a file that is damaged or no database.
 */
export function openForWriting(
  path: string,
  { checkUpTo, onMigrating, keepBackup = false }: OpeningForWriting,
): Database {
  const db = connectForWriting(path)
  try {
    const version = versionOf(db)
    if (version === 0) createTables(db)
    else if (version !== schemaVersion)
      for (const progress of migrate(db, { path, keepBackup })) onMigrating?.(progress)
    else if (statSync(path).size <= checkUpTo) {
      const fault = faultOf(db)
      if (fault !== undefined) throw corruption(fault)
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a connection for writing, without creating or migrating tables.
 * @param options.anyVersion accepts any schema, also one that this program does not know
 * @throws as `openForWriting`
 */
export function connectForWriting(path: string, { anyVersion = false } = {}): Database {
  refuseUnsafeSqlite()
  makeFile(path)
  const db = new Sqlite(path, { timeout: 5000 })
  try {
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
    if (tables > 0 && db.pragma('application_id', { simple: true }) !== applicationId)
      throw new UnusableDatabase(
        `${path} is a database of another program: configure another database file`,
      )
    if (!anyVersion) refuseVersion(versionOf(db), path)
    refuseOtherOwner(db, path)
    db.pragma('journal_mode = WAL')
    // A seq or an id that a client has seen must survive a power loss.
    db.pragma('synchronous = FULL')
    // In pages, together 16 MB. Each checkpoint needs two synchronised writes, so a scan should need few; readers need a short
    // WAL.
    db.pragma('wal_autocheckpoint = 4000')
    db.pragma('journal_size_limit = 67108864')
    db.pragma('cache_size = -16384')
    db.pragma('foreign_keys = OFF')
    db.pragma('trusted_schema = OFF')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** @throws UnusableDatabase for a schema that this program neither reads nor migrates */
export function refuseVersion(version: number, path: string): void {
  if (version === 0 || isKnownVersion(version)) return
  throw new UnusableDatabase(
    version > schemaVersion
      ? `${path} has schema ${version}, this program knows ${schemaVersion}: install the newer program, or use another database file`
      : `${path} is too old to upgrade: it has schema ${version}, this program migrates from ${oldestSchemaVersion} on: start a version with schema ${oldestSchemaVersion} to ${schemaVersion - 1} once, or move the file aside, and the indexer builds a new one`,
  )
}

/**
 * Migrates the database of an earlier release before a writer opens it, and yields to the event loop between the parts. Does
 * nothing without a database to migrate, and leaves a corrupt one to the writer, which can restore a backup.
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

/**
 * Opens the catalogue for reading only; never creates or migrates anything.
 * @throws CatalogueMigrating while it is being migrated; an error with the reason if `path` has no catalogue of this program's
 * version
 */
export function openForReading(path: string): Database {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    // This cache is small (2 MB), because the API has several connections, and the page cache of the system has the other pages.
    db.pragma('cache_size = -2048')
    const version = versionOf(db)
    const owner = db.pragma('application_id', { simple: true })
    const progress = owner === applicationId ? progressOf(db) : undefined
    if (progress !== undefined) throw new CatalogueMigrating(progress)
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
    if (tables > 0 && owner !== applicationId)
      throw new UnusableDatabase(`${path} is a database of another program`)
    if (owner !== applicationId || version !== schemaVersion)
      throw new UnusableDatabase(
        `${path} has schema ${version}, this program reads ${schemaVersion}`,
      )
    if (db.prepare('SELECT 1 FROM catalogue').get() === undefined)
      throw new UnusableDatabase(`${path} is just being made`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
