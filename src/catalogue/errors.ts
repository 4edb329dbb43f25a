/**
 * The errors of the catalogue that callers tell from others: of a reader, whose cause may end by
 * itself, and of a writer, after which this process does not write.
 */

/** The catalogue is temporarily unavailable. The message is for the log, not for clients. */
export class CatalogueUnavailable extends Error {
  readonly code = 'CATALOGUE_UNAVAILABLE'
}

/**
 * An index or table of counts that the query needs does not exist yet: during a first scan, and
 * until it is built after the scan. All other queries work meanwhile.
 */
export class NotBuilt extends Error {
  readonly code = 'NOT_BUILT'
}

/** A query exceeded its time limit; other queries work. */
export class QueryTimeout extends Error {
  readonly code = 'QUERY_TIMEOUT'
}

/** The queue of long queries is full. */
export class TooManyQueries extends Error {
  readonly code = 'TOO_MANY_QUERIES'
}

/**
 * True for errors whose cause may end by itself. After these errors, pages and metrics leave out
 * the values that could not be read.
 */
export function isTemporary(error: unknown): boolean {
  const classes = [CatalogueUnavailable, NotBuilt, QueryTimeout, TooManyQueries]
  return classes.some((each) => error instanceof each)
}

/** Another process is the writer of this database. */
export class AlreadyRunning extends Error {
  readonly code = 'ALREADY_RUNNING'
}

/**
 * The database is corrupt, or the database or one of its side files was removed or replaced. The
 * process must end; the next one opens the database that it finds, restores a backup or creates a
 * new database.
 */
export class CatalogueCorrupt extends Error {
  readonly code = 'CATALOGUE_CORRUPT'
}

/**
 * This program must not or cannot use the database file; the message names the file, and the remedy
 * if there is one.
 */
export class UnusableDatabase extends Error {
  readonly code = 'UNUSABLE_DATABASE'
}
