/**
 * Opens the database, and recovers a corrupt or missing one: quarantines it, and restores the newest good backup or, without one,
 * creates a new database, which a scan of the tree fills.
 */
import { copyFileSync, constants, renameSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import {
  backupPaths,
  discard,
  headOf,
  madeUs,
  newBackupPath,
  restoringPath,
  syncDirectoryOf,
  syncFile,
} from './backup-files.ts'
import { UnusableDatabase } from '../writer.ts'
import { isCorruption } from './corruption.ts'
import { openForWriting, quarantine } from './open.ts'
import { restoreSequences } from './sequences.ts'
import type { OpeningForWriting } from './open.ts'

/** The steps of recovering the database. */
export interface Recovery {
  /** New path of a corrupt database, if there was one. */
  readonly quarantined: string | undefined
  /** The restored backup, if any: its path and time, and the duration of restoring it. */
  readonly restored:
    { readonly backup: string; readonly madeUs: number; readonly tookMs: number } | undefined
  /** Backups that could not be restored, with the reason. */
  readonly rejectedBackups: readonly { readonly backup: string; readonly fault: string }[]
  /** Whether the database was an older copy: it had lower numbers than were issued. */
  readonly isOlderCopy: boolean
}

/** A backup that is about to be restored; its size in bytes decides how long copying and checking take. */
export interface Restoring {
  readonly backup: string
  readonly bytes: number
}

export interface DatabaseFiles extends OpeningForWriting {
  readonly path: string
  /** The file of the sequences. */
  readonly numbersPath: string
  /** Called before a backup is restored. */
  readonly onRestoring?: ((restoring: Restoring) => void) | undefined
}

/** @throws UnusableDatabase for a database of another program or of a newer version of this one. */
export function openOrRecover(files: DatabaseFiles): { db: Database; recovery: Recovery } {
  const { path } = files
  for (const unfinished of [newBackupPath, restoringPath]) discard(unfinished(path))
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return replace(files, undefined)
  try {
    const { db, advanced } = openAdvanced({ ...files, restored: false, keepBackup: true })
    const nothing = { quarantined: undefined, restored: undefined, rejectedBackups: [] }
    return { db, recovery: { ...nothing, isOlderCopy: advanced } }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return replace(files, quarantine(path))
  }
}

function replace(
  files: DatabaseFiles,
  corrupt: string | undefined,
): { db: Database; recovery: Recovery } {
  const restoring = restore(files)
  // A restored backup has just been checked, and a new database is empty.
  const { db } = openAdvanced({ ...files, checkUpTo: 0, restored: false })
  return { db, recovery: { quarantined: corrupt, ...restoring, isOlderCopy: false } }
}

function openAdvanced(options: DatabaseFiles & { readonly restored: boolean }) {
  const db = openForWriting(options.path, options)
  try {
    return { db, advanced: restoreSequences(db, options.numbersPath, options) }
  } catch (error) {
    db.close()
    throw error
  }
}

function restore(files: DatabaseFiles): Pick<Recovery, 'restored' | 'rejectedBackups'> {
  const rejectedBackups: { backup: string; fault: string }[] = []
  for (const backup of backupPaths(files.path)) {
    const made = madeUs(backup)
    if (made === undefined) continue
    files.onRestoring?.({ backup, bytes: statSync(backup).size })
    const startedMs = performance.now()
    try {
      put(backup, files)
      const tookMs = Math.round(performance.now() - startedMs)
      return { restored: { backup, madeUs: made, tookMs }, rejectedBackups }
    } catch (error) {
      if (!isBad(error)) throw error
      discard(restoringPath(files.path))
      rejectedBackups.push({ backup, fault: error.message })
      // Otherwise it would replace an older good one when the next backup is made.
      if (isCorruption(error)) quarantine(backup)
    }
  }
  return { restored: undefined, rejectedBackups }
}

/** Whether the backup itself is bad; other errors, such as a full disk, must not reject it. */
function isBad(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return (
    isCorruption(error) ||
    error instanceof UnusableDatabase ||
    ['EIO', 'SQLITE_ERROR'].includes(code)
  )
}

/**
 * Replaces the database by a backup. The copy gets its new epoch and numbers before that, so it is complete whenever this process
 * ends.
 */
function put(backup: string, files: DatabaseFiles): void {
  headOf(backup)
  const path = copyOf(backup, restoringPath(files.path))
  const { db } = openAdvanced({ ...files, path, checkUpTo: Infinity, restored: true })
  db.close()
  putInPlace(path, files.path)
}

function putInPlace(source: string, path: string): void {
  syncFile(source)
  // They belong to the earlier database, and SQLite would apply them to the new one.
  for (const side of ['-wal', '-shm']) discard(path + side)
  renameSync(source, path)
  syncDirectoryOf(path)
}

/**
 * Replaces a database by a copy with all changes, after a side file (WAL or shared memory) was removed while it was in use. Readers
 * then open it again.
 */
export function replaceByCopy(db: Database, path: string): void {
  db.pragma('wal_checkpoint(TRUNCATE)')
  copyFileSync(path, restoringPath(path), constants.COPYFILE_FICLONE)
  putInPlace(restoringPath(path), path)
}

/** Copies the backup, so that it still exists if the database is damaged again; without disk space the backup itself is used. */
function copyOf(backup: string, copy: string): string {
  try {
    copyFileSync(backup, copy, constants.COPYFILE_FICLONE)
    return copy
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
    discard(copy)
    return backup
  }
}
