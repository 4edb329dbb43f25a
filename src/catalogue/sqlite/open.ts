/** Opens database files for writing and for reading, and explains failures. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import { UnusableDatabase } from '../errors.ts'
import {
  copyingSchema,
  isKnownSchema,
  schemaVersion,
  unfinishedCopy,
  unknownSchema,
} from '../tables/migrations.ts'
import { makeFile } from './database-files.ts'
import { corruption, faultOf, readFirstRows } from './integrity-check.ts'
import { applicationId, createTables, migrateTables, versionOf } from './schema.ts'

/**
 * Opens the catalogue for writing; creates or migrates it if necessary, without a backup (see
 * upgrade.ts).
 * @param options.check true to check all pages first; those of a database to be migrated are always
 * checked
 * @throws UnusableDatabase for a database of another program, or of a release that this program
 * does not know, or with several hard links, or if the SQLite of the driver is not safe; an error
 * of corruption for a file that is damaged or no database.
 */
export function openForWriting(path: string, { check = false } = {}): Database {
  return prepared(connectForWriting(path), (db) => {
    if (isNew(db)) {
      createTables(db)
      return
    }
    const isEarlier = versionOf(db) !== schemaVersion
    const fault = check || isEarlier ? faultOf(db) : undefined
    if (fault !== undefined) throw corruption(fault)
    if (isEarlier) migrateTables(db)
    readFirstRows(db)
  })
}

/** Prepares a connection; closes it if that fails. */
export function prepared(db: Database, prepare: (db: Database) => void): Database {
  try {
    prepare(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a connection for writing, without creating or migrating tables.
 * @param options.anySchema accepts any schema, also one that this program does not know
 * @throws as `openForWriting`
 */
export function connectForWriting(path: string, { anySchema = false } = {}): Database {
  refuseUnsafeSqlite()
  makeFile(path)
  const { nlink } = statSync(path)
  // Each name has a lock file and a WAL of its own.
  if (nlink > 1) throw new UnusableDatabase(`${path} has ${nlink} hard links: remove one`)
  return prepared(new Sqlite(path, { timeout: 5000 }), (db) => {
    refuseOther(db, path)
    if (!anySchema && !isNew(db)) refuseSchema(versionOf(db), path)
    db.pragma('journal_mode = WAL')
    // A seq or an id that a client has seen must survive a power loss.
    db.pragma('synchronous = FULL')
    // In pages, together 16 MB. Each checkpoint needs two synchronised writes, so a scan should
    // need few; readers need a short WAL.
    db.pragma('wal_autocheckpoint = 4000')
    db.pragma('journal_size_limit = 67108864')
    db.pragma('cache_size = -16384')
    db.pragma('foreign_keys = OFF')
    db.pragma('trusted_schema = OFF')
  })
}

/**
 * @param latest the schema to which this program migrates
 * @throws UnusableDatabase for a schema that this program neither reads nor migrates
 */
export function refuseSchema(schema: number, path: string, latest = schemaVersion): void {
  if (isKnownSchema(schema, latest)) return
  if (schema === copyingSchema) throw new UnusableDatabase(`${path} ${unfinishedCopy}`)
  throw new UnusableDatabase(
    `${path} ${unknownSchema(schema)}, or move the file aside, and the indexer builds a new one`,
  )
}

/**
 * Opens the catalogue for reading only; never creates or migrates anything.
 * @throws an error with the reason if `path` has no catalogue of this program's schema
 */
export function openForReading(path: string): Database {
  return prepared(connectForReading(path), (db) => {
    const schema = versionOf(db)
    if (schema !== schemaVersion)
      throw new UnusableDatabase(
        `${path} has schema ${schema}, this program reads ${schemaVersion}: start its indexer once`,
      )
    if (db.prepare('SELECT 1 FROM catalogue').get() === undefined)
      throw new UnusableDatabase(`${path} is just being made`)
  })
}

/**
 * Opens a connection for reading a catalogue of a schema that this program reads or migrates.
 * @throws UnusableDatabase
 */
export function connectForReading(path: string): Database {
  const options = { readonly: true, fileMustExist: true, timeout: 1000 }
  return prepared(new Sqlite(path, options), (db) => {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    // This cache is small (2 MB), because the API has several connections, and the page cache of
    // the system has the other pages.
    db.pragma('cache_size = -2048')
    refuseOther(db, path)
    refuseSchema(versionOf(db), path)
  })
}

/** @throws UnusableDatabase for the database of another program */
function refuseOther(db: Database, path: string): void {
  const hasTables = db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined
  if (hasTables && db.pragma('application_id', { simple: true }) !== applicationId)
    throw new UnusableDatabase(
      `${path} is a database of another program: configure another database file`,
    )
}

/** True for a database without tables and without a schema. */
export function isNew(db: Database): boolean {
  return versionOf(db) === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

/**
 * The first version without the WAL-reset bug: if two connections write or checkpoint at the same
 * instant, an older one may skip a part of the WAL, and the database is damaged
 * (https://sqlite.org/wal.html#walresetbug).
 */
const oldestSafe = '3.51.3'

export function sqliteVersion(): string {
  const db = new Sqlite(':memory:')
  try {
    return db.prepare('SELECT sqlite_version()').pluck().get() as string
  } finally {
    db.close()
  }
}

/** Returns why the database must not be used with a version of SQLite; `undefined` if it may. */
export function sqliteProblem(version: string): string | undefined {
  if (version.localeCompare(oldestSafe, 'en', { numeric: true }) >= 0) return undefined
  return `the database driver has SQLite ${version}, which can damage the database (its WAL-reset bug): install this program with a driver that has SQLite ${oldestSafe} or newer`
}

/** @throws UnusableDatabase if the database must not be used with the SQLite of the driver */
export function refuseUnsafeSqlite(): void {
  const problem = sqliteProblem(sqliteVersion())
  if (problem !== undefined) throw new UnusableDatabase(problem)
}
