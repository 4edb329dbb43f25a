/** Opening database files, for writing and for reading, and saying what is wrong with one that will not open. */
import { existsSync, renameSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { takeOwnership } from './owner.ts'
import { applicationId, migrate, schemaVersion, versionOf } from './schema.ts'
import { UnusableDatabase } from './usable.ts'

/** Whether an error says that a file is not, or no longer, an SQLite database. */
export function isRuin(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(NOTADB|CORRUPT)/.test(code)
}

/** Renames a ruined database, so that the next one to open it builds a new one; gives the new name. */
export function setAside(path: string): string {
  const aside = `${path}.corrupt-${new Date().toISOString().replace(/[:.]/g, '')}`
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
}

/** A database that is about to be brought to the schema of this program, for which all of its bytes may be read. */
export interface Migrating {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

export interface OpeningForWriting {
  /** Up to this size (bytes) all pages are checked first. */
  readonly checkUpTo: number
  /** Told before a migration, during which nothing else happens. */
  readonly onMigrating?: ((migrating: Migrating) => void) | undefined
}

/**
 * Opens the catalogue for writing as its owner, creating or migrating it as needed. Damage that was read over would give wrong
 * answers until somebody came by the page, so all pages are checked first, of a small file and before a migration.
 * @throws AlreadyRunning for a database that another process writes; UnusableDatabase for one of another program or of a
 * newer version of this one; an error of ruin for a file that is damaged or none.
 */
export function openForWriting(
  path: string,
  { checkUpTo, onMigrating }: OpeningForWriting,
): Database {
  const db = new Sqlite(path, { timeout: 5000 })
  try {
    const version = versionOf(db)
    const owner = db.pragma('application_id', { simple: true }) as number
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
    if (tables > 0 && owner !== applicationId)
      throw new UnusableDatabase(
        `${path} is a database of another program: configure another database file`,
      )
    if (version > schemaVersion)
      throw new UnusableDatabase(
        `${path} has schema ${version}, this program knows ${schemaVersion}: install the newer program, or configure another database file`,
      )
    takeOwnership(db, path)
    db.pragma('journal_mode = WAL')
    // A number or an id that a client has seen must survive a power loss.
    db.pragma('synchronous = FULL')
    // Checkpoints cost two synchronised writes each: rarely enough for a scan, often enough for the readers.
    db.pragma('wal_autocheckpoint = 4000')
    db.pragma('journal_size_limit = 67108864')
    db.pragma('cache_size = -16384')
    db.pragma('foreign_keys = OFF')
    db.pragma('trusted_schema = OFF')
    // A migration may read all of it, and must not come upon damage.
    const isMigrated = version > 0 && version < schemaVersion
    const bytes = statSync(path).size
    if (isMigrated) onMigrating?.({ from: version, to: schemaVersion, bytes })
    const fault = isMigrated || bytes <= checkUpTo ? faultOf(db) : undefined
    if (fault !== undefined) throw ruin(fault)
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Checks all pages, at 200 to 400 MB a second from memory; says what is wrong with the first that is ruined. */
export function faultOf(db: Database): string | undefined {
  const found = db.pragma('quick_check(1)', { simple: true })
  return found === 'ok' ? undefined : String(found)
}

/** An error that `isRuin` knows. */
export function ruin(fault: string): Error {
  return new Sqlite.SqliteError(fault, 'SQLITE_CORRUPT')
}

/**
 * Opens the catalogue for reading only; never creates or migrates anything.
 * @throws an error with the reason when there is no catalogue of this program's version at `path`.
 */
export function openForReading(path: string): Database {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    // The system's own cache holds the rest; the API has two connections.
    db.pragma('cache_size = -4096')
    const version = versionOf(db)
    const owner = db.pragma('application_id', { simple: true })
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
