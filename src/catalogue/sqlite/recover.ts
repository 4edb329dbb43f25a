/**
 * Opening the database whatever happened to it: one that is ruined is set aside, and in its place comes the newest
 * good backup or, without one, a new database that the tree can fill. One that is missing counts as ruined.
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

/** What had to be done before there was a database to work with. */
export interface Recovery {
  /** Where a ruined database was set aside to, if one was. */
  readonly setAside: string | undefined
  /** The backup that took its place, if one did, when that was made, and what putting it there took. */
  readonly restored:
    { readonly backup: string; readonly madeUs: number; readonly tookMs: number } | undefined
  /** Backups that were not good enough, and why. */
  readonly passedOver: readonly { readonly backup: string; readonly fault: string }[]
  /** Whether the database is older than the numbers that were given: a copy that was put back. */
  readonly putBack: boolean
}

/** A backup that is about to be put in place, which takes as long as copying and checking so many bytes. */
export interface Restoring {
  readonly backup: string
  readonly bytes: number
}

export interface DatabaseFiles extends OpeningForWriting {
  readonly path: string
  /** The memory of numbers. */
  readonly numbersPath: string
  /** Told before a backup is put in place. */
  readonly onRestoring?: ((restoring: Restoring) => void) | undefined
}

/** @throws UnusableDatabase for a database of another program or of a newer version of this one. */
export function openOrRecover(files: DatabaseFiles): { db: Database; recovery: Recovery } {
  const { path } = files
  for (const unfinished of [newBackupPath, restoringPath]) discard(unfinished(path))
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return replace(files, undefined)
  try {
    const { db, lifted } = openAdopted({ ...files, restored: false, keepBackup: true })
    const nothing = { setAside: undefined, restored: undefined, passedOver: [] }
    return { db, recovery: { ...nothing, putBack: lifted } }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return replace(files, quarantine(path))
  }
}

function replace(
  files: DatabaseFiles,
  aside: string | undefined,
): { db: Database; recovery: Recovery } {
  const restoring = restore(files)
  // What was put in place has just been checked, and a new database is empty.
  const { db } = openAdopted({ ...files, checkUpTo: 0, restored: false })
  return { db, recovery: { setAside: aside, ...restoring, putBack: false } }
}

function openAdopted(options: DatabaseFiles & { readonly restored: boolean }) {
  const db = openForWriting(options.path, options)
  try {
    return { db, lifted: restoreSequences(db, options.numbersPath, options) }
  } catch (error) {
    db.close()
    throw error
  }
}

function restore(files: DatabaseFiles): Pick<Recovery, 'restored' | 'passedOver'> {
  const passedOver: { backup: string; fault: string }[] = []
  for (const backup of backupPaths(files.path)) {
    const made = madeUs(backup)
    if (made === undefined) continue
    files.onRestoring?.({ backup, bytes: statSync(backup).size })
    const startedMs = performance.now()
    try {
      put(backup, files)
      const tookMs = Math.round(performance.now() - startedMs)
      return { restored: { backup, madeUs: made, tookMs }, passedOver }
    } catch (error) {
      if (!isBad(error)) throw error
      discard(restoringPath(files.path))
      passedOver.push({ backup, fault: error.message })
      // The next backup would take it for one that is worth more than an older one.
      if (isCorruption(error)) quarantine(backup)
    }
  }
  return { restored: undefined, passedOver }
}

/** Whether it is the backup that is to blame; where there is no room, say, none must be passed over. */
function isBad(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return (
    isCorruption(error) ||
    error instanceof UnusableDatabase ||
    ['EIO', 'SQLITE_ERROR'].includes(code)
  )
}

/**
 * Puts a backup in the place of the database. All that makes it another database than the one that was lost is
 * done before that, so that it is the one or the other whenever this process ends.
 */
function put(backup: string, files: DatabaseFiles): void {
  headOf(backup)
  const path = copyOf(backup, restoringPath(files.path))
  const { db } = openAdopted({ ...files, path, checkUpTo: Infinity, restored: true })
  db.close()
  putInPlace(path, files.path)
}

function putInPlace(source: string, path: string): void {
  syncFile(source)
  // They are of the one that was here before, and SQLite would take them for its own.
  for (const side of ['-wal', '-shm']) discard(path + side)
  renameSync(source, path)
  syncDirectoryOf(path)
}

/**
 * Puts a copy in the place of a database of which a side file was taken away while it was in use, with all that only
 * this process still knows. Who reads it opens it anew then.
 */
export function replaceByCopy(db: Database, path: string): void {
  db.pragma('wal_checkpoint(TRUNCATE)')
  copyFileSync(path, restoringPath(path), constants.COPYFILE_FICLONE)
  putInPlace(restoringPath(path), path)
}

/** A copy, so that there is still a backup if it goes on like that; without room for one, the backup itself. */
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
