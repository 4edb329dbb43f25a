/** The number of the schema, the way to it from those of earlier releases, and what is refused. */
import { factTables } from './fact-tables.ts'

/**
 * A schema, the SQL that leads to it from the one before, in the words of `tables`, and the names
 * that it takes out of `built`: counts whose values change, and indexes that it drops. These are
 * made again as after a first scan. `id_count` is always complete, so its values are part of the
 * SQL.
 */
export type Migration = readonly [
  schema: number,
  sql: readonly string[],
  remade?: readonly string[],
]

/** The first release has schema 1. */
export const migrations: readonly Migration[] = [
  [
    2,
    [
      'ALTER TABLE catalogue ADD COLUMN layout TEXT',
      'ALTER TABLE file ADD COLUMN disguised INT4 NOT NULL DEFAULT 0',
      'CREATE INDEX file_disguised ON file (id) WHERE disguised = 1',
      'ALTER TABLE directory ADD COLUMN newest INT8',
      'UPDATE directory SET newest = (SELECT max(data_date) FROM file WHERE directory = directory.id)',
      'CREATE INDEX file_contradicting ON file (kind) WHERE misplaced > 0',
    ],
  ],
  [
    3,
    [
      'ALTER TABLE catalogue ADD COLUMN damaged_by INT4',
      'ALTER TABLE checksum ADD COLUMN md5 BYTES CHECK (length(md5) = 16)',
      'ALTER TABLE hashing ADD COLUMN facts INT8 NOT NULL DEFAULT 0',
      'DROP INDEX checksum_broken',
      ...factTables,
    ],
  ],
]

/** The schema this program reads and writes. */
export const schemaVersion = latestOf(migrations)

/** The schema to which migrations lead. */
export function latestOf(list: readonly Migration[]): number {
  return list.at(-1)?.[0] ?? 1
}

/** True for the schema of this program, and for those of the releases before it. */
export function isKnownSchema(schema: number, latest = schemaVersion): boolean {
  return schema >= 1 && schema <= latest
}

/** The schema of a database that `copy` has not finished. No program reads or migrates it. */
export const copyingSchema = 2000 + schemaVersion

/** Why a database is refused, and what to do; the words follow its name. */
export function unknownSchema(schema: number): string {
  return `has schema ${schema}, this program knows ${schemaVersion}: install the program that made it`
}

/** What to do about an unfinished copy; the words follow its name. */
export const unfinishedCopy = 'is an unfinished copy: repeat "rinex-catalogue copy", or remove it'
