/**
 * The tables of the catalogue and the indexes that are always complete, for all engines.
 *
 * Times are in microseconds since 1970 (`…_us`), or in seconds (`data_date`, `first_date`,
 * `last_date`).
 */
import type { CountTableName } from './count-tables.ts'
import { countTables } from './count-tables.ts'
import { factTables } from './fact-tables.ts'
import { recordColumns } from './record.ts'

/** What an engine calls the words in capitals in the SQL of the tables. */
export interface SchemaWords {
  /** Whole numbers of 64 and of 32 bits. */
  readonly INT8: string
  readonly INT4: string
  /** Sorted by bytes. */
  readonly TEXT: string
  readonly BYTES: string
  /** The type and constraint of the key of a table that grows without limit. */
  readonly ROWID: string
  /** The property of tables, and of those that are stored in the order of their primary key. */
  readonly STRICT: string
  readonly KEYED: string
  /** False if the engine does not note which table a column refers to. */
  readonly references: boolean
}

/** The columns of a table of counts. */
function countColumns(table: CountTableName): string {
  const { keys } = countTables[table]
  const columns = [...keys, ...countTables[table].values].map((name) => `${name} INT8 NOT NULL`)
  return `(
    ${columns.join(',\n    ')},
    PRIMARY KEY (${keys.join(', ')})
  ) KEYED`
}

/** The columns that `file` and `tombstone` have in common, after the id. */
const recordDefinitions = recordColumns
  .filter(({ name }) => name !== 'id')
  .map(({ name, type, constraint }) =>
    `${name} ${{ bigint: 'INT8', int: 'INT4', text: 'TEXT' }[type]} ${constraint}`.trim(),
  )
  .join(',\n    ')

const tables = `
  -- The catalogue itself, one row: its epoch, its latest seq and the highest id of a file (see
  -- numbers-file.ts). Tombstones up to purged_seq may have been purged. last_scan is a ScanSummary
  -- as JSON. deliveries_us is the time from which deliveries are recorded. as_of_us is the time
  -- to which the catalogue is known to equal the tree, NULL until the first scan has ended;
  -- as_of_limit_s is the age from which it says no more. details_seq grows when the checksum
  -- or problem of a file changes without a change of its record. name_rules is the
  -- version of the rules by which names were rejected, and layout are the areas, suffixes and
  -- exclusions of the tree as JSON, as the last indexer used them (see stored-layout.ts); both are
  -- NULL before the first start of an indexer. damaged_by has the flags (see fact) that make files
  -- damaged, NULL before they were adopted, and while they are.
  CREATE TABLE catalogue (
    one           INT8 PRIMARY KEY CHECK (one = 1),
    epoch         TEXT    NOT NULL,
    seq           INT8 NOT NULL,
    purged_seq    INT8 NOT NULL DEFAULT 0,
    last_scan     TEXT,
    details_seq   INT8 NOT NULL DEFAULT 0,
    deliveries_us INT8,
    as_of_us      INT8,
    as_of_limit_s INT8,
    last_id       INT8 NOT NULL DEFAULT 0,
    name_rules    INT8,
    layout        TEXT,
    damaged_by    INT4
  ) STRICT;

  -- All known directories. The stamp is mtime_us, ctime_us and inode, taken before the names in the
  -- directory were read, and names_sum, the sum of these names (see sumOfName). mtime_us is NULL if
  -- the next sweep must read the directory, because its stamp is not sure yet, or a part of its
  -- change was left out. files is the number of live files in the directory. withheld_since_us is
  -- the time since which removals in the directory are withheld, NULL if none are. gone is 1 if the
  -- directory no longer exists on disk; its row stays as long as tombstones refer to it. changed_us
  -- is the time of the latest change that the listings of this directory, or of those below it,
  -- show; it only grows. hashed counts how often checksums of its files became known or stale.
  -- newest is the latest start of files that were added, in seconds since 1970, without those that
  -- lay more than two days ahead. New ids follow the highest one.
  CREATE TABLE directory (
    id        ROWID,
    path      TEXT    NOT NULL UNIQUE,
    mtime_us  INT8,
    ctime_us  INT8,
    inode     INT8,
    names_sum INT8,
    files     INT8 NOT NULL DEFAULT 0,
    gone      INT8 NOT NULL DEFAULT 0,
    withheld_since_us INT8,
    changed_us INT8,
    hashed    INT8 NOT NULL DEFAULT 0,
    newest    INT8
  ) STRICT;

  -- Listings step through this index from one subdirectory to the next, past directories without
  -- files.
  CREATE INDEX directory_filled ON directory (path) WHERE files > 0;

  -- Entries of a directory that are not catalogued, by reason. names is a JSON array of the first
  -- names, at most 100, without dot files. since_us is the time since which the directory has
  -- entries for this reason.
  CREATE TABLE rejection (
    directory INT8 NOT NULL REFERENCES directory (id),
    reason    TEXT    NOT NULL,
    count     INT8 NOT NULL,
    names     TEXT    NOT NULL,
    since_us  INT8    NOT NULL,
    PRIMARY KEY (directory, reason)
  ) KEYED;

  -- Station codes as in file names, but in upper case: 4 or 9 characters. live_seq is the seq at
  -- which the station got its first file or lost its last one (see sites.ts), as far as
  -- station_count shows it; 0 for a station that never had files.
  CREATE TABLE station (
    id       INT8 PRIMARY KEY,
    code     TEXT    NOT NULL UNIQUE,
    live_seq INT8 NOT NULL DEFAULT 0
  ) STRICT;

  -- The properties that many files share: a few hundred rows, so that a filter on any property
  -- becomes a set of kinds. Ids begin at 1. The parts that only long names have are '' for short
  -- names.
  CREATE TABLE kind (
    id            INT8 PRIMARY KEY,
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

  -- The live records. Ids come from catalogue.last_id. modified_us is NULL until size or mtime
  -- change on disk. change is the kind of the change with the number seq: 0 created, 1 modified.
  -- returned_us is the time when a removed file came back, NULL for a file that was never removed.
  -- incomplete is 1 if its gzip stream has no end, or its text no newline at the end, which was
  -- found after a wait or when the file was hashed. disguised is 1 if its content is readable, but
  -- not compressed as its name says. misplaced is 1 if its path contradicts the date in its name
  -- (see placementIn), and 2 if so many paths of its area do that they are not dates (see
  -- judgePaths): then the file is not misplaced. damaged_us is the time at which the file was found
  -- to be incomplete, broken, empty or flagged with one of damaged_by, NULL if it is not.
  -- arrival_us is the arrival of its first version that is not damaged, or of the damaged one, NULL
  -- if it was not seen arriving.
  CREATE TABLE file (
    id          ROWID,
    ${recordDefinitions},
    returned_us INT8,
    seq         INT8 NOT NULL,
    change      INT4 NOT NULL,
    incomplete  INT4 NOT NULL DEFAULT 0,
    misplaced   INT4 NOT NULL DEFAULT 0,
    damaged_us  INT8,
    arrival_us  INT8,
    disguised   INT4 NOT NULL DEFAULT 0,
    UNIQUE (directory, name)  -- for reconciling, downloads and listings
  ) STRICT;

  -- The change feed reads live records in the order of their latest change.
  CREATE INDEX file_seq ON file (seq);

  -- For filters on problem=incomplete, misplaced and disguised, the list of problems, and the
  -- examples in the status.
  CREATE INDEX file_incomplete ON file (id) WHERE incomplete = 1;
  CREATE INDEX file_misplaced ON file (id) WHERE misplaced = 1;
  CREATE INDEX file_disguised ON file (id) WHERE disguised = 1;
  -- The indexer compares the number of contradictions of each area with that of its files.
  CREATE INDEX file_contradicting ON file (kind) WHERE misplaced > 0;
  -- For the slots whose files are all damaged, filters on problem=broken, and the list of problems.
  CREATE INDEX file_damaged ON file (station, data_date, kind, damaged_us)
    WHERE damaged_us IS NOT NULL;

  -- The writer updates these exact counts in the transaction that changes the rows, and deletes
  -- rows that fall to 0. The command check compares them with the rows of file. bytes is the sum of
  -- the sizes of the files.

  -- Number of live files by level, kind and bucket of ids (id >> level), for the levels 18, 12 and
  -- 6; kind 0 counts all kinds. It finds the place of any offset, in the list and in filters on
  -- kinds.
  CREATE TABLE id_count ${countColumns('id_count')};

  -- Number of live files by the UTC day on which their data start (counted from 1970-01-01) and by
  -- kind. There is no row for all kinds. last_id is at least the highest id of these files: it is
  -- only raised while the row exists.
  CREATE TABLE day_count ${countColumns('day_count')};

  -- Number of live files by station and kind, with their lowest and highest data_date. There is no
  -- row for all kinds.
  CREATE TABLE station_count ${countColumns('station_count')};

  -- Names of the complete ones among the indexes file_station, file_date, file_kind, file_name,
  -- file_created and file_modified, and the tables day_count and station_count. One of them that is
  -- not named must not be read: the index does not exist, or the table is empty. All other indexes
  -- and id_count are always complete, and never named here.
  CREATE TABLE built (
    name TEXT PRIMARY KEY
  ) KEYED;

  -- Series: files of one station, type and period ('15M', '01H', '01D'). Rows are only ever added.
  CREATE TABLE series (
    id        INT8 PRIMARY KEY,
    station   INT8 NOT NULL REFERENCES station (id),
    file_type TEXT    NOT NULL,
    period    TEXT    NOT NULL,
    UNIQUE (station, file_type, period)
  ) STRICT;

  -- The delivered slots of each series, kept for 400 days even if their files are removed.
  -- data_date is the start of the slot. latency_s is the number of seconds from its end until its
  -- first file that is not damaged arrived, negative if it arrived before, NULL if it was not seen
  -- arriving. good is the number of deliveries: a file counts once when it appears, and no more if
  -- it is damaged later; it still counts when it is removed. The key begins with the time, so the
  -- deliveries of an hour are written to a few pages, and those of all series are read in one range.
  CREATE TABLE delivery (
    data_date INT8 NOT NULL,
    series    INT8 NOT NULL,
    latency_s INT8,
    good      INT4 NOT NULL DEFAULT 1,
    PRIMARY KEY (data_date, series)
  ) KEYED;

  -- The last records of removed files. The change feed reports them, and a file that comes back
  -- gets its id back.
  CREATE TABLE tombstone (
    id          INT8 PRIMARY KEY,
    ${recordDefinitions},
    seq         INT8 NOT NULL,
    removed_us  INT8 NOT NULL,
    UNIQUE (directory, name)  -- to find the old record of a file that comes back
  ) STRICT;

  -- The change feed reads removals in the order of seq; old ones are purged in the same order.
  CREATE INDEX tombstone_seq ON tombstone (seq);

  -- SHA-256 and MD5 of live files by their id, and the identity of the file that was hashed: size,
  -- mtime_us and the other attributes. md5 is NULL if the file was hashed before schema 3. A
  -- checksum is valid as long as stale_us is NULL and the record has the same size and mtime_us. If
  -- the file on disk has another inode, or only another ctime_us, its content may differ although
  -- size and mtime are the same. If its ctime_us and also its link count, mode or owner are
  -- different, only attributes have changed. broken is 1 if the content is damaged. stale_us is set
  -- while the checksum may belong to another version than the file on disk: the checksum is not
  -- shown, and the file is hashed again from this time on. It is a time, not a flag, so that a file
  -- that cannot be read is tried again later without delaying the others.
  CREATE TABLE checksum (
    id       INT8 PRIMARY KEY REFERENCES file (id),
    sha256   BYTES    NOT NULL CHECK (length(sha256) = 32),
    size     INT8 NOT NULL,
    mtime_us INT8 NOT NULL,
    broken   INT8 NOT NULL,
    inode    INT8 NOT NULL,
    ctime_us INT8 NOT NULL,
    links    INT8 NOT NULL,
    mode     INT8 NOT NULL,
    uid      INT8 NOT NULL,
    gid      INT8 NOT NULL,
    stale_us INT8,
    md5      BYTES CHECK (length(md5) = 16)
  ) STRICT;

  -- The queue of files to be hashed again, in its order.
  CREATE INDEX checksum_stale ON checksum (stale_us) WHERE stale_us IS NOT NULL;

  -- The progress of hashing, one row. All files that were created or modified up to seq were
  -- examined. seq is NULL before hashing begins; files that exist when it begins count as old.
  -- files is the number of checksums that are not stale, stale that of stale ones, facts that of
  -- files with facts.
  CREATE TABLE hashing (
    one   INT8 PRIMARY KEY CHECK (one = 1),
    seq   INT8,
    files INT8 NOT NULL,
    stale INT8 NOT NULL DEFAULT 0,
    facts INT8 NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO hashing (one, files) VALUES (1, 0);

  ${factTables.join(';\n\n  ')};
`

/** SQL that creates all tables, and the indexes that are always complete. */
export function createTables(words: SchemaWords): string {
  return inWords(tables, words)
}

/** SQL of tables in the words of an engine. */
export function inWords(sql: string, words: SchemaWords): string {
  const known = words.references ? sql : sql.replaceAll(/REFERENCES \w+ \(id\)/g, '')
  return known.replace(/\b(INT8|INT4|TEXT|BYTES|ROWID|STRICT|KEYED)\b/g, (word) => {
    return words[word as Exclude<keyof SchemaWords, 'references'>]
  })
}
