import Sqlite from 'better-sqlite3'

/** Makes of a database one of the first version of the schema: nothing of what later ones have added is in it. */
export function makeEarlier(database: string): void {
  const db = new Sqlite(database)
  db.exec(`
    DROP TABLE owner;
    DROP TABLE excerpt;
    DROP INDEX file_modified;
    DROP INDEX block_seq;
    CREATE INDEX block_seq ON block (seq);
    DROP TABLE checksum;
    DROP TABLE hashing;
    DROP INDEX directory_filled;
    ALTER TABLE directory DROP COLUMN changed_us;
    ALTER TABLE directory DROP COLUMN hashed;
    PRAGMA user_version = 1;
  `)
  db.close()
}
