/**
 * Checks that the database can be used. The errors name the file and the remedy, because SQLite's
 * own errors name no file, and SQLite may create other files beside the database before it fails.
 */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../../runtime/error-code.ts'
import { UnusableDatabase } from '../errors.ts'

const { R_OK, W_OK, X_OK } = constants

/** Error codes for a full disk or an exceeded quota. */
const diskFullCodes = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])

/**
 * Creates the folder of a database if it is missing; checks the permissions of the folder and of an
 * existing database.
 * @throws UnusableDatabase
 */
export function prepareDatabaseFolder(database: string): void {
  const folder = dirname(database)
  attempt(`${folder} cannot be created or entered`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o750 })
  })
  attempt(`${folder} is not writable by this user`, () => {
    accessSync(folder, R_OK | W_OK | X_OK)
  })
  attempt(`${database} is not readable and writable by this user`, () => {
    const stats = statSync(database, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (!stats.isFile())
      throw new UnusableDatabase(
        `${database} is not a regular file: move it away, or configure another database`,
      )
    accessSync(database, R_OK | W_OK)
  })
}

function attempt(problem: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const code = errorCode(error)
    if (code === '' || error instanceof UnusableDatabase) throw error
    throw new UnusableDatabase(`${problem} (${code}): ${remedyOf(code)}`, { cause: error })
  }
}

function remedyOf(code: string): string {
  if (diskFullCodes.has(code)) return 'free some space on its disk'
  const remedy =
    code === 'EROFS'
      ? 'its disk is mounted read-only, mount it for writing'
      : 'correct its owner and permissions'
  return `${remedy}, or configure another database`
}

/**
 * Wraps an error of SQLite or the system from opening `path` in an `UnusableDatabase` that names
 * the path; returns other errors as they are.
 */
export function unusable(path: string, error: unknown): unknown {
  const code = errorCode(error)
  if (!/^(SQLITE_|E[A-Z0-9]+$)/.test(code)) return error
  const problem = diskFullCodes.has(code)
    ? `no disk space to open ${path} (${code}): free some space on its disk`
    : `${path} cannot be opened: ${(error as Error).message} (${code}): check the file and its disk, or configure another database`
  return new UnusableDatabase(problem, { cause: error })
}
