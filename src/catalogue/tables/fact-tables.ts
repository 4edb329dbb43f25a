/**
 * The tables of what is inside the files, in the words of `tables`: part of a new database, and of
 * the migration to schema 3. A later change of them is a migration of its own, which leaves to this
 * one what it says now.
 */
export const factTables: readonly string[] = [
  `-- Where data come from, distinct rows: json is an Equipment (see rinex/facts.ts) with its
  -- position on a grid of 10 m, hash that of json. The other columns are parts of it for filters,
  -- NULL if the header does not say: latitude and longitude in 1e-7 degrees. Rows are only ever
  -- added.
  CREATE TABLE equipment (
    id        INT8 PRIMARY KEY,
    hash      TEXT NOT NULL UNIQUE,
    json      TEXT NOT NULL,
    receiver  TEXT,
    firmware  TEXT,
    antenna   TEXT,
    radome    TEXT,
    latitude  INT4,
    longitude INT4
  ) STRICT`,
  `-- What is observed, distinct rows: json is an Observables. Rows are only ever added.
  CREATE TABLE observables (
    id            INT8 PRIMARY KEY,
    hash          TEXT NOT NULL UNIQUE,
    json          TEXT NOT NULL,
    rinex_version TEXT
  ) STRICT`,
  `-- The facts of live files by their id: there if and only if the file was read for them and its
  -- checksum is valid. equipment and observables are NULL if the file says nothing of that.
  -- first_us and last_us are the times of the first and last epoch in the time system of the file,
  -- as if it were UTC; epochs and expected are numbers of epochs. All are NULL if unknown, or not
  -- counted. share_ppm is the quotient of these numbers in millionths, NULL if it is 1 or more, as
  -- that of most files. flags has a bit for each flag, the lowest for the first of flagNames; says
  -- are their sentences in this order as a JSON array, NULL without flags. run_s is the date in the
  -- header in seconds since 1970 if it is written as 20240101 190120 UTC, run_date any other date
  -- as it is written.
  CREATE TABLE fact (
    id          INT8 PRIMARY KEY REFERENCES checksum (id),
    equipment   INT4 REFERENCES equipment (id),
    observables INT4 REFERENCES observables (id),
    first_us    INT8,
    last_us     INT8,
    epochs      INT8,
    expected    INT8,
    share_ppm   INT4,
    flags       INT4 NOT NULL,
    says        TEXT,
    run_s       INT8,
    run_date    TEXT
  ) STRICT`,
  `-- For the flags that make files damaged.
  CREATE INDEX fact_flagged ON fact (id) WHERE flags <> 0`,
  `-- Exact numbers of the rows of fact, in which 0 stands for no equipment or observables: filters
  -- on facts are counted here, and find their files by the index of the same columns. No file of a
  -- row has a higher id than last_id.
  CREATE TABLE fact_count (
    equipment   INT8 NOT NULL,
    observables INT8 NOT NULL,
    flags       INT8 NOT NULL,
    files       INT8 NOT NULL,
    last_id     INT8 NOT NULL,
    PRIMARY KEY (equipment, observables, flags)
  ) KEYED`,
  'CREATE INDEX fact_counted ON fact ((coalesce(equipment, 0)), (coalesce(observables, 0)), flags)',
  `-- Exact numbers of the files that lack epochs, with the share that they have in whole percents,
  -- rounded down, and their flags.
  CREATE TABLE share_count (
    share INT8 NOT NULL,
    flags INT8 NOT NULL,
    files INT8 NOT NULL,
    PRIMARY KEY (share, flags)
  ) KEYED`,
  `-- For filters on the share of epochs, also with flags, and reads in the order of share and id.
  CREATE INDEX fact_share ON fact (share_ppm, id, flags) WHERE share_ppm IS NOT NULL`,
]
