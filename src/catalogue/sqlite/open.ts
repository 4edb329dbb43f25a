/** Opens database files for writing and for reading, and explains failures. */
import { existsSync, renameSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { CatalogueMigrating } from '../reader.ts'
import { UnusableDatabase } from '../writer.ts'
import { makeFile } from './backup-files.ts'
import { corruption } from './corruption.ts'
import { faultOf } from './integrity-check.ts'
import { describeProgress, migrate, progressOf } from './migration.ts'
import type { MigrationProgress } from './migration.ts'
import { refuseOtherOwner } from './owner.ts'
import {
  applicationId,
  createTables,
  migratingVersion,
  oldestSchemaVersion,
  schemaVersion,
  versionOf,
} from './schema.ts'

/** Renames a corrupt database, so that the next writer creates a new one; returns the new name. */
export function quarantine(path: string): string {
  const aside = `${path}.corrupt-${new Date().toISOString().replace(/[:.]/g, '')}`
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
}

export interface OpeningForWriting {
  /** Up to this size in bytes all pages are checked first. */
  readonly checkUpTo: number
  /** Called before each part of a migration. */
  readonly onMigrating?: ((progress: MigrationProgress) => void) | undefined
  /** Makes a backup beside the database before a migration. */
  readonly keepBackup?: boolean
}

/**
 * Opens the catalogue for writing; creates or migrates it if necessary. All pages of a small file are checked first, because
 * undetected damage would give wrong answers.
 * @throws UnusableDatabase for a database of another program, of a newer version of this one or of one that is too old;
 * AlreadyRunning for a database that a living process writes; an error of corruption for a file that is damaged or no database.
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

/** A connection for writing, before the database is created or migrated. @throws as `openForWriting` */
export function connectForWriting(path: string): Database {
  makeFile(path)
  const db = new Sqlite(path, { timeout: 5000 })
  try {
    checkVersion(db, path)
    refuseOtherOwner(db, path)
    db.pragma('journal_mode = WAL')
    // A seq or an id that a client has seen must survive a power loss.
    db.pragma('synchronous = FULL')
    // Each checkpoint needs two synchronised writes; a scan needs few of them, and readers need a short WAL.
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

function checkVersion(db: Database, path: string): void {
  const version = versionOf(db)
  const owner = db.pragma('application_id', { simple: true }) as number
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 && owner !== applicationId)
    throw new UnusableDatabase(
      `${path} is a database of another program: configure another database file`,
    )
  if (version > schemaVersion && version !== migratingVersion)
    throw new UnusableDatabase(
      `${path} has schema ${version}, this program knows ${schemaVersion}: install the newer program, or configure another database file`,
    )
  if (version > 0 && version < oldestSchemaVersion)
    throw new UnusableDatabase(
      `${path} is too old to upgrade: it has schema ${version}, this program migrates from ${oldestSchemaVersion} on: start a release with schema ${oldestSchemaVersion} to ${schemaVersion - 1} once, or configure another database file`,
    )
}

/**
 * Opens the catalogue for reading only; never creates or migrates anything.
 * @throws CatalogueMigrating while it is being migrated; an error with the reason if `path` has no catalogue of this program's
 * version.
 */
export function openForReading(path: string): Database {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    // The page cache of the system has the rest; the API has several connections.
    db.pragma('cache_size = -2048')
    const version = versionOf(db)
    const owner = db.pragma('application_id', { simple: true })
    const progress = owner === applicationId ? progressOf(db) : undefined
    if (progress !== undefined) throw new CatalogueMigrating(describeProgress(progress))
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
