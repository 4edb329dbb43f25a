/** The writer of the catalogue: opens the database, and guards its calls against a database that is corrupt or was replaced. */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { Heartbeat, ScanSummary } from '../records.ts'
import { CatalogueCorrupt } from '../writer.ts'
import type { AppliedChange, CatalogueWriter, DirectoryChange } from '../writer.ts'
import { Summary } from '../questions/summary.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import { lockWriter } from './lock.ts'
import type { WriterLock } from './lock.ts'
import { prepareBackup } from './backup.ts'
import { prepareApply } from './apply.ts'
import { prepareChecksumRows } from './checksum-rows.ts'
import { prepareCountChanges } from './count-changes.ts'
import { putAside } from './database-files.ts'
import { prepareDirectories, prepareKnown } from './directories.ts'
import { prepareHashing } from './checksum-queue.ts'
import { prepareIndexes } from './indexes.ts'
import { isCorruption } from './integrity-check.ts'
import { preparePurge } from './purge.ts'
import { openOrRecover, replaceByCopy } from './recover.ts'
import type { Recovery, Restoring } from './recover.ts'
import { prepareRepair } from './recount.ts'
import { openSequences } from './sequences.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'

export interface WriterOptions {
  /** Path of the database file; a missing folder is created. */
  readonly database: string
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** A backup that replaces the database before it is opened. */
  readonly restoreFrom?: string
  /** Called before a backup is restored, which blocks this thread. */
  readonly onRestoring?: (restoring: Restoring) => void
  /** Called before each part of a migration. This migration blocks the thread and makes no backup; `upgradeDatabase` does. */
  readonly onMigrating?: (progress: string) => void
}

/** A writer, and the result of opening its database. */
export interface OpenedWriter extends CatalogueWriter {
  readonly recovery: Recovery
}

/**
 * Opens the catalogue for writing; creates a missing one.
 * @throws AlreadyRunning if another process writes it, UnusableDatabase if the file belongs to another program or cannot be used
 */
export function openWriter(options: WriterOptions): OpenedWriter {
  prepareDatabaseFolder(options.database)
  const lock = lockWriter(options.database)
  try {
    const { database: path } = options
    const files = { ...options, path, numbersPath: `${path}-numbers` }
    const { db, recovery } = openOrRecover(files)
    return { recovery, ...prepareWriter({ ...files, db, lock }) }
  } catch (error) {
    lock.release()
    throw unusable(options.database, error)
  }
}

interface WriterParts {
  readonly db: Database
  readonly path: string
  readonly numbersPath: string
  readonly lock: WriterLock
  readonly nowUs: () => number
}

function prepareWriter(parts: WriterParts): CatalogueWriter {
  const { db, path, numbersPath, nowUs } = parts
  db.prepare('UPDATE catalogue SET deliveries_us = ? WHERE deliveries_us IS NULL').run(nowUs())
  const known = prepareKnown(db)
  const directories = prepareDirectories(db)
  const counts = prepareCountChanges(db)
  const shared = { directories, rows: prepareChecksumRows(db), nowUs }
  const applyAll = prepareApply(db, { ...shared, counts })
  const indexes = prepareIndexes(db)
  const hashing = prepareHashing(db, shared)
  const driver = new Driver(db)
  const summary = new Summary(dialect)
  const setLastScan = db.prepare('UPDATE catalogue SET last_scan = ? WHERE one = 1')
  const setHeartbeat = db.prepare(
    'UPDATE catalogue SET heartbeat_us = ?, heartbeat_limit_s = ? WHERE one = 1',
  )
  const aside = new AbortController()
  const { reading, writing } = prepareGuards(db, path, parts.lock)
  const sequences = openSequences(db, numbersPath)
  return {
    directories: writing(known.directories),
    directory: reading(known.directory),
    count: reading(known.count),
    removedSince: reading(known.removedSince),
    apply: writing((changes: readonly DirectoryChange[]): AppliedChange => {
      const applied = applyAll(changes)
      sequences.committed()
      return applied
    }),
    summary: reading(() => driver.read(summary.whole())),
    purgeRemovals: reading(preparePurge(db, nowUs)),
    arrivedUnhashed: reading(hashing.arrived),
    unhashedBelow: reading(hashing.below),
    keepChecksums: writing(hashing.keep),
    staleChecksums: reading(hashing.stale),
    hashAgain: writing(hashing.hashAgain),
    heartbeat: writing(({ atUs, limitSeconds }: Heartbeat): void => {
      setHeartbeat.run(atUs, limitSeconds)
    }),
    scanned: reading((scan: ScanSummary): void => {
      setLastScan.run(JSON.stringify(scan))
    }),
    deferIndexes: reading(() => {
      indexes.defer()
      counts.reset()
    }),
    buildIndexes: writing(() => {
      const built = indexes.buildNext()
      counts.reset()
      return built
    }),
    repairCounts: reading(prepareRepair(db)),
    backup: reading(prepareBackup({ ...parts, signal: aside.signal })),
    checkpoint: reading(() => {
      aside.abort()
      sequences.sync()
      db.pragma('wal_checkpoint(TRUNCATE)')
    }),
    close() {
      aside.abort()
      sequences.sync()
      db.close()
      parts.lock.release()
    },
  }
}

/**
 * Makes synchronous calls asynchronous, as `CatalogueWriter` requires: errors become rejections, and a corrupt database is
 * quarantined. `writing` also checks first that database and lock were not replaced.
 */
function prepareGuards(db: Database, path: string, lock: WriterLock) {
  const checkNotReplaced = prepareReplacementCheck(db, path)
  const reading =
    <Args extends unknown[], T>(work: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      try {
        return await work(...args)
      } catch (error) {
        if (!isCorruption(error)) throw error
        const message = `the database is corrupt (${error.message}), quarantined as ${putAside(path, 'corrupt')}`
        throw new CatalogueCorrupt(message, { cause: error })
      }
    }
  const writing = <Args extends unknown[], T>(work: (...args: Args) => T) =>
    reading((...args: Args) => {
      lock.check()
      checkNotReplaced()
      return work(...args)
    })
  return { reading, writing }
}

/**
 * Returns a check that throws if the database or a side file was removed or replaced, because no reader would see the changes of
 * this process. If it was a side file, the check also replaces the database by a copy; otherwise readers would use the removed
 * side file for ever.
 */
function prepareReplacementCheck(db: Database, path: string): () => void {
  const inodeOf = (file: string): string | undefined => {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats && `${stats.dev} ${stats.ino}`
  }
  const opened = ['', '-wal', '-shm'].map((side) => [path + side, inodeOf(path + side)] as const)
  return () => {
    for (const [file, inode] of opened) {
      if (inode === undefined || inode === inodeOf(file)) continue
      if (file !== path) replaceByCopy(db, path)
      throw new CatalogueCorrupt(`${file} was removed or replaced while it was in use`)
    }
  }
}
