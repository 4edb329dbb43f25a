/**
 * The writer of the catalogue: opens the database, and guards its calls against a database that is
 * corrupt or was replaced.
 */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import type { Clock } from '../../runtime/clock.ts'
import { errorCode } from '../../runtime/error-code.ts'
import { CatalogueCorrupt } from '../errors.ts'
import type { Ask } from '../question.ts'
import { knownDirectories } from '../updates/known.ts'
import { beginDeliveries } from '../updates/times.ts'
import { updatesOf } from '../updates/updates.ts'
import type { CatalogueWriter } from '../updates/writer.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { prepareBackup } from './backup.ts'
import { putAside } from './database-files.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import { isCorruption } from './integrity-check.ts'
import type { WriterLock } from './lock.ts'
import { lockWriter } from './lock.ts'
import { NumbersFile } from './numbers-file.ts'
import type { Recovery, Restoring } from './recover.ts'
import { openOrRecover, replaceByCopy } from './recover.ts'

export interface WriterOptions {
  /** Path of the database file; a missing folder is created. */
  readonly database: string
  readonly nowUs: Clock
  /** A backup that replaces the database before it is opened. */
  readonly restoreFrom?: string
  /** Called before a backup is restored, which blocks this thread. */
  readonly onRestoring?: (restoring: Restoring) => void
}

/** A writer, and the result of opening its database. */
export interface OpenedWriter extends CatalogueWriter {
  readonly recovery: Recovery
}

/**
 * Opens the catalogue for writing; creates a missing one.
 * @throws AlreadyRunning if another process writes it, UnusableDatabase if the file belongs to
 * another program or cannot be used
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
  readonly nowUs: Clock
}

function prepareWriter(parts: WriterParts): CatalogueWriter {
  const { db, path, numbersPath, nowUs } = parts
  const driver = new Driver(db)
  driver.write(beginDeliveries(nowUs()))
  const aside = new AbortController()
  const { unlessCorrupt, unlessReplaced } = prepareGuards(db, path, parts.lock)
  const numbers = new NumbersFile(db, numbersPath)
  const write: Ask = (ask) =>
    unlessReplaced(() => {
      const answer = driver.write(ask())
      numbers.committed()
      return answer
    })()
  const updates = updatesOf({
    dialect,
    nowUs,
    read: (ask) => unlessCorrupt(() => driver.read(ask()))(),
    write,
    writeOnce: write,
    isInvalidData,
    isSqlError: (error) => error instanceof Sqlite.SqliteError,
  })
  return {
    ...updates,
    // An indexer starts so, and finds a replaced database also if there is nothing to write.
    directories: unlessReplaced((page) => driver.read(knownDirectories(page))),
    backup: unlessCorrupt(prepareBackup({ ...parts, signal: aside.signal })),
    checkpoint: async () => {
      aside.abort()
      numbers.sync()
      await unlessReplaced(() => {
        db.pragma('wal_checkpoint(TRUNCATE)')
      })()
    },
    close() {
      aside.abort()
      numbers.sync()
      db.close()
      parts.lock.release()
    },
  }
}

/**
 * True if the database rejected a value of the change. Other errors do not count, because a bug of
 * this program must not look like invalid data of a directory.
 */
function isInvalidData(error: unknown): error is Error {
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(errorCode(error))
}

/**
 * Guards make synchronous calls asynchronous, as `CatalogueWriter` requires: errors become
 * rejections. `unlessCorrupt` quarantines a database that is found to be corrupt. `unlessReplaced`
 * does so too, and first checks that lock and database are still those that others see: a write to
 * another one would be lost.
 */
function prepareGuards(db: Database, path: string, lock: WriterLock) {
  const checkNotReplaced = prepareReplacementCheck(db, path)
  const unlessCorrupt =
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
  const unlessReplaced = <Args extends unknown[], T>(work: (...args: Args) => T) =>
    unlessCorrupt((...args: Args) => {
      lock.check()
      checkNotReplaced()
      return work(...args)
    })
  return { unlessCorrupt, unlessReplaced }
}

/**
 * Returns a check that throws if the database or a side file was removed or replaced, because no
 * reader would see the changes of this process. If it was a side file, the check also replaces the
 * database by a copy; otherwise readers would use the removed side file for ever.
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
