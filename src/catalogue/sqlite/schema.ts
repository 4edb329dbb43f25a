/**
 * The tables of the embedded catalogue. `user_version` is the number of the schema: a new database is created
 * from `tables`, an older one is migrated by `migration.ts`.
 *
 * Times are microseconds since 1970 (`…_us`) or seconds (`data_date`). All tables are STRICT.
 */
import type { Database } from 'better-sqlite3'

/** Marks a database file as ours (`file` and `sqlite3` show it): "RNXc". */
export const applicationId = 0x524e5863

/** The schema this program reads and writes. */
export const schemaVersion = 12

/** The oldest schema that is migrated. */
export const oldestSchemaVersion = 7

/**
 * The schema number of a database while it is migrated to `schemaVersion`: only a migrating program opens it for
 * writing, and readers find the progress in its table `migration`.
 */
export const migratingVersion = 1000 + schemaVersion

/** SQL for the UTC day, counted from 1970-01-01, of a time in seconds: rounds down also before 1970 (from year 0 on). */
export function dayOf(seconds: string): string {
  return `((${seconds} + 62167219200) / 86400 - 719528)`
}

/** The levels of `id_count`: a bucket of a level holds the ids with the same `id >> level`. */
export const idCountLevels = [18, 12, 6] as const

/**
 * The indexes that a first scan leaves out and `indexes.ts` builds at its end, by name, with their SQL. The table `built` names the
 * complete ones; readers must not use any other. Equal keys of an index are in the order of the row id.
 */
export const indexes: Readonly<Record<string, string>> = {
  // Files of a station or country, with dates and kinds; availability of a station; ids of a sparse filter.
  file_station: 'CREATE INDEX file_station ON file (station, data_date, kind)',
  // Files of a day or a range of days; availability of a network; ordering by data_date.
  file_date: 'CREATE INDEX file_date ON file (data_date, kind)',
  // Filters on type, duration, version, area, interval, content and source, in the order of ids.
  file_kind: 'CREATE INDEX file_kind ON file (kind)',
  // filename, filename__startswith, ordering by filename; filename__contains reads all of it.
  file_name: 'CREATE INDEX file_name ON file (name COLLATE NOCASE)',
  // created__…, ordering by created.
  file_created: 'CREATE INDEX file_created ON file (created_us)',
  // modified__…, ordering by modified.
  file_modified: 'CREATE INDEX file_modified ON file (coalesce(modified_us, created_us))',
}

/** The tables of counts that a first scan leaves out, as `indexes`. */
export const deferredCounts = ['day_count', 'station_count'] as const

/** The tables of counts, and which of them and of the indexes are complete. */
export const countTables = `
  -- Exact counts, kept by the writer in the transaction of the rows; rows that fall to 0 are deleted. The command check
  -- compares them with the rows of file.

  -- How many live files have an id in a bucket (id >> level), for the levels 18, 12 and 6, by kind; kind 0 counts all
  -- kinds. It finds the place of any offset, in the list and in filters on kinds.
  CREATE TABLE id_count (
    level  INTEGER NOT NULL,
    kind   INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    files  INTEGER NOT NULL,
    PRIMARY KEY (level, kind, bucket)
  ) STRICT, WITHOUT ROWID;

  -- How many live files have data that start on a UTC day (from 1970-01-01), by kind (there is no row of all kinds). last_id
  -- is not below the highest id among them: it is only raised while the row lives.
  CREATE TABLE day_count (
    day     INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    files   INTEGER NOT NULL,
    last_id INTEGER NOT NULL,
    PRIMARY KEY (day, kind)
  ) STRICT, WITHOUT ROWID;

  -- How many live files a station has, by kind (there is no row of all kinds), with the lowest and the highest data_date.
  CREATE TABLE station_count (
    station    INTEGER NOT NULL,
    kind       INTEGER NOT NULL,
    files      INTEGER NOT NULL,
    first_date INTEGER NOT NULL,
    last_date  INTEGER NOT NULL,
    PRIMARY KEY (station, kind)
  ) STRICT, WITHOUT ROWID;

  -- The indexes and tables of counts that are complete, by name. The others are not to be read: 'file_station', 'file_date',
  -- 'file_kind', 'file_name', 'file_created' and 'file_modified' do not exist then, 'day_count' and 'station_count' are empty.
  CREATE TABLE built (
    name TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
`

/** The table that names the process which writes the database. */
export const ownerTable = `
  -- The process that writes this database, one row (see owner.ts): a second indexer that reaches it by a hard link, with
  -- another lock file, finds it here. inode is that of the file, which a copy does not have; path is the name by which it
  -- was opened.
  CREATE TABLE owner (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    boot_id    TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    start_time INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    path       TEXT    NOT NULL
  ) STRICT;
`

/** Deliveries of the series that insight knows (see src/insight). */
export const deliveryTables = `
  -- Series: files of one station, type and period ('15M', '01H', '01D'). Rows are only ever added.
  CREATE TABLE series (
    id        INTEGER PRIMARY KEY,
    station   INTEGER NOT NULL REFERENCES station (id),
    file_type TEXT    NOT NULL,
    period    TEXT    NOT NULL,
    UNIQUE (station, file_type, period)
  ) STRICT;

  -- The first delivery of each slot of a series, kept for 400 days also when its file is removed. data_date is the start of the
  -- slot, latency_s the seconds from its end to the first record; NULL when a scan found the file. By time first: the files
  -- of an hour are written to a few pages, and the network is read in one range.
  CREATE TABLE delivery (
    data_date INTEGER NOT NULL,
    series    INTEGER NOT NULL,
    latency_s INTEGER,
    PRIMARY KEY (data_date, series)
  ) STRICT, WITHOUT ROWID;
`

const tables = `
  -- The catalogue itself, one row: which database this is, its latest number, and the numbers it may give
  -- (see sequences.ts). Removals up to forgotten_seq may have been dropped. last_scan is a ScanSummary as JSON.
  -- deliveries_us is the time from which deliveries are recorded.
  -- details_seq grows when the size, mtime, checksum or problem of a file changes without a change of its record.
  CREATE TABLE catalogue (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    epoch         TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    forgotten_seq INTEGER NOT NULL DEFAULT 0,
    reserved_id   INTEGER NOT NULL,
    reserved_seq  INTEGER NOT NULL,
    last_scan     TEXT,
    details_seq   INTEGER NOT NULL DEFAULT 0,
    deliveries_us INTEGER
  ) STRICT;

  ${ownerTable}

  -- Live files by area, so that the status need not count them.
  CREATE TABLE area (
    name  TEXT    PRIMARY KEY,
    files INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Directories met. The stamp (mtime_us, ctime_us, inode) is that of the moment before its names were read; mtime_us is
  -- NULL when that moment was too close to a change to rely on it, or was not yet. held_since_us is set while removals
  -- in it are withheld. A directory that is gone from disk stays as long as tombstones refer to it. changed_us is when
  -- anything that listings show of it, or of those below it, last changed; it only grows. hashed counts how often checksums
  -- of its files became known. AUTOINCREMENT: readers cache the path of an id.
  CREATE TABLE directory (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    path      TEXT    NOT NULL UNIQUE,
    mtime_us  INTEGER,
    ctime_us  INTEGER,
    inode     INTEGER,
    files     INTEGER NOT NULL DEFAULT 0,
    misplaced INTEGER NOT NULL DEFAULT 0,
    gone      INTEGER NOT NULL DEFAULT 0,
    held_since_us INTEGER,
    changed_us INTEGER,
    hashed    INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- Listings step through it from one subdirectory to the next, past those that hold nothing.
  CREATE INDEX directory_filled ON directory (path) WHERE files > 0;

  -- Entries of a directory that are not catalogued, by reason. names is a JSON array of the first of them, at most 100,
  -- without dot files.
  -- since_us is when the first of them was seen, NULL in rows of a release that did not store it.
  CREATE TABLE rejection (
    directory INTEGER NOT NULL REFERENCES directory (id),
    reason    TEXT    NOT NULL,
    count     INTEGER NOT NULL,
    names     TEXT    NOT NULL,
    since_us  INTEGER,
    PRIMARY KEY (directory, reason)
  ) STRICT, WITHOUT ROWID;

  -- Station codes as named, upper case, 4 or 9 characters.
  CREATE TABLE station (
    id   INTEGER PRIMARY KEY,
    code TEXT    NOT NULL UNIQUE
  ) STRICT;

  -- What many names have in common: a few hundred rows, so that a filter on any of it is a set of kinds. Ids begin at 1.
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
  -- arrived is 1 when the file was seen arriving, 0 when a scan found it. incomplete is 1 when its gzip stream was found
  -- to have no end: by a long wait for it, or when the file was hashed. misplaced is 1 when its name tells another date than its directory.
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
    misplaced   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (directory, name)  -- reconciling, downloads and listings look up by it
  ) STRICT;

  -- The change feed reads live records in the order of their latest change.
  CREATE INDEX file_seq ON file (seq);

  -- problem=incomplete and problem=misplaced; the status names examples.
  CREATE INDEX file_incomplete ON file (id) WHERE incomplete = 1;
  CREATE INDEX file_misplaced ON file (id) WHERE misplaced = 1;

  ${countTables}

  ${deliveryTables}

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

  -- SHA-256 of live files by their id, and of which version it is: size, mtime_us and the other attributes are those of the
  -- file that was read, and it holds for the record while that has the same size and mtime_us. Another inode, or another
  -- ctime_us alone, is another version behind the same size and mtime; another ctime_us together with another link count,
  -- mode or owner is the same version with other attributes. They are NULL in checksums of older releases until the first
  -- look at the file. broken is 1 when the gzip stream is damaged before its end. stale_us is set while the checksum may be
  -- of another version than the file on disk: it is not shown, and the file is hashed again from this time on. A time rather
  -- than a flag, so that a file that cannot be read is tried again later without holding up the others.
  CREATE TABLE checksum (
    id       INTEGER PRIMARY KEY REFERENCES file (id),
    sha256   BLOB    NOT NULL CHECK (length(sha256) = 32),
    size     INTEGER NOT NULL,
    mtime_us INTEGER NOT NULL,
    broken   INTEGER NOT NULL,
    inode    INTEGER,
    ctime_us INTEGER,
    links    INTEGER,
    mode     INTEGER,
    uid      INTEGER,
    gid      INTEGER,
    stale_us INTEGER
  ) STRICT;

  -- problem=broken; the status names examples.
  CREATE INDEX checksum_broken ON checksum (id) WHERE broken = 1;
  -- The queue of files to hash again, in its order.
  CREATE INDEX checksum_stale ON checksum (stale_us) WHERE stale_us IS NOT NULL;

  -- How far hashing has come, one row: all that arrived or changed up to the number seq was gone through, NULL until it
  -- has begun: what is there by then counts as old. stale counts the stale checksums, files the others.
  CREATE TABLE hashing (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    seq   INTEGER,
    files INTEGER NOT NULL,
    stale INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO hashing (one, files) VALUES (1, 0);
`

/** The `user_version` of an open database; 0 for an empty one. */
export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

/** True for a schema that this program reads, migrates, or is migrating. */
export function isKnownVersion(version: number): boolean {
  const isReleased = version >= oldestSchemaVersion && version <= schemaVersion
  return isReleased || version === migratingVersion
}

/** Creates the tables of an empty database in one transaction, with all indexes and counts. */
export function createTables(db: Database): void {
  db.transaction(() => {
    db.exec(tables)
    const built = db.prepare('INSERT INTO built (name) VALUES (?)')
    for (const [name, sql] of Object.entries(indexes)) {
      db.exec(sql)
      built.run(name)
    }
    for (const name of deferredCounts) built.run(name)
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${schemaVersion}`)
  }).immediate()
}
