/**
 * The tables of the embedded catalogue, as an ordered list of migrations: `user_version` is the number of
 * those applied. A released migration is never edited, only followed by another.
 *
 * Times are microseconds since 1970 (`…_us`) or seconds (`data_date`). All tables are STRICT.
 */
import type { Database } from 'better-sqlite3'
import { fillExcerpts } from './excerpts.ts'

/** Marks a database file as ours (`file` and `sqlite3` show it): "RNXc". */
export const applicationId = 0x524e5863

/** Made before any migration too, see owner.ts: so it may be there already. */
export const ownerTable = `
  -- The process that writes this database, one row: boot_id, pid and start_time (clock ticks since the boot) tell it from
  -- every other process. file is the device and inode of the database, which a copy does not have; path the name under
  -- which that process opened it.
  CREATE TABLE IF NOT EXISTS owner (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    boot_id    TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    start_time INTEGER NOT NULL,
    file       TEXT    NOT NULL,
    path       TEXT    NOT NULL
  ) STRICT;
`

const migrations: readonly string[] = [
  `
  -- The catalogue itself, one row: which database this is, its latest number, and the numbers it may give
  -- (see numbers.ts). Removals up to forgotten_seq may have been dropped. last_scan is a ScanSummary as JSON.
  CREATE TABLE catalogue (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    epoch         TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    forgotten_seq INTEGER NOT NULL DEFAULT 0,
    reserved_id   INTEGER NOT NULL,
    reserved_seq  INTEGER NOT NULL,
    last_scan     TEXT
  ) STRICT;

  -- Live files by area, so that counting them costs nothing.
  CREATE TABLE area (
    name  TEXT    PRIMARY KEY,
    files INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Directories met. The stamp (mtime_us, ctime_us, inode) is that of the moment before its names were read;
  -- mtime_us is NULL when that moment was too close to a change to rely on it, or was not yet. held_since_us is set
  -- while removals in it are not believed. A directory that is gone from disk stays as long as removals remember
  -- files in it. AUTOINCREMENT: readers remember the path of an id.
  CREATE TABLE directory (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    path      TEXT    NOT NULL UNIQUE,
    mtime_us  INTEGER,
    ctime_us  INTEGER,
    inode     INTEGER,
    files     INTEGER NOT NULL DEFAULT 0,
    misplaced INTEGER NOT NULL DEFAULT 0,
    gone      INTEGER NOT NULL DEFAULT 0,
    held_since_us INTEGER
  ) STRICT;

  -- Entries of a directory that are not catalogued, by reason, with one example name.
  CREATE TABLE rejection (
    directory INTEGER NOT NULL REFERENCES directory (id),
    reason    TEXT    NOT NULL,
    count     INTEGER NOT NULL,
    example   TEXT    NOT NULL,
    PRIMARY KEY (directory, reason)
  ) STRICT, WITHOUT ROWID;

  -- Station codes as named, upper case, 4 or 9 characters: a record carries a small number instead.
  CREATE TABLE station (
    id   INTEGER PRIMARY KEY,
    code TEXT    NOT NULL UNIQUE
  ) STRICT;

  -- What many names have in common, so that a record carries a small number instead: a few hundred rows.
  -- The parts that only long names have are '' for short ones.
  CREATE TABLE kind (
    id            INTEGER PRIMARY KEY,
    area          TEXT    NOT NULL,
    file_version  TEXT    NOT NULL,
    file_duration TEXT    NOT NULL,
    file_type     TEXT    NOT NULL,
    source        TEXT    NOT NULL,
    period        TEXT    NOT NULL,
    interval      TEXT    NOT NULL,
    content       TEXT    NOT NULL,
    UNIQUE (area, file_version, file_duration, file_type, source, period, interval, content)
  ) STRICT;

  -- The live records. AUTOINCREMENT: an id is never given twice. size and mtime_us are NULL until the file was
  -- looked at, modified_us while it equals created_us. change says what seq numbers: 0 created, 1 modified;
  -- returned_us is when it was created again, NULL of a file that was never away.
  -- arrived is 1 when the file was seen arriving, 0 when a scan found it. incomplete is 1 when it was listed after a
  -- long wait although its gzip stream has no end.
  CREATE TABLE file (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    directory   INTEGER NOT NULL REFERENCES directory (id),
    name        TEXT    NOT NULL,
    station     INTEGER NOT NULL REFERENCES station (id),
    kind        INTEGER NOT NULL REFERENCES kind (id),
    data_date   INTEGER NOT NULL,
    size        INTEGER,
    mtime_us    INTEGER,
    created_us  INTEGER NOT NULL,
    modified_us INTEGER,
    returned_us INTEGER,
    seq         INTEGER NOT NULL,
    change      INTEGER NOT NULL,
    arrived     INTEGER NOT NULL,
    incomplete  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (directory, name)  -- a path is catalogued once; reconciling and downloads look up by it
  ) STRICT;

  -- The change feed reads live records in the order of their latest change.
  CREATE INDEX file_seq ON file (seq);

  -- What pages and filters look at instead of the records, for every 256 ids (id >> 8): how many are live, and of each
  -- its station, kind and day (see block-layout.ts). seq is the number of the latest change of any of them, so that a
  -- reader takes again just what moved. The times hold all that were ever in it; a removal does not narrow them.
  CREATE TABLE block (
    id               INTEGER PRIMARY KEY,
    seq              INTEGER NOT NULL,
    live             INTEGER NOT NULL,
    created_from_us  INTEGER NOT NULL,
    created_to_us    INTEGER NOT NULL,
    modified_to_us   INTEGER NOT NULL,
    places           BLOB    NOT NULL
  ) STRICT;

  -- Readers ask for the blocks that changed since they last looked.
  CREATE INDEX block_seq ON block (seq);

  -- The status names the few that are incomplete.
  CREATE INDEX file_incomplete ON file (id) WHERE incomplete = 1;

  -- Removed files as they last were: the feed tells of them, and a file that comes back gets its id back.
  CREATE TABLE tombstone (
    id          INTEGER PRIMARY KEY,
    directory   INTEGER NOT NULL REFERENCES directory (id),
    name        TEXT    NOT NULL,
    station     INTEGER NOT NULL REFERENCES station (id),
    kind        INTEGER NOT NULL REFERENCES kind (id),
    data_date   INTEGER NOT NULL,
    size        INTEGER,
    mtime_us    INTEGER,
    created_us  INTEGER NOT NULL,
    modified_us INTEGER,
    seq         INTEGER NOT NULL,
    removed_us  INTEGER NOT NULL,
    UNIQUE (directory, name)  -- is a file that appears one that was here before?
  ) STRICT;

  -- The change feed reads removals in their order; old ones are dropped from its start.
  CREATE INDEX tombstone_seq ON tombstone (seq);
  `,
  `
  -- SHA-256 of live files by their id, and of which version it is: size and mtime_us are those of the file that was read.
  -- It holds for the record while that says the same. broken is 1 when the gzip stream in it does not inflate to its end.
  -- A table of its own, since records that are listed have no use for it.
  CREATE TABLE checksum (
    id       INTEGER PRIMARY KEY REFERENCES file (id),
    sha256   BLOB    NOT NULL CHECK (length(sha256) = 32),
    size     INTEGER NOT NULL,
    mtime_us INTEGER NOT NULL,
    broken   INTEGER NOT NULL
  ) STRICT;

  -- The status names the few that are broken.
  CREATE INDEX checksum_broken ON checksum (id) WHERE broken = 1;

  -- How far hashing has come, one row: all that arrived or changed up to the number seq was gone through, NULL until it
  -- has begun: what is there by then counts as old. files counts the checksums, so that telling it costs nothing.
  CREATE TABLE hashing (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    seq   INTEGER,
    files INTEGER NOT NULL
  ) STRICT;
  INSERT INTO hashing (one, files) VALUES (1, 0);
  `,
  `
  -- When anything that listings show of a directory, or of those below it, was last changed: files, their sizes and
  -- times. It only grows, so that one look tells whether a listing is still what it was.
  ALTER TABLE directory ADD COLUMN changed_us INTEGER;
  UPDATE directory SET changed_us = CAST(unixepoch('subsec') * 1000000 AS INTEGER);

  -- Listings step through it from one subdirectory to the next, past those that hold nothing however many there are.
  CREATE INDEX directory_filled ON directory (path) WHERE files > 0;
  `,
  `
  -- With live beside seq, a reader that starts counts all blocks without reading their places, a hundred times as much.
  DROP INDEX block_seq;
  CREATE INDEX block_seq ON block (seq, live);
  `,
  `
  -- Sorting by modification: all others have the order of their creation, of which the blocks hold the times.
  CREATE INDEX file_modified ON file (id, modified_us) WHERE modified_us IS NOT NULL;
  `,
  `
  -- How often checksums of a directory's files became known, which is no change of the files. With changed_us it tells
  -- whether the checksums of the directory are still what they were.
  ALTER TABLE directory ADD COLUMN hashed INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- What pages of the list show of the records, for every 64 ids (id >> 6; see excerpt-layout.ts): to read those of a page costs
  -- a third of reading 20 rows. Those without any live record are not there.
  CREATE TABLE excerpt (
    id   INTEGER PRIMARY KEY,
    text TEXT    NOT NULL
  ) STRICT;
  `,
  ownerTable,
]

/**
 * What a migration does besides, by its number. It is the program's of today: whoever changes how excerpts lie has a later
 * migration drop the table, and fills it there.
 */
const fillings: ReadonlyMap<number, (db: Database) => void> = new Map([[7, fillExcerpts]])

/** The schema this program knows. */
export const schemaVersion = migrations.length

/** The `user_version` of an open database; 0 for an empty one. */
export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

/** Applies what is missing, each migration in a transaction of its own together with its number. */
export function migrate(db: Database): void {
  for (let version = versionOf(db); version < schemaVersion; version++) {
    db.transaction(() => {
      db.exec(migrations[version] ?? '')
      fillings.get(version + 1)?.(db)
      db.pragma(`application_id = ${applicationId}`)
      db.pragma(`user_version = ${version + 1}`)
    }).immediate()
  }
}
