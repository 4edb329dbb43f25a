/** Paths of backups, and functions to create, sync and remove database files safely. */
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

/** Path of a backup until it is checked. */
export function newBackupPath(database: string): string {
  return `${database}-backup-new`
}

/** Path of the copy of a backup while it is restored. */
export function restoringPath(database: string): string {
  return `${database}-restoring`
}

/**
 * Creates an empty file with mode 0640 regardless of the umask, unless the file exists: a database names every file of the
 * archive. SQLite gives its side files the same mode.
 */
export function makeFile(path: string): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o640)
  } catch {
    // It exists, or it cannot be created: then SQLite throws when it opens the file.
    return
  }
  fchmodSync(file, 0o640)
  closeSync(file)
}

/** Removes a database and its side files. No connection to it may be open. */
export function discard(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/**
 * The head of the catalogue in a file that no process writes.
 * @throws an error for which `isCorruption` is true, if the file holds no catalogue
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

/** The time when a backup was made; `undefined` if it does not exist. */
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

/** Like `syncFile`, without blocking the event loop. */
export async function syncFileAsync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Makes the rename of a file durable. */
export function syncDirectoryOf(path: string): void {
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
