/** The errors of `CatalogueWriter` after which this process does not write. */

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
