/**
 * The schema in a database file. `user_version` is its number: a new database is created from
 * `tables`, an older one is migrated. All tables are STRICT.
 */
import type { Database } from 'better-sqlite3'
import { deferredCounts } from '../tables/count-tables.ts'
import { createIndex, indexNames } from '../tables/indexes.ts'
import { migrate } from '../tables/migrate.ts'
import { migrations, schemaVersion } from '../tables/migrations.ts'
import type { SchemaWords } from '../tables/schema.ts'
import { createTables as tablesOf } from '../tables/schema.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'

/** Marks a database file as a catalogue of this program (`file` and `sqlite3` show it): "RNXc". */
export const applicationId = 0x524e5863

const words: SchemaWords = {
  INT8: 'INTEGER',
  INT4: 'INTEGER',
  TEXT: 'TEXT',
  BYTES: 'BLOB',
  ROWID: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  STRICT: 'STRICT',
  KEYED: 'STRICT, WITHOUT ROWID',
  references: true,
}

/** The `user_version` of an open database; 0 for an empty one. */
export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
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

/** Migrates the tables of an earlier release in one transaction. */
export function migrateTables(db: Database, list = migrations): void {
  new Driver(db).write(migrate(dialect, words, list))
}
