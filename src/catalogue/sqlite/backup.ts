/** Copies the database while the indexer writes it: for backups beside the database, and for copies to another place. */
import { accessSync, constants, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { BackupOutcome } from '../writer.ts'
import { UnusableDatabase } from '../writer.ts'
import {
  backupPaths,
  discard,
  discardUnfinishedCopies,
  freeBeside,
  headOf,
  madeUs,
  makeFile,
  moveDurably,
  newBackupPath,
  quarantine,
  rotateBackups,
  sizeOf,
  syncFileAsync,
  unfinishedCopyPath,
} from './database-files.ts'
import { checkFile, corruption, isCorruption } from './integrity-check.ts'
import { openForReading } from './open.ts'
import { prepareHead } from './head.ts'

/** Number of pages copied in one step. A step takes a few milliseconds at most, so that the event loop is not blocked. */
const pagesPerStep = 100
/**
 * Number of steps (40 MB) between two `fdatasync` calls. Without these calls, the last one would have to write the whole copy.
 */
const stepsPerSync = 100

/**
 * Returns a function that makes a backup beside the database, unless the newest backup is recent, no record has changed since, or
 * the disk has too little space.
 * @param parts.checkUpTo a database up to this size (bytes) is checked in this process, a larger one in a child process
 * @param parts.signal aborts a backup in progress
 */
export function prepareBackup(parts: {
  readonly db: Database
  readonly path: string
  readonly nowUs: () => number
  readonly checkUpTo: number
  readonly signal: AbortSignal
}): (options: { readonly ifOlderThanMs: number }) => Promise<BackupOutcome> {
  const { db, path, checkUpTo: inProcessUpTo, signal } = parts
  const head = prepareHead(db)
  const [newest] = backupPaths(path)
  const copy = newBackupPath(path)

  /**
   * True if the newest backup has the same epoch and seq as the database, even if checksums are new; false if it cannot be read.
   */
  const isUnchanged = (): boolean => {
    try {
      const kept = headOf(newest)
      const now = head()
      return kept.epoch === now.epoch && kept.seq === now.seq
    } catch (error) {
      // If a corrupt backup stayed here, it would become the older backup and replace a good one.
      if (isCorruption(error)) quarantine(newest)
      return false
    }
  }
  const isNeeded = (ifOlderThanMs: number): boolean => {
    const made = madeUs(newest)
    if (made === undefined) return true
    const ageMs = (parts.nowUs() - made) / 1000
    // If the time of the backup is in the future, its age is unknown.
    return (ageMs < 0 || ageMs >= ifOlderThanMs) && !isUnchanged()
  }
  const makeCopy = async (): Promise<void> => {
    discard(copy)
    // The writer's own changes go into the copy too, and no read transaction lasts longer than a step, so the WAL is reset as
    // usual.
    await copyPages(db, copy, { signal })
    const fault = await checkFile(copy, { mode: 'closed', inProcessUpTo, signal })
    if (fault === undefined) return
    const origin = await checkFile(path, { mode: 'in-use', inProcessUpTo, signal })
    throw origin === undefined ? new Error(`the copy is damaged: ${fault}`) : corruption(origin)
  }
  return async ({ ifOlderThanMs }) => {
    if (!isNeeded(ifOlderThanMs)) return { outcome: 'unneeded' }
    const [bytes, free] = [sizeOf(db), freeBeside(path)]
    if (free < 2 * bytes) return { outcome: 'no-space', bytes, free }
    try {
      await makeCopy()
      await syncFileAsync(copy)
      rotateBackups(path)
      return { outcome: 'kept', path: newest, bytes }
    } catch (error) {
      discard(copy)
      throw error
    }
  }
}

export interface CopyOptions {
  readonly database: string
  readonly file: string
  /** True to replace an existing file. */
  readonly force: boolean
  /** Called with the number of copied pages and the number of all pages. */
  readonly onProgress: (copied: number, total: number) => void
  readonly signal: AbortSignal
}

/**
 * Copies the database to a file while an indexer may write the database. The copy shows one state of the catalogue, because one
 * read transaction lasts until it is complete. The file gets its name only after the copy was checked.
 * @throws UnusableDatabase for a file that must not be replaced, too little space, or a damaged database; the errors of
 * `openForReading`
 */
export async function copyDatabase(
  options: CopyOptions,
): Promise<{ readonly records: number; readonly bytes: number }> {
  const { database, file, signal } = options
  refuseTarget(options)
  discardUnfinishedCopies(file)
  const copy = unfinishedCopyPath(file)
  try {
    const copied = await copyInOneTransaction(database, copy, options)
    const fault = await checkFile(copy, { mode: 'closed', inProcessUpTo: 0, signal })
    if (fault !== undefined)
      throw new UnusableDatabase(
        `${database} is damaged (${fault}): the indexer replaces a damaged database by a backup at its next start`,
      )
    refuseTarget(options)
    moveDurably(copy, file)
    return copied
  } finally {
    discard(copy)
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

async function copyInOneTransaction(database: string, copy: string, progress: CopyProgress) {
  const db = openForReading(database)
  try {
    db.exec('BEGIN')
    const count = db.prepare('SELECT coalesce(sum(files), 0) FROM area').pluck()
    const [records, bytes, free] = [count.get() as number, sizeOf(db), freeBeside(copy)]
    const noSpace = `no space for a copy of ${database}: needs ${bytes} bytes, its disk has ${free}`
    if (free < bytes) throw new UnusableDatabase(noSpace)
    await copyPages(db, copy, progress).catch((error: unknown) => {
      const isFull = (error as { code?: string }).code === 'SQLITE_FULL'
      throw isFull ? new UnusableDatabase(noSpace, { cause: error }) : error
    })
    return { records, bytes }
  } finally {
    db.close()
  }
}

interface CopyProgress {
  readonly signal: AbortSignal
  readonly onProgress?: (copied: number, total: number) => void
}

async function copyPages(
  db: Database,
  to: string,
  { signal, onProgress }: CopyProgress,
): Promise<void> {
  let steps = 0
  let syncing = Promise.resolve()
  makeFile(to)
  await db.backup(to, {
    progress({ totalPages, remainingPages }) {
      signal.throwIfAborted()
      onProgress?.(totalPages - remainingPages, totalPages)
      if (++steps % stepsPerSync === 0)
        // Errors are ignored here, because the sync of the finished copy reports them.
        syncing = syncing.then(() => syncFileAsync(to)).catch(() => undefined)
      return pagesPerStep
    },
  })
  await syncing
}
