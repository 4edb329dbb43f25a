import Sqlite from 'better-sqlite3'
import { countTables, indexes } from '../../src/catalogue/sqlite/schema.ts'

/** Makes of a database one of schema 7, 8 or 9: nothing of what later ones have added is in it. */
export function makeEarlier(database: string, version: 7 | 8 | 9 = 7): void {
  const db = new Sqlite(database)
  for (const name of Object.keys(indexes)) db.exec(`DROP INDEX IF EXISTS ${name}`)
  for (const [, name] of countTables.matchAll(/CREATE TABLE (\w+)/g)) db.exec(`DROP TABLE ${name}`)
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
