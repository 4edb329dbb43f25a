/** The copies of a database that lie beside it, and what is needed to put files in place safely. */
import {
  closeSync,
  fchmodSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Head } from '../records.ts'
import { applicationId } from './schema.ts'
import { prepareHead } from './summary.ts'

/** Newest first. */
export function backupPaths(database: string): [newest: string, older: string] {
  return [`${database}-backup-1`, `${database}-backup-2`]
}

/** A backup until it has proved good. */
export function newBackupPath(database: string): string {
  return `${database}-backup-new`
}

/** A backup on its way back. */
export function restoringPath(database: string): string {
  return `${database}-restoring`
}

/**
 * Makes an empty file, if there is none, that its owner may write and its group may read, whatever the umask: a database names
 * every file of the archive. What SQLite writes beside it gets the same rights.
 */
export function makeFile(path: string): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o640)
  } catch {
    // It is there; or it cannot be made, which SQLite then tells in its own words.
    return
  }
  fchmodSync(file, 0o640)
  closeSync(file)
}

/** Removes a database that nobody has open, with whatever SQLite may have left beside it. */
export function discard(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/**
 * The head of the catalogue in a file that nobody writes.
 * @throws an error of ruin when there is none in it.
 */
export function headOf(path: string): Head {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    if (db.pragma('application_id', { simple: true }) !== applicationId)
      throw new Sqlite.SqliteError(`${path} holds no catalogue`, 'SQLITE_NOTADB')
    return prepareHead(db)()
  } finally {
    db.close()
  }
}

/** When a backup was made; `undefined` when there is none. */
export function madeUs(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && Math.round(stats.mtimeMs * 1000)
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The same without holding anybody up. */
export async function syncFileAside(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Makes sure that a renamed file is found under its new name whatever happens. */
export function syncDirectoryOf(path: string): void {
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
