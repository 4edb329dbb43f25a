/**
 * Migrates a database of schema 12 or later to the schema of this program. Rows, ids, seqs,
 * tombstones and checksums stay. All changes are one transaction. Tables of counts that it names
 * are recounted afterwards, each in a transaction of its own: an interrupted migration continues
 * there.
 */
import type { Database } from 'better-sqlite3'
import { countTableNames } from '../selection/count-tables.ts'
import type { CountTableName } from '../selection/count-tables.ts'
import { keptCounts, recount } from '../updates/recount.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import { migratingOffset, versionOf } from './schema.ts'

/**
 * A schema, the SQL that leads to it from the one before, and the tables of counts that must be
 * recounted then. Such a table keeps its rows until then: the stations with files are read from it.
 */
export type Migration = readonly [
  schema: number,
  sql: string,
  recounted?: readonly CountTableName[],
]

function addSizes(table: CountTableName): string {
  const add = (column: string) =>
    `ALTER TABLE ${table} ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0;`
  return `${add('bytes')} ${add('sized')}`
}

const migrations: readonly Migration[] = [
  [
    13,
    // The feed of earlier releases left out files with short names if it was filtered by country.
    // With a new seq, which no client knows, each client of such a feed starts again.
    `UPDATE catalogue SET seq = seq + 1;
     ALTER TABLE station ADD COLUMN live_seq INTEGER NOT NULL DEFAULT 0;
     UPDATE station SET live_seq = (SELECT seq FROM catalogue WHERE one = 1);`,
  ],
  [
    14,
    `ALTER TABLE catalogue ADD COLUMN heartbeat_us INTEGER;
     ALTER TABLE catalogue ADD COLUMN heartbeat_limit_s INTEGER;`,
  ],
  [
    15,
    // Early builds stored checksums without the identity of the file: these files are hashed again.
    `UPDATE checksum SET stale_us = 0 WHERE inode IS NULL AND stale_us IS NULL;
     UPDATE hashing SET files = (SELECT count(*) FROM checksum WHERE stale_us IS NULL),
       stale = (SELECT count(*) FROM checksum WHERE stale_us IS NOT NULL);
     DROP TABLE owner;
     ALTER TABLE catalogue DROP COLUMN reserved_id;
     ALTER TABLE catalogue DROP COLUMN reserved_seq;
     ALTER TABLE catalogue ADD COLUMN last_id INTEGER NOT NULL DEFAULT 0;
     UPDATE catalogue
       SET last_id = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'file'), 0);
     ${countTableNames.map(addSizes).join('\n')}`,
    countTableNames,
  ],
  [
    16,
    `ALTER TABLE directory ADD COLUMN names_sum INTEGER;
     ALTER TABLE catalogue ADD COLUMN name_rules INTEGER;`,
  ],
  [
    17,
    `ALTER TABLE file ADD COLUMN damaged_us INTEGER;
     ALTER TABLE file ADD COLUMN arrival_us INTEGER;
     UPDATE file SET arrival_us = coalesce(returned_us, created_us) WHERE arrived = 1;
     UPDATE file SET damaged_us = coalesce(modified_us, created_us) WHERE incomplete = 1 OR size = 0
       OR EXISTS (SELECT 1 FROM checksum c WHERE c.id = file.id AND c.broken = 1);
     ALTER TABLE file DROP COLUMN arrived;
     CREATE INDEX file_damaged ON file (station, data_date, kind, damaged_us)
       WHERE damaged_us IS NOT NULL;
     ALTER TABLE delivery ADD COLUMN good INTEGER NOT NULL DEFAULT 1;`,
  ],
]

/**
 * Migrates in parts. Yields the progress in words before each part; the caller may stop between any
 * two parts.
 */
export function* migrate(db: Database, list = migrations): Generator<string, void> {
  if (progressOf(db) === undefined) {
    yield `from schema ${versionOf(db)} to ${list.at(-1)?.[0]}: changing the tables`
    db.transaction(change).immediate(db, list)
  }
  for (let progress = progressOf(db); progress !== undefined; progress = progressOf(db)) {
    yield progress
    db.transaction(recountNext).immediate(db)
  }
}

/** The progress of a migration in words; `undefined` if the database is not being migrated. */
export function progressOf(db: Database): string | undefined {
  const version = versionOf(db)
  if (version <= migratingOffset) return undefined
  const percent = db.prepare('SELECT CAST(100 * avg(done) AS INTEGER) FROM recount').pluck()
  return `to schema ${version - migratingOffset}: counting, ${Number(percent.get())} %`
}

function change(db: Database, list: readonly Migration[]): void {
  const from = versionOf(db)
  let to = from
  const recounted = new Set<CountTableName>()
  for (const [version, sql, tables = []] of list) {
    if (version <= from) continue
    db.exec(sql)
    for (const table of tables) recounted.add(table)
    to = version
  }
  const kept = new Driver(db).read(keptCounts())
  const names = countTableNames.filter((table) => kept.has(table) && recounted.has(table))
  if (names.length > 0) {
    db.exec('CREATE TABLE recount (name TEXT PRIMARY KEY, done INTEGER NOT NULL) STRICT')
    const insert = db.prepare('INSERT INTO recount VALUES (?, 0)')
    for (const name of names) insert.run(name)
    to += migratingOffset
  }
  db.pragma(`user_version = ${to}`)
}

/** Recounts the next table. The last one ends the migration. */
function recountNext(db: Database): void {
  const left = db
    .prepare('SELECT name FROM recount WHERE done = 0')
    .pluck()
    .all() as CountTableName[]
  const [next] = left
  if (next !== undefined) {
    new Driver(db).write(recount(dialect, next))
    db.prepare('UPDATE recount SET done = 1 WHERE name = ?').run(next)
  }
  if (left.length > 1) return
  db.exec('DROP TABLE recount')
  db.pragma(`user_version = ${versionOf(db) - migratingOffset}`)
}
