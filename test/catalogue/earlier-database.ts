import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { countTableNames } from '../../src/catalogue/questions/count-tables.ts'
import { countDefinitions, indexes } from '../../src/catalogue/sqlite/schema.ts'

/** Converts a database to an earlier schema: removes everything that later schemas added. */
export function makeEarlier(database: string, version: 7 | 8 | 9 | 10 | 12 | 13 | 14 = 7): void {
  const db = new Sqlite(database)
  for (const table of countTableNames)
    for (const name of ['bytes', 'sized']) db.exec(`ALTER TABLE ${table} DROP COLUMN ${name}`)
  if (version < 14)
    for (const name of ['heartbeat_us', 'heartbeat_limit_s'])
      db.exec(`ALTER TABLE catalogue DROP COLUMN ${name}`)
  if (version < 13) db.exec('ALTER TABLE station DROP COLUMN live_seq')
  if (version < 12) removeDeliveries(db)
  if (version < 10) removeCounts(db)
  if (version < 9) {
    db.exec('DROP INDEX checksum_stale')
    for (const name of ['inode', 'ctime_us', 'links', 'mode', 'uid', 'gid', 'stale_us'])
      db.exec(`ALTER TABLE checksum DROP COLUMN ${name}`)
    db.exec('ALTER TABLE hashing DROP COLUMN stale')
  }
  if (version < 8) db.exec('DROP TABLE owner')
  db.pragma(`user_version = ${version}`)
  db.close()
}

/** Removes what schemas 11 and 12 added. */
function removeDeliveries(db: Database): void {
  db.exec(`
    ALTER TABLE catalogue DROP COLUMN details_seq;
    ALTER TABLE catalogue DROP COLUMN deliveries_us;
    DROP TABLE delivery;
    DROP TABLE series;
    ALTER TABLE rejection DROP COLUMN since_us;
    UPDATE rejection SET names = coalesce(json_extract(names, '$[0]'), '');
    ALTER TABLE rejection RENAME COLUMN names TO example;
  `)
}

/** Reads from a database over a connection of its own. */
export function read<T>(database: string, work: (db: Database) => T): T {
  const db = new Sqlite(database, { readonly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

function removeCounts(db: Database): void {
  for (const name of Object.keys(indexes)) db.exec(`DROP INDEX IF EXISTS ${name}`)
  for (const [, name] of countDefinitions.matchAll(/CREATE TABLE (\w+)/g))
    db.exec(`DROP TABLE ${name}`)
  db.exec(`
    DROP INDEX file_misplaced;
    ALTER TABLE file DROP COLUMN misplaced;
    CREATE INDEX file_modified ON file (id, modified_us) WHERE modified_us IS NOT NULL;
    CREATE TABLE block (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, live INTEGER NOT NULL,
      created_from_us INTEGER NOT NULL, created_to_us INTEGER NOT NULL, modified_to_us INTEGER NOT NULL,
      places BLOB NOT NULL) STRICT;
    CREATE INDEX block_seq ON block (seq, live);
    CREATE TABLE excerpt (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    INSERT INTO excerpt VALUES (1, 'text');
  `)
}
