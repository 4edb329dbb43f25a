import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { ScanSummary } from '../records.ts'
import type {
  AppliedChange,
  CatalogueWriter,
  Checksum,
  DirectoryChange,
  DirectoryStamp,
  KnownDirectory,
  KnownFile,
  KnownStamp,
  RemovedFiles,
} from '../writer.ts'
import type { Area } from '../../parse/archive-path.ts'
import { lockWriter } from './lock.ts'
import { openBackups } from './backup.ts'
import { prepareApply } from './apply.ts'
import { prepareChecksumRows } from './checksum-rows.ts'
import { joinedChecksum } from './checksums.ts'
import { prepareCountChanges } from './count-changes.ts'
import { prepareDirectories } from './directories.ts'
import { guardCalls } from './guarded-calls.ts'
import { prepareHashing } from './checksum-queue.ts'
import { prepareIndexes } from './indexes.ts'
import type { MigrationProgress } from './migration.ts'
import { takeOwnership } from './owner.ts'
import { preparePurge } from './purge.ts'
import { openOrRecover, replaceByCopy } from './recover.ts'
import type { Recovery, Restoring } from './recover.ts'
import { prepareRepair } from './recount.ts'
import { openSequences, reserveSequences } from './sequences.ts'
import { openStartupCheck } from './startup-check.ts'
import type { StartupCheck, StartupCheckOutcome } from './startup-check.ts'
import { prepareSummary } from './summary.ts'
import { prepareDatabaseFolder, unusable } from './access-check.ts'

export interface WriterOptions {
  /** Path of the database file; a missing folder is created. */
  readonly database: string
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
  /** Databases up to this size in bytes are checked before they are used, larger ones in a separate process. */
  readonly checkUpTo?: number
  /** Called with the result of that check. If the database is corrupt, the next call throws. */
  readonly onChecked?: (outcome: StartupCheckOutcome) => void
  /** Called before a backup is restored, which blocks this thread. */
  readonly onRestoring?: (restoring: Restoring) => void
  /** Called before each part of a migration, which blocks this thread; `upgradeDatabase` does not. */
  readonly onMigrating?: (progress: MigrationProgress) => void
}

/** About a tenth of a second. */
const checkUpToBytes = 32 * 1024 * 1024

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
    const { database: path, nowUs, checkUpTo = checkUpToBytes, onChecked } = options
    const numbersPath = `${path}-numbers`
    const { db, recovery } = openOrRecover({ ...options, path, numbersPath, checkUpTo })
    takeOwnership(db, path)
    const isChecked = recovery.restored !== undefined || statSync(path).size <= checkUpTo
    const check = isChecked ? undefined : openStartupCheck({ path, onEnd: onChecked })
    return { recovery, ...prepareWriter({ db, path, numbersPath, lock, nowUs, checkUpTo, check }) }
  } catch (error) {
    lock.release()
    throw unusable(options.database, error)
  }
}

interface WriterParts {
  readonly db: Database
  readonly path: string
  readonly numbersPath: string
  readonly lock: { release: () => void }
  readonly nowUs: () => number
  readonly checkUpTo: number
  readonly check: StartupCheck | undefined
}

function prepareWriter(parts: WriterParts): CatalogueWriter {
  const { db } = parts
  const queries = prepareQueries(db)
  db.prepare('UPDATE catalogue SET deliveries_us = ? WHERE deliveries_us IS NULL').run(
    parts.nowUs(),
  )
  const directories = prepareDirectories(db)
  const counts = prepareCountChanges(db)
  const shared = { directories, rows: prepareChecksumRows(db), nowUs: parts.nowUs }
  const applyAll = prepareApply(db, { ...shared, counts })
  const indexes = prepareIndexes(db)
  const hashing = prepareHashing(db, shared)
  const summary = db.transaction(prepareSummary(db))
  const { promised, checkNotReplaced } = guardCalls(
    parts.path,
    () => parts.check?.fault,
    () => {
      replaceByCopy(db, parts.path)
    },
  )
  const backups = openBackups(parts)
  const sequences = openSequences(db, parts.numbersPath)
  const stopAside = (): void => {
    parts.check?.stop()
    backups.stop()
  }
  return {
    directories: promised(() => {
      checkNotReplaced()
      return queries.directories()
    }),
    directory: promised(queries.directory),
    count: promised(queries.count),
    removedSince: promised(queries.removedSince),
    apply: promised((changes: readonly DirectoryChange[]): AppliedChange => {
      checkNotReplaced()
      reserveSequences(db, parts.numbersPath, sequencesNeeded(changes))
      const applied = applyAll(changes)
      sequences.committed()
      parts.check?.committed()
      return applied
    }),
    summary: promised(() => summary()),
    purgeRemovals: promised(preparePurge(db, parts.nowUs)),
    arrivedUnhashed: promised(hashing.arrived),
    unhashedBelow: promised(hashing.below),
    keepChecksums: promised((checksums: readonly Checksum[], throughSeq: number) => {
      checkNotReplaced()
      hashing.keep(checksums, throughSeq)
      parts.check?.committed()
    }),
    staleChecksums: promised(hashing.stale),
    hashAgain: promised((ids: readonly number[], fromUs: number) => {
      checkNotReplaced()
      hashing.hashAgain(ids, fromUs)
      parts.check?.committed()
    }),
    scanned: promised(queries.scanned),
    deferIndexes: promised(() => {
      indexes.defer()
      counts.reset()
    }),
    buildIndexes: promised(() => {
      checkNotReplaced()
      const built = indexes.buildNext()
      counts.reset()
      return built
    }),
    repairCounts: promised(prepareRepair(db)),
    backup: promised((options) => backups.make(options)),
    checkpoint: promised(() => {
      stopAside()
      sequences.persist()
      db.pragma('wal_checkpoint(TRUNCATE)')
    }),
    close() {
      stopAside()
      sequences.persist()
      db.close()
      parts.lock.release()
    },
  }
}

function sequencesNeeded(changes: readonly DirectoryChange[]): number {
  return changes.reduce(
    (sum, change) => sum + change.added.length + change.modified.length + change.removed.length,
    0,
  )
}

interface StampRow {
  path: string
  mtimeUs: number | null
  ctimeUs: number
  inode: number
  withheldSinceUs: number | null
}

/** Rows are arrays, which take half the time of objects. From `checksum` on all columns are `null` without a valid checksum. */
type KnownFileRow = readonly [
  id: number,
  name: string,
  size: number | null,
  mtimeUs: number | null,
  checksum: number | null,
  inode: number | null,
  ctimeUs: number,
  links: number,
  mode: number,
  uid: number,
  gid: number,
]

function prepareQueries(db: Database) {
  const stamp =
    'path, mtime_us AS mtimeUs, ctime_us AS ctimeUs, inode, held_since_us AS withheldSinceUs'
  const directories = db.prepare(`SELECT ${stamp} FROM directory WHERE gone = 0`)
  const directory = db.prepare(`SELECT id, ${stamp} FROM directory WHERE path = ?`)
  const files = db
    .prepare(
      `SELECT f.id, f.name, f.size, f.mtime_us, c.id, c.inode, c.ctime_us, c.links, c.mode, c.uid, c.gid
       FROM file f ${joinedChecksum} WHERE f.directory = ?`,
    )
    .raw()
  const count = db.prepare('SELECT files FROM area WHERE name = ?').pluck()
  // From the latest back to the first older one, instead of all tombstones.
  const removedSince = db.prepare(
    `SELECT k.area, t.removed_us AS atUs, count(*) AS count
     FROM tombstone t INDEXED BY tombstone_seq CROSS JOIN kind k ON k.id = t.kind
     WHERE t.seq > coalesce((SELECT seq FROM tombstone INDEXED BY tombstone_seq
       WHERE removed_us < ? ORDER BY seq DESC LIMIT 1), 0)
     GROUP BY k.area, t.removed_us`,
  )
  const scanned = db.prepare('UPDATE catalogue SET last_scan = ? WHERE one = 1')
  return {
    directories: (): KnownStamp[] =>
      (directories.all() as StampRow[]).map((row) => ({
        path: row.path,
        stamp: toStamp(row),
        withheldSinceUs: row.withheldSinceUs ?? undefined,
      })),
    directory: (path: string): KnownDirectory | undefined => {
      const row = directory.get(path) as (StampRow & { id: number }) | undefined
      if (row === undefined) return undefined
      const known = files.all(row.id) as KnownFileRow[]
      return { stamp: toStamp(row), files: new Map(known.map(toKnownFile)) }
    },
    count: (area: Area): number => (count.get(area) as number | undefined) ?? 0,
    removedSince: (us: number) => removedSince.all(us) as RemovedFiles[],
    scanned: (scan: ScanSummary): void => {
      scanned.run(JSON.stringify(scan))
    },
  }
}

function toStamp({ mtimeUs, ctimeUs, inode }: StampRow): DirectoryStamp | undefined {
  return mtimeUs === null ? undefined : { mtimeUs, ctimeUs, inode }
}

function toKnownFile(row: KnownFileRow): [string, KnownFile] {
  const [id, name, size, mtimeUs] = row
  return [
    name,
    { id, size: size ?? undefined, mtimeUs: mtimeUs ?? undefined, hashed: toHashed(row) },
  ]
}

function toHashed(row: KnownFileRow): KnownFile['hashed'] {
  const [, , size, mtimeUs, checksum, inode, ctimeUs, links, mode, uid, gid] = row
  if (checksum === null || size === null || mtimeUs === null) return undefined
  return inode === null ? 'unbound' : { inode, size, mtimeUs, ctimeUs, links, mode, uid, gid }
}
