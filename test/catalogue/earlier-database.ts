import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { countTableNames } from '../../src/catalogue/selection/count-tables.ts'

/** Converts a database to an earlier schema: removes everything that later schemas added. */
export function makeEarlier(database: string, version: 12 | 13 | 14 = 12): void {
  const db = new Sqlite(database)
  db.exec(
    `CREATE TABLE owner (one INTEGER PRIMARY KEY, boot_id TEXT NOT NULL, pid INTEGER NOT NULL,
       start_time INTEGER NOT NULL, inode INTEGER NOT NULL, path TEXT NOT NULL) STRICT`,
  )
  db.exec(`DROP INDEX file_damaged;
    ALTER TABLE file ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0;
    UPDATE file SET arrived = arrival_us IS NOT NULL;
    ALTER TABLE file DROP COLUMN damaged_us;
    ALTER TABLE file DROP COLUMN arrival_us;
    ALTER TABLE delivery DROP COLUMN good;`)
  for (const table of countTableNames)
    for (const name of ['bytes', 'sized']) db.exec(`ALTER TABLE ${table} DROP COLUMN ${name}`)
  db.exec('ALTER TABLE directory DROP COLUMN names_sum')
  const columns = `one, epoch, seq, forgotten_seq, last_scan, details_seq, deliveries_us,
    heartbeat_us, heartbeat_limit_s`
  db.exec(`
    ALTER TABLE catalogue RENAME TO later;
    CREATE TABLE catalogue (
      one           INTEGER PRIMARY KEY CHECK (one = 1),
      epoch         TEXT    NOT NULL,
      seq           INTEGER NOT NULL,
      forgotten_seq INTEGER NOT NULL DEFAULT 0,
      reserved_id   INTEGER NOT NULL,
      reserved_seq  INTEGER NOT NULL,
      last_scan     TEXT,
      details_seq   INTEGER NOT NULL DEFAULT 0,
      deliveries_us INTEGER,
      heartbeat_us      INTEGER,
      heartbeat_limit_s INTEGER
    ) STRICT;
    INSERT INTO catalogue (${columns}, reserved_id, reserved_seq)
      SELECT ${columns}, 1000000, 1000000 FROM later;
    DROP TABLE later;
  `)
  if (version < 14)
    for (const name of ['heartbeat_us', 'heartbeat_limit_s'])
      db.exec(`ALTER TABLE catalogue DROP COLUMN ${name}`)
  if (version < 13) db.exec('ALTER TABLE station DROP COLUMN live_seq')
  db.pragma(`user_version = ${version}`)
  db.close()
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
