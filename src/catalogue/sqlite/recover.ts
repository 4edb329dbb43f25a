/**
 * Opens the database. Replaces it by a backup if it is corrupt or missing, or if an administrator
 * restores one. Without a good backup it creates a new database, which a scan of the tree fills.
 *
 * A replacement is prepared beside the database (`-restoring`), and renamed when it is complete
 * (`-restored`); then the former database is put aside. So if this process is killed, the next
 * start uses the former database or the new one.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import { UnusableDatabase } from '../errors.ts'
import { isKnownSchema } from '../tables/migrations.ts'
import {
  copiesOf,
  discard,
  discardUnfinishedCopies,
  freeBeside,
  madeUs,
  moveDurably,
  putAside,
} from './database-files.ts'
import { isCorruption } from './integrity-check.ts'
import { noteNumbers, restoreNumbers } from './numbers-file.ts'
import { connectForWriting, openForWriting, prepared, refuseSchema } from './open.ts'
import { applicationId, versionOf } from './schema.ts'

/** The steps that were taken to recover the database. */
export interface Recovery {
  /** New path of a corrupt or replaced database, if there was one. */
  readonly quarantined: string | undefined
  /** The restored backup, if any: its path and time, and the duration of restoring it. */
  readonly restored:
    { readonly backup: string; readonly madeUs: number; readonly tookMs: number } | undefined
  /** Backups that could not be restored, with the reason. */
  readonly rejectedBackups: readonly { readonly backup: string; readonly fault: string }[]
  /**
   * True if the database was an older copy: its numbers (ids and seqs) were lower than the issued
   * ones.
   */
  readonly isOlderCopy: boolean
}

/**
 * A backup that is about to be restored; its size in bytes decides how long copying and checking
 * take.
 */
export interface Restoring {
  readonly backup: string
  readonly bytes: number
}

interface DatabaseFiles {
  readonly path: string
  /** The numbers file (see `NumbersFile`). */
  readonly numbersPath: string
  /** A backup that replaces the database, whatever its state. */
  readonly restoreFrom?: string | undefined
  /** Called before a backup is restored. */
  readonly onRestoring?: ((restoring: Restoring) => void) | undefined
}

/**
 * @throws AlreadyRunning and UnusableDatabase as `openForWriting`; UnusableDatabase also for an
 * unusable `restoreFrom`
 */
export function openOrRecover(files: DatabaseFiles): { db: Database; recovery: Recovery } {
  const { path, restoreFrom } = files
  const { newBackup, restoring, restored } = copiesOf(path)
  if (existsSync(restored) && !isFilled(path)) putInPlace(restored, path)
  for (const unfinished of [newBackup, restoring, restored]) discard(unfinished)
  discardUnfinishedCopies(newBackup)
  if (restoreFrom !== undefined) return opened(files, restoreFile(restoreFrom, files))
  if (!isFilled(path)) {
    discardSideFiles(path)
    return opened(files, restoreNewest(files))
  }
  try {
    return opened(files)
  } catch (error) {
    if (!isCorruption(error)) throw error
    const quarantined = putAside(path, 'corrupt')
    return opened(files, { ...restoreNewest(files), quarantined })
  }
}

/** Opens the database, after its replacement if there was one. */
function opened(files: DatabaseFiles, replaced: Partial<Recovery> = {}) {
  const { quarantined, restored, rejectedBackups = [] } = replaced
  let isOlderCopy = false
  const db = prepared(openForWriting(files.path), (db) => {
    isOlderCopy = restoreNumbers(db, files.numbersPath, { restored: false })
  })
  return { db, recovery: { quarantined, restored, rejectedBackups, isOlderCopy } }
}

/** Restores the newest good backup beside the database, if there is one. */
function restoreNewest(files: DatabaseFiles): Partial<Recovery> {
  const rejectedBackups: { backup: string; fault: string }[] = []
  const { newestBackup, olderBackup } = copiesOf(files.path)
  for (const backup of [newestBackup, olderBackup].filter((path) => existsSync(path)))
    try {
      return { ...restore(backup, files), rejectedBackups }
    } catch (error) {
      if (!isBad(error)) throw error
      rejectedBackups.push({ backup, fault: error.message })
      // If the corrupt backup stayed here, it would replace an older good one when the next backup
      // is made.
      if (isCorruption(error)) putAside(backup, 'corrupt')
    }
  return { rejectedBackups }
}

/** True if the backup itself is bad; other errors, such as a full disk, must not reject it. */
function isBad(error: unknown): error is Error {
  const code = errorCode(error)
  return (
    isCorruption(error) ||
    error instanceof UnusableDatabase ||
    ['EIO', 'SQLITE_ERROR'].includes(code)
  )
}

/**
 * Replaces the database by a copy of a backup. The copy is first checked and migrated, and its
 * numbers are advanced above all that are known to be in use. An existing database is
 * kept under another name.
 */
function restore(backup: string, files: DatabaseFiles): Partial<Recovery> {
  const { path, numbersPath } = files
  const { restoring: copy, restored } = copiesOf(path)
  const [bytes, made] = [statSync(backup).size, madeUs(backup) ?? 0]
  files.onRestoring?.({ backup, bytes })
  const startedMs = performance.now()
  try {
    refuseHeader(backup)
    copyFileSync(backup, copy, constants.COPYFILE_FICLONE)
    chmodSync(copy, 0o640)
    const db = openForWriting(copy, { check: true })
    try {
      if (isFilled(path)) finish(files)
      restoreNumbers(db, numbersPath, { restored: true })
    } finally {
      db.close()
    }
    // From here on, the next start completes the restore if this process is killed.
    moveDurably(copy, restored)
    const quarantined = isFilled(path) ? putAside(path, 'replaced') : undefined
    putInPlace(restored, path)
    const tookMs = Math.round(performance.now() - startedMs)
    return { quarantined, restored: { backup, madeUs: made, tookMs } }
  } finally {
    discard(copy)
  }
}

/**
 * Restores a file that an administrator chose.
 * @throws UnusableDatabase with the reason if the file cannot replace the database
 */
function restoreFile(file: string, files: DatabaseFiles): Partial<Recovery> {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new UnusableDatabase(`${file} cannot be restored: ${reason}`, { cause })
  }
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    const { message } = error as Error
    const remedy = ': give the file and its directory the group of the database'
    refuse(errorCode(error) === 'EACCES' ? message + remedy : message, error)
  }
  const [stats, present] = [statSync(file), statSync(files.path, { throwIfNoEntry: false })]
  if (stats.ino === present?.ino && stats.dev === present.dev) refuse('it is the database itself')
  if (isFilled(`${file}-wal`))
    refuse(`${file}-wal has changes that it lacks; make copies with "rinex-catalogue backup"`)
  const free = freeBeside(files.path)
  if (free < stats.size)
    refuse(`it needs ${stats.size} bytes, the disk of ${files.path} has ${free}: free some space`)
  try {
    return restore(file, files)
  } catch (error) {
    if (isCorruption(error)) refuse(error.message, error)
    throw error
  }
}

/**
 * Refuses a file that is no catalogue of a known schema. Reads only the header of the file, because
 * SQLite might create other files beside it.
 * @throws UnusableDatabase, or an error of corruption for a file that is no catalogue
 */
function refuseHeader(path: string): void {
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  readSync(file, header)
  closeSync(file)
  const isDatabase = header.toString('latin1', 0, 16) === 'SQLite format 3\0'
  if (!isDatabase || header.readUInt32BE(68) !== applicationId)
    throw new Sqlite.SqliteError('it holds no catalogue', 'SQLITE_NOTADB')
  refuseSchema(header.readUInt32BE(60), path)
}

/**
 * Prepares a database for its replacement: writes the changes in its WAL to the database file and,
 * if its schema is known, its numbers to the numbers file. A corrupt database is left as
 * it is.
 */
function finish({ path, numbersPath }: DatabaseFiles): void {
  try {
    const db = connectForWriting(path, { anySchema: true })
    try {
      if (isKnownSchema(versionOf(db))) noteNumbers(db, numbersPath)
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error)) throw error
  }
}

function putInPlace(source: string, path: string): void {
  discardSideFiles(path)
  moveDurably(source, path)
}

/**
 * Removes the WAL and the shared memory of an earlier database, because SQLite would apply them to
 * the new one.
 */
function discardSideFiles(path: string): void {
  for (const side of ['-wal', '-shm']) discard(path + side)
}

/**
 * Replaces a database by a copy that has all its changes, after a side file (WAL or shared memory)
 * was removed while it was in use. Readers detect the new file and open it.
 */
export function replaceByCopy(db: Database, path: string): void {
  db.pragma('wal_checkpoint(TRUNCATE)')
  const { restoring } = copiesOf(path)
  copyFileSync(path, restoring, constants.COPYFILE_FICLONE)
  putInPlace(restoring, path)
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}
