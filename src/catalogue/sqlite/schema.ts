/**
 * The schema in a database file. `user_version` is its number: a new database is created from
 * `tables`, an older one is migrated by `migration.ts`. All tables are STRICT.
 */
import type { Database } from 'better-sqlite3'
import { createIndex, createTables as tablesOf, indexNames, schemaVersion } from '../schema.ts'
import type { SchemaWords } from '../schema.ts'
import { deferredCounts } from '../selection/count-tables.ts'
import { dialect } from './dialect.ts'

/** Marks a database file as a catalogue of this program (`file` and `sqlite3` show it): "RNXc". */
export const applicationId = 0x524e5863

/** The oldest schema that is migrated. */
export const oldestSchemaVersion = 12

/**
 * Added to the schema number while counts are recounted after a migration (see migration.ts). Other
 * releases refuse such a database; readers find the progress in its table `recount`.
 */
export const migratingOffset = 1000

const words: SchemaWords = {
  INT8: 'INTEGER',
  INT4: 'INTEGER',
  TEXT: 'TEXT',
  BYTES: 'BLOB',
  ROWID: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  STRICT: 'STRICT',
  KEYED: 'STRICT, WITHOUT ROWID',
}

/** The `user_version` of an open database; 0 for an empty one. */
export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

/** True for a schema that this program reads, migrates, or is migrating. */
export function isKnownVersion(version: number): boolean {
  const isReleased = version >= oldestSchemaVersion && version <= schemaVersion
  return isReleased || version === migratingOffset + schemaVersion
}

/** Creates the tables of an empty database in one transaction, with all indexes and counts. */
export function createTables(db: Database): void {
  db.transaction(() => {
    db.exec(tablesOf(words))
    const built = db.prepare('INSERT INTO built (name) VALUES (?)')
    for (const name of indexNames) db.exec(createIndex(name, dialect))
    for (const name of [...indexNames, ...deferredCounts]) built.run(name)
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${schemaVersion}`)
  }).immediate()
}
