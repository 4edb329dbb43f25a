/**
 * Brings a database of schema 7 to 11 to schema 12: rows, ids, numbers, tombstones and checksums stay. Up to schema 9 blocks and
 * excerpts go, and the counts are made from the rows. Every step is a short transaction that stores how far it came, so a migration that was
 * ended in any way goes on at the next start. The indexes are made afterwards, while the catalogue is in use (`indexes.ts`).
 */
import { copyFileSync, constants, renameSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { parseDirectory } from '../../parse/archive-path.ts'
import type { ArchiveDirectory } from '../../parse/archive-path.ts'
import { secondsPerHour } from '../../parse/calendar.ts'
import { UnusableDatabase } from '../writer.ts'
import {
  backupPaths,
  discard,
  madeUs,
  newBackupPath,
  syncDirectoryOf,
  syncFile,
} from './backup-files.ts'
import { corruption } from './corruption.ts'
import { faultOf } from './integrity-check.ts'
import { idsPerRange, prepareIdRange } from './recount.ts'
import {
  countTables,
  deliveryTables,
  migratingVersion,
  ownerTable,
  schemaVersion,
  versionOf,
} from './schema.ts'

/** What a migration is doing, and how much of that it has done. */
export interface MigrationProgress {
  /** The schema it began with, and the one it leads to. */
  readonly from: number
  readonly to: number
  /** In a word or two, for logs: `checking`, `counting`. */
  readonly step: string
  /** Of `total`, in a unit of the step's own. */
  readonly done: number
  readonly total: number
}

/** So many times the size of the database must be free: for the backup, and for what the indexes take more. */
const roomNeeded = 1.5

/** What the releases with these schemas added. */
const additions: ReadonlyMap<number, string> = new Map([
  [8, ownerTable],
  [
    9,
    `${['inode', 'ctime_us', 'links', 'mode', 'uid', 'gid', 'stale_us'].map((name) => `ALTER TABLE checksum ADD COLUMN ${name} INTEGER;`).join('\n')}
     CREATE INDEX checksum_stale ON checksum (stale_us) WHERE stale_us IS NOT NULL;
     ALTER TABLE hashing ADD COLUMN stale INTEGER NOT NULL DEFAULT 0;`,
  ],
  [10, `ALTER TABLE file ADD COLUMN misplaced INTEGER NOT NULL DEFAULT 0; ${countTables}`],
  [
    11,
    `ALTER TABLE catalogue ADD COLUMN details_seq INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE rejection RENAME COLUMN example TO names;
     ALTER TABLE rejection ADD COLUMN since_us INTEGER;
     UPDATE rejection SET names = iif(names LIKE '.%', '[]', json_array(names));`,
  ],
  [12, `ALTER TABLE catalogue ADD COLUMN deliveries_us INTEGER; ${deliveryTables}`],
])

interface Step {
  readonly name: string
  total(db: Database): number
  /** Does a part of it, from `done` on. @returns how much is done then; at least the total at its end */
  run(db: Database, done: number): number
}

/** What a database of schema 9 or older needs besides. */
const steps: readonly Step[] = [
  dropping(['TABLE block', 'TABLE excerpt', 'INDEX file_modified']),
  { name: 'marking misplaced files', total: highestDirectory, run: markMisplaced },
  {
    name: 'indexing misplaced files',
    total: () => 1,
    run(db) {
      db.exec('CREATE INDEX file_misplaced ON file (id) WHERE misplaced = 1')
      return 1
    },
  },
  { name: 'counting', total: highestId, run: countIds },
]

/**
 * Migrates in steps: what it yields is about to be done, and between two of them it may be left for good.
 * @param options.keepBackup copies the database first, as its newest backup
 * @throws an error of corruption for a damaged database, UnusableDatabase where there is not enough room
 */
export function* migrate(
  db: Database,
  options: { readonly path: string; readonly keepBackup: boolean },
): Generator<MigrationProgress, void> {
  if (versionOf(db) !== migratingVersion) {
    const head = { from: versionOf(db), to: schemaVersion, done: 0, total: 1 }
    if (options.keepBackup) checkRoom(db, options.path)
    yield { ...head, step: 'checking' }
    const fault = faultOf(db)
    if (fault !== undefined) throw corruption(fault)
    if (options.keepBackup) {
      yield { ...head, step: 'making a backup' }
      makeBackup(db, options.path)
    }
    begin(db)
  }
  for (let progress = progressOf(db); progress !== undefined; progress = progressOf(db)) {
    yield progress
    runPart(db, progress)
  }
}

/** How far the migration of a database has come; `undefined` when none is under way. */
export function progressOf(db: Database): MigrationProgress | undefined {
  if (versionOf(db) !== migratingVersion) return undefined
  const row = db.prepare('SELECT from_version AS "from", step, done, total FROM migration').get()
  return { ...(row as Omit<MigrationProgress, 'to'>), to: schemaVersion }
}

/** `from schema 9 to 10: counting, 40 %` */
export function describeProgress({ from, to, step, done, total }: MigrationProgress): string {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 100
  return `from schema ${from} to ${to}: ${step}, ${percent} %`
}

/** Adds the tables and columns. Where steps are to follow it takes the number that keeps other programs out. */
function begin(db: Database): void {
  const from = versionOf(db)
  db.transaction(() => {
    for (const [version, sql] of additions) if (version > from) db.exec(sql)
    if (from >= 10) {
      db.pragma(`user_version = ${schemaVersion}`)
      return
    }
    db.exec(`CREATE TABLE migration (
      from_version INTEGER NOT NULL, step TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL) STRICT`)
    const [first] = steps
    db.prepare('INSERT INTO migration VALUES (?, ?, 0, ?)').run(from, first?.name, first?.total(db))
    db.pragma(`user_version = ${migratingVersion}`)
  }).immediate()
}

/** Does a part of a step and stores how far it came, in one transaction; the last one ends the migration. */
function runPart(db: Database, { step: name, done }: MigrationProgress): void {
  const index = steps.findIndex((step) => step.name === name)
  const step = steps[index]
  if (step === undefined) throw new UnusableDatabase(`unknown step of a migration: ${name}`)
  db.transaction(() => {
    const now = step.run(db, done)
    if (now < step.total(db)) {
      db.prepare('UPDATE migration SET done = ?').run(now)
      return
    }
    const next = steps[index + 1]
    if (next === undefined) {
      db.exec('DROP TABLE migration')
      db.pragma(`user_version = ${schemaVersion}`)
    } else {
      const update = db.prepare('UPDATE migration SET step = ?, done = 0, total = ?')
      update.run(next.name, next.total(db))
    }
  }).immediate()
}

function dropping(things: readonly string[]): Step {
  return {
    name: 'dropping what is not needed',
    total: () => things.length,
    run(db, done) {
      const [type, name] = things[done]?.split(' ') ?? []
      db.exec(`DROP ${type} IF EXISTS ${name}`)
      return done + 1
    },
  }
}

function highestDirectory(db: Database): number {
  const highest = db.prepare('SELECT max(id) FROM directory WHERE misplaced > 0').pluck()
  return (highest.get() as number | null) ?? 0
}

/** Marks the files of the next directory that has misplaced ones. @returns its id */
function markMisplaced(db: Database, done: number): number {
  const next = db.prepare(
    'SELECT id, path FROM directory WHERE id > ? AND misplaced > 0 ORDER BY id LIMIT 1',
  )
  const row = next.get(done) as { id: number; path: string } | undefined
  if (row === undefined) return Infinity
  const place = parseDirectory(row.path)
  if (place.kind === 'directory') markFiles(db, row.id, place)
  return row.id
}

/** As `isMisplaced` says, in SQL. */
function markFiles(db: Database, directory: number, place: ArchiveDirectory): void {
  const { startSeconds: from, spanSeconds: span } = place
  const all = db.prepare('UPDATE file SET misplaced = 1 WHERE directory = ?')
  if (from === undefined || span === undefined) {
    all.run(directory)
    return
  }
  db.prepare(
    `UPDATE file SET misplaced = 1 WHERE directory = @directory AND (data_date < @from
       OR data_date >= @from + @span OR (@isHour = 1
         AND kind IN (SELECT id FROM kind WHERE file_duration IN ('d', 'y'))))`,
  ).run({ directory, from, span, isHour: span === secondsPerHour ? 1 : 0 })
}

function highestId(db: Database): number {
  return (db.prepare('SELECT max(id) FROM file').pluck().get() as number | null) ?? 0
}

/** Counts the next range of ids that holds files. @returns the id at which the one after it begins */
function countIds(db: Database, done: number): number {
  const next = db.prepare('SELECT min(id) FROM file WHERE id >= ?').pluck()
  const id = next.get(done) as number | null
  if (id === null) return Infinity
  const firstId = Math.floor(id / idsPerRange) * idsPerRange
  prepareIdRange(db)(firstId)
  return firstId + idsPerRange
}

function checkRoom(db: Database, path: string): void {
  const [pages, size] = ['page_count', 'page_size'].map((name) => db.pragma(name, { simple: true }))
  const needed = Math.ceil(Number(pages) * Number(size) * roomNeeded)
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < needed)
    throw new UnusableDatabase(
      `${path} cannot be migrated to schema ${schemaVersion}: needs ${needed} bytes of free space, ${bavail * bsize} are there: make room on its disk`,
    )
}

/** Copies the database beside it, as its newest backup. */
function makeBackup(db: Database, path: string): void {
  const [newest, older] = backupPaths(path)
  const copy = newBackupPath(path)
  discard(copy)
  db.pragma('wal_checkpoint(TRUNCATE)')
  copyFileSync(path, copy, constants.COPYFILE_FICLONE)
  const sealed = new Sqlite(copy)
  sealed.pragma('journal_mode = DELETE')
  sealed.close()
  syncFile(copy)
  if (madeUs(newest) !== undefined) renameSync(newest, older)
  renameSync(copy, newest)
  syncDirectoryOf(newest)
}
