/**
 * Names the files beside the database, and creates, replaces, syncs and removes database files
 * safely.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { open, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import type { StorageFigures } from '../questions/reader.ts'
import { head } from '../questions/summary.ts'
import type { Head } from '../records.ts'
import { Driver } from './driver.ts'
import { applicationId } from './schema.ts'

/** The paths of the copies beside a database. */
export function copiesOf(database: string) {
  return {
    newestBackup: `${database}-backup-1`,
    olderBackup: `${database}-backup-2`,
    /** A backup until it is complete and checked. */
    newBackup: `${database}-backup-new`,
    /** A copy that will replace the database, until it is complete. */
    restoring: `${database}-restoring`,
    /** A complete copy that replaces the database as soon as the former one is put aside. */
    restored: `${database}-restored`,
  }
}

/** Path of a copy that this process makes, until it is complete and gets its name. */
export function unfinishedCopyPath(file: string): string {
  return `${file}.${process.pid}.new`
}

/**
 * Removes the unfinished copies of a file that processes left which have ended, for example because
 * they were killed. The copy of a process id that is in use again stays until that process ends.
 */
export function discardUnfinishedCopies(file: string): void {
  const folder = dirname(file)
  const prefix = `${basename(file)}.`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const [, copy, pid] =
      /^((\d+)\.new)(?:-journal|-wal|-shm)?$/.exec(name.slice(prefix.length)) ?? []
    if (copy !== undefined && !isRunning(Number(pid))) discard(join(folder, prefix + copy))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Any other error means that the process exists, for example as one of another user.
    return errorCode(error) !== 'ESRCH'
  }
}

/**
 * Creates an empty file, unless the file exists. Its mode is 0640 regardless of the umask, because
 * a database names every file of the archive. SQLite gives its side files the same mode.
 */
export function makeFile(path: string): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o640)
  } catch {
    // The file exists, or it cannot be created; in the second case SQLite throws when it opens the
    // file.
    return
  }
  fchmodSync(file, 0o640)
  closeSync(file)
}

/** Replaces a file atomically, even if the power fails. The new file has the mode 0640. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o640)
  try {
    fchmodSync(file, 0o640)
    writeSync(file, text)
  } finally {
    closeSync(file)
  }
  moveDurably(temporary, path)
}

/** Renames a closed file, and makes its content and the rename durable. */
export function moveDurably(from: string, to: string): void {
  syncFile(from)
  renameSync(from, to)
  syncDirectoryOf(to)
}

/** Makes a complete copy the newest backup; the former newest backup replaces the older one. */
export function rotateBackups(database: string): void {
  const { newestBackup, olderBackup, newBackup } = copiesOf(database)
  if (existsSync(newestBackup)) renameSync(newestBackup, olderBackup)
  renameSync(newBackup, newestBackup)
  syncDirectoryOf(newestBackup)
}

/** Removes a database and its side files. No connection to it may be open. */
export function discard(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/**
 * Renames a corrupt or replaced database or backup with its side files. Without its database, the
 * next writer restores a backup or creates a new database.
 * @returns the new name
 */
export function putAside(path: string, reason: 'corrupt' | 'replaced'): string {
  const aside = `${path}.${reason}-${new Date().toISOString().replace(/[:.]/g, '')}`
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  return aside
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
    return new Driver(db).read(head())
  } finally {
    db.close()
  }
}

/** The time when a backup was made; `undefined` if it does not exist. */
export function madeUs(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && Math.round(stats.mtimeMs * 1000)
}

/** The size of an open database in bytes, including the pages that are only in its WAL. */
export function sizeOf(db: Database): number {
  const [pages, size] = ['page_count', 'page_size'].map((name) => db.pragma(name, { simple: true }))
  return Number(pages) * Number(size)
}

/** The free space in the folder of a file, in bytes. */
export function freeBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}

/**
 * Reads the sizes of a database and of its disk, without opening the database. @throws if the
 * database does not exist
 */
export async function storageFigures(database: string): Promise<StorageFigures> {
  const [file, wal, backup, disk] = await Promise.all([
    stat(database),
    stat(`${database}-wal`).catch(() => undefined),
    stat(copiesOf(database).newestBackup).catch(() => undefined),
    statfs(dirname(database)),
  ])
  return {
    databaseBytes: file.size,
    walBytes: wal?.size ?? 0,
    backupUs: backup && Math.round(backup.mtimeMs * 1000),
    disk: { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
  }
}

/** Makes the content of a file durable. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes the content of a file durable without blocking the event loop. */
export async function syncFileAsync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Makes the rename of a file durable. */
function syncDirectoryOf(path: string): void {
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
