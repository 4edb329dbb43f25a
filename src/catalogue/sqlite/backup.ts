/**
 * Copies the database while the indexer writes it: to a file that somebody chooses
 * (`rinex-catalogue backup`), or beside the database. The indexer runs this file as a child process
 * for its copies, because copying and checking take long.
 */
import { execFile } from 'node:child_process'
import { accessSync, chownSync, constants, lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import type { Clock } from '../../runtime/clock.ts'
import { errorCode } from '../../runtime/error-code.ts'
import { noDebugger } from '../../runtime/program.ts'
import { UnusableDatabase } from '../errors.ts'
import { head } from '../questions/summary.ts'
import { allFiles } from '../tables/count-tables.ts'
import type { BackupOutcome } from '../updates/writer.ts'
import {
  copiesOf,
  discard,
  discardUnfinishedCopies,
  freeBeside,
  headOf,
  madeUs,
  makeFile,
  moveDurably,
  putAside,
  rotateBackups,
  sizeOf,
  syncFileAsync,
  unfinishedCopyPath,
} from './database-files.ts'
import { Driver } from './driver.ts'
import { corruption, faultOf, isCorruption } from './integrity-check.ts'
import { connectForReading } from './open.ts'

/** Number of pages copied in one step; between two steps the copy can be aborted. */
const pagesPerStep = 100
/**
 * Number of steps (40 MB) between two `fdatasync` calls. Without these calls, the last one would
 * have to write the whole copy.
 */
const stepsPerSync = 100

/**
 * Returns a function that makes a backup beside the database, unless the newest backup is recent,
 * no record has changed since, or the disk has too little space.
 * @param parts.signal aborts a backup in progress
 */
export function prepareBackup(parts: {
  readonly db: Database
  readonly path: string
  readonly nowUs: Clock
  readonly signal: AbortSignal
}): (options: { readonly ifOlderThanMs: number }) => Promise<BackupOutcome> {
  const { db, path, signal } = parts
  const driver = new Driver(db)
  const { newestBackup } = copiesOf(path)

  /**
   * True if the newest backup has the same epoch and seq as the database, even if checksums are
   * new; false if it cannot be read.
   */
  const isUnchanged = (): boolean => {
    try {
      const kept = headOf(newestBackup)
      const now = driver.read(head())
      return kept.epoch === now.epoch && kept.seq === now.seq
    } catch (error) {
      // If a corrupt backup stayed here, it would become the older backup and replace a good one.
      if (isCorruption(error)) putAside(newestBackup, 'corrupt')
      return false
    }
  }
  const isNeeded = (ifOlderThanMs: number): boolean => {
    const made = madeUs(newestBackup)
    if (made === undefined) return true
    const ageMs = (parts.nowUs() - made) / 1000
    // If the time of the backup is in the future, its age is unknown.
    return (ageMs < 0 || ageMs >= ifOlderThanMs) && !isUnchanged()
  }
  return async ({ ifOlderThanMs }) => {
    if (!isNeeded(ifOlderThanMs)) return { outcome: 'unneeded' }
    const [bytes, free] = [sizeOf(db), freeBeside(path)]
    if (free < 2 * bytes) return { outcome: 'no-space', bytes, free }
    await makeBackup(path, signal)
    return { outcome: 'kept', path: newestBackup, bytes }
  }
}

/**
 * Copies and checks a database in a child process, and makes the copy its newest backup.
 * @throws an error of corruption for a damaged database
 */
export async function makeBackup(database: string, signal: AbortSignal): Promise<void> {
  const { newBackup: copy } = copiesOf(database)
  const args = [...process.execArgv, noDebugger, import.meta.filename, database, copy]
  const limits = { signal, killSignal: 'SIGKILL' } as const
  try {
    const { stdout: fault } = await promisify(execFile)(process.execPath, args, limits)
    if (fault !== '') throw corruption(fault)
    rotateBackups(database)
  } catch (error) {
    discardUnfinishedCopies(copy)
    const { stderr = '' } = error as { readonly stderr?: string }
    throw stderr === '' ? error : new Error(`the copy failed: ${stderr}`, { cause: error })
  }
}

interface Copying {
  readonly database: string
  readonly file: string
  /** Called before the copy is made, and before it replaces the file. */
  readonly refuse?: () => void
  /** Called with the number of copied pages and the number of all pages. */
  readonly onProgress?: (copied: number, total: number) => void
  readonly signal?: AbortSignal
}

type CopyOptions = Omit<Copying, 'refuse'> & {
  /** True to replace an existing file. */
  readonly force: boolean
}

/**
 * Copies the database to a file that somebody chose.
 * @throws UnusableDatabase for a file that must not be replaced, too little space, or a damaged
 * database; the errors of `connectForReading`
 */
export async function copyDatabase(
  options: CopyOptions,
): Promise<{ readonly records: number; readonly bytes: number }> {
  const { database } = options
  const refuse = (): void => {
    refuseTarget(options)
  }
  try {
    return await copy({ ...options, refuse })
  } catch (error) {
    if (!isCorruption(error)) throw error
    throw new UnusableDatabase(
      `${database} is damaged (${error.message}): the indexer replaces a damaged database by a backup when it finds the damage`,
      { cause: error },
    )
  }
}

function refuseTarget({ database, file, force }: CopyOptions): void {
  const folder = dirname(file)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { message } = error as Error
    throw new UnusableDatabase(`${file} cannot be made: ${message}`, { cause: error })
  }
  const real = join(realpathSync(folder), basename(file))
  if (real === database || real.startsWith(`${database}-`))
    throw new UnusableDatabase(`${file} is a file of the database: choose another name`)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats !== undefined && !stats.isFile())
    throw new UnusableDatabase(`${file} is not a regular file: choose another name`)
  if (stats !== undefined && !force)
    throw new UnusableDatabase(`${file} exists: choose another name, or replace it with --force`)
}

/**
 * Copies a database to a file, which gets its name only after the copy was checked. The copy shows
 * one state of the catalogue, because one read transaction lasts until it is complete.
 * @throws an error of corruption for a damaged database
 */
async function copy(options: Copying): ReturnType<typeof copyDatabase> {
  const { database, file, refuse, signal } = options
  refuse?.()
  discardUnfinishedCopies(file)
  const unfinished = unfinishedCopyPath(file)
  const db = connectForReading(database)
  try {
    db.exec('BEGIN')
    const count = db.prepare(`SELECT ${allFiles}`).pluck()
    const [records, bytes, free] = [count.get() as number, sizeOf(db), freeBeside(file)]
    const noSpace = `no space for a copy of ${database}: needs ${bytes} bytes, its disk has ${free}`
    if (free < bytes) throw new UnusableDatabase(noSpace)
    await copyPages(db, unfinished, options).catch((error: unknown) => {
      const isFull = (error as { code?: string }).code === 'SQLITE_FULL'
      throw isFull ? new UnusableDatabase(noSpace, { cause: error }) : error
    })
    const fault = faultOfCopy(unfinished)
    if (fault !== undefined)
      throw faultOf(db) === undefined
        ? new Error(`the copy is damaged: ${fault}`)
        : corruption(fault)
    signal?.throwIfAborted()
    refuse?.()
    giveGroup(unfinished, database)
    moveDurably(unfinished, file)
    return { records, bytes }
  } finally {
    db.close()
    discard(unfinished)
  }
}

/**
 * Gives a copy the group of the database, so that the user of the indexer can restore what an
 * administrator has copied. The copy keeps its group if this user is no member of the other one.
 */
function giveGroup(copy: string, database: string): void {
  try {
    chownSync(copy, -1, statSync(database).gid)
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error
  }
}

/** Checks a copy that no process has open, and ends its WAL mode, so that it is a single file. */
function faultOfCopy(path: string): string | undefined {
  const db = new Sqlite(path)
  try {
    const fault = faultOf(db)
    if (fault === undefined) db.pragma('journal_mode = DELETE')
    return fault
  } finally {
    db.close()
  }
}

async function copyPages(db: Database, to: string, { signal, onProgress }: Copying): Promise<void> {
  let steps = 0
  let syncing = Promise.resolve()
  makeFile(to)
  await db.backup(to, {
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted()
      onProgress?.(totalPages - remainingPages, totalPages)
      if (++steps % stepsPerSync === 0)
        // Errors are ignored here, because the sync of the finished copy reports them.
        syncing = syncing.then(() => syncFileAsync(to)).catch(() => undefined)
      return pagesPerStep
    },
  })
  await syncing
}

/**
 * The child process. Its arguments are the database and the file; it prints the fault of a damaged
 * database.
 */
if (process.argv[1] === import.meta.filename) {
  const [, , database = '', file = ''] = process.argv
  copy({ database, file }).catch((error: unknown) => {
    const { message } = error as Error
    if (isCorruption(error)) {
      process.stdout.write(message)
      return
    }
    process.stderr.write(message)
    process.exitCode = 1
  })
}
