/**
 * The writer of the catalogue: opens the database, and guards its calls against a database that is
 * corrupt or was replaced.
 */
import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import { head } from '../selection/head.ts'
import type { Question } from '../question.ts'
import { summary } from '../questions/summary.ts'
import { Apply, updateParts } from '../updates/apply.ts'
import type { Applied, Applying } from '../updates/apply.ts'
import { Hashing, HashingQueue } from '../updates/checksum-queue.ts'
import { beginDeliveries, setHeartbeat, setLastScan } from '../updates/head.ts'
import { filesInArea, knownDirectories, knownDirectory, removedSince } from '../updates/known.ts'
import { purge } from '../updates/purge.ts'
import { repairs } from '../updates/recount.ts'
import { CatalogueCorrupt } from '../writer.ts'
import type {
  AppliedChange,
  CatalogueWriter,
  Checksum,
  DirectoryChange,
  RefusedChange,
} from '../writer.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'
import { prepareBackup } from './backup.ts'
import { putAside } from './database-files.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import { prepareIndexes } from './indexes.ts'
import { isCorruption } from './integrity-check.ts'
import { lockWriter } from './lock.ts'
import type { WriterLock } from './lock.ts'
import { openOrRecover, replaceByCopy } from './recover.ts'
import type { Recovery, Restoring } from './recover.ts'
import { Sequences } from './sequences.ts'

export interface WriterOptions {
  /** Path of the database file; a missing folder is created. */
  readonly database: string
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** A backup that replaces the database before it is opened. */
  readonly restoreFrom?: string
  /** Called before a backup is restored, which blocks this thread. */
  readonly onRestoring?: (restoring: Restoring) => void
  /**
   * Called before each part of a migration. This migration blocks the thread and makes no backup;
   * `upgradeDatabase` does.
   */
  readonly onMigrating?: (progress: string) => void
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
  readonly nowUs: () => number
}

function prepareWriter(parts: WriterParts): CatalogueWriter {
  const { db, path, numbersPath, nowUs } = parts
  const driver = new Driver(db)
  driver.write(beginDeliveries(nowUs()))
  const aside = new AbortController()
  const guards = prepareGuards(db, path, parts.lock)
  const { unlessCorrupt, unlessReplaced } = guards
  const indexes = prepareIndexes(db, driver)
  const sequences = new Sequences(db, numbersPath)
  return {
    ...prepareQuestions(parts, { ...guards, driver, sequences }),
    summary: unlessCorrupt(() => driver.read(summary({ dialect }))),
    deferIndexes: unlessReplaced(() => {
      indexes.defer()
    }),
    buildIndexes: unlessReplaced(() => indexes.buildNext()),
    repairCounts: unlessReplaced(() => {
      for (const repair of repairs(dialect)) driver.write(repair())
    }),
    backup: unlessCorrupt(prepareBackup({ ...parts, signal: aside.signal })),
    checkpoint: async () => {
      aside.abort()
      sequences.sync()
      await unlessReplaced(() => {
        db.pragma('wal_checkpoint(TRUNCATE)')
      })()
    },
    close() {
      aside.abort()
      sequences.sync()
      db.close()
      parts.lock.release()
    },
  }
}

/** The calls that ask one question each. */
function prepareQuestions(
  { nowUs }: WriterParts,
  {
    driver,
    sequences,
    unlessCorrupt,
    unlessReplaced,
  }: Guards & { readonly driver: Driver; readonly sequences: Sequences },
) {
  const parts = updateParts(dialect)
  const apply = new Apply(dialect, parts)
  const hashing = new Hashing(dialect, parts)
  const queue = new HashingQueue(dialect)
  const reading = <Args extends unknown[], T>(ask: (...args: Args) => Question<T>) =>
    unlessCorrupt((...args: Args) => driver.read(ask(...args)))
  const writing = <Args extends unknown[], T>(ask: (...args: Args) => Question<T>) =>
    unlessReplaced((...args: Args) => driver.write(ask(...args)))
  return {
    directories: unlessReplaced(() => driver.read(knownDirectories())),
    directory: reading(knownDirectory),
    count: reading(filesInArea),
    removedSince: reading((us: number) => removedSince(dialect, us)),
    apply: unlessReplaced((changes: readonly DirectoryChange[]): AppliedChange => {
      const { refused, ...applied } = applyValid(changes, (valid, begin) =>
        driver.write(apply.all(valid, { nowUs, begin })),
      )
      sequences.committed()
      return { head: driver.read(head()), ...applied, refused }
    }),
    purgeRemovals: writing((beforeUs: number) => purge(beforeUs, nowUs())),
    arrivedUnhashed: reading((since: number | undefined) => queue.arrived(since)),
    unhashedBelow: reading((id: number) => queue.below(id)),
    keepChecksums: writing((checksums: readonly Checksum[], throughSeq: number) =>
      hashing.keep(checksums, throughSeq, nowUs()),
    ),
    staleChecksums: reading((us: number) => queue.stale(us)),
    hashAgain: writing((ids: readonly number[], fromUs: number) => hashing.hashAgain(ids, fromUs)),
    heartbeat: writing(setHeartbeat),
    scanned: writing(setLastScan),
  }
}

/**
 * Applies changes, and refuses those that the database rejects.
 * @param write applies all of these changes or none, and calls `begin` before each and at the end
 */
function applyValid(
  changes: readonly DirectoryChange[],
  write: (changes: readonly DirectoryChange[], begin: Applying['begin']) => Applied,
): Applied & Pick<AppliedChange, 'refused'> {
  const refused: RefusedChange[] = []
  for (let left = changes; ;) {
    let current: DirectoryChange | undefined
    try {
      const applied = write(left, (change) => {
        current = change
      })
      return { ...applied, refused }
    } catch (error) {
      if (current === undefined || !isInvalidData(error)) throw error
      // Everything was rolled back. Invalid changes are so rare that all other changes can simply
      // be applied again.
      refused.push({ path: current.path, error })
      left = left.filter((change) => change !== current)
    }
  }
}

/**
 * True if the database rejected a value of the change. Other errors do not count, because a bug of
 * this program must not look like invalid data of a directory.
 */
function isInvalidData(error: unknown): error is Error {
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(errorCode(error))
}

type Guards = ReturnType<typeof prepareGuards>

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
