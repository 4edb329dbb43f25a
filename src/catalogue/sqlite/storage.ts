import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageFigures } from '../records.ts'
import { backupPaths } from './backup-files.ts'

/** Reads the sizes of a database and of its disk, without opening the database. @throws if the database does not exist */
export async function storageFigures(database: string): Promise<StorageFigures> {
  const [newest] = backupPaths(database)
  const [file, wal, backup, disk] = await Promise.all([
    stat(database),
    stat(`${database}-wal`).catch(() => undefined),
    stat(newest).catch(() => undefined),
    statfs(dirname(database)),
  ])
  return {
    databaseBytes: file.size,
    walBytes: wal?.size ?? 0,
    backupUs: backup && Math.round(backup.mtimeMs * 1000),
    disk: { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
  }
}
