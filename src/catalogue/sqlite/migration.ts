/**
 * Migrates a database of schema 7 to 14 to schema 15. Rows, ids, seqs, tombstones and checksums
 * stay. For schema 9 and older, two obsolete tables and an index are dropped, the misplaced files
 * are marked, and the files are counted by id. Each step has one or more short transactions that
 * store its progress, so an interrupted migration continues at the next start. Indexes are built
 * afterwards, while the catalogue is in use (`indexes.ts`).
 */
import { copyFileSync, constants } from 'node:fs'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { parseDirectory } from '../../parse/archive-path.ts'
import type { ArchiveDirectory } from '../../parse/archive-path.ts'
import { secondsPerHour } from '../../parse/calendar.ts'
import { UnusableDatabase } from '../writer.ts'
import { discard, freeBeside, newBackupPath, rotateBackups, sizeOf } from './database-files.ts'
import { corruption, faultOf } from './integrity-check.ts'
import { countTableNames, idCountLevels } from '../questions/count-tables.ts'
import { count, keptCounts, recount } from '../updates/recount.ts'
import { dialect } from './dialect.ts'
import { Driver } from './driver.ts'
import {
  countDefinitions,
  deliveryTables,
  migratingVersion,
  ownerTable,
  schemaVersion,
  versionOf,
} from './schema.ts'

/** The progress of a migration, for logs, clients and the next start. */
export interface MigrationProgress {
  /** Schema before and after the migration. */
  readonly from: number
  readonly to: number
  /** Name of the step for logs, for example `checking` or `counting`. */
  readonly step: string
  /** Progress of the step; `done` and `total` are in the unit of the step. */
  readonly done: number
  readonly total: number
}

/** Required free space as a multiple of the size of the database: for the backup and for larger indexes. */
const freeSpaceFactor = 1.5

/** SQL that adds the new tables and columns of each schema. */
const additions: ReadonlyMap<number, string> = new Map([
  [8, ownerTable],
  [
    9,
    `${['inode', 'ctime_us', 'links', 'mode', 'uid', 'gid', 'stale_us'].map((name) => `ALTER TABLE checksum ADD COLUMN ${name} INTEGER;`).join('\n')}
     CREATE INDEX checksum_stale ON checksum (stale_us) WHERE stale_us IS NOT NULL;
     ALTER TABLE hashing ADD COLUMN stale INTEGER NOT NULL DEFAULT 0;`,
  ],
  [10, `ALTER TABLE file ADD COLUMN misplaced INTEGER NOT NULL DEFAULT 0; ${countDefinitions}`],
  [
    11,
    `ALTER TABLE catalogue ADD COLUMN details_seq INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE rejection RENAME COLUMN example TO names;
     ALTER TABLE rejection ADD COLUMN since_us INTEGER;
     UPDATE rejection SET names = iif(names LIKE '.%', '[]', json_array(names));`,
  ],
  [12, `ALTER TABLE catalogue ADD COLUMN deliveries_us INTEGER; ${deliveryTables}`],
  [
    13,
    // The feed of earlier releases left out files with short names if it was filtered by country.
    // With a new seq, which no client knows, each client of such a feed starts again.
    `UPDATE catalogue SET seq = seq + 1;
     ALTER TABLE station ADD COLUMN live_seq INTEGER NOT NULL DEFAULT 0;
     UPDATE station SET live_seq = (SELECT seq FROM catalogue WHERE one = 1);`,
  ],
  [
    14,
    `ALTER TABLE catalogue ADD COLUMN heartbeat_us INTEGER;
     ALTER TABLE catalogue ADD COLUMN heartbeat_limit_s INTEGER;`,
  ],
])

/** Schema 15; for schema 9 and older, `countDefinitions` has these columns already. */
const sizeColumns = ['id_count', 'day_count', 'station_count']
  .flatMap((table) =>
    ['bytes', 'sized'].map(
      (name) => `ALTER TABLE ${table} ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0;`,
    ),
  )
  .join('\n')

interface Step {
  readonly name: string
  total(db: Database): number
  /**
   * Executes the next part of the step, which begins at `done`.
   * @returns the new `done`; at least the total at the end
   */
  run(db: Database, done: number): number
}

/** Further steps for schema 9 and older. */
const steps: readonly Step[] = [
  executing('dropping what is not needed', [
    'DROP TABLE IF EXISTS block',
    'DROP TABLE IF EXISTS excerpt',
    'DROP INDEX IF EXISTS file_modified',
  ]),
  { name: 'marking misplaced files', total: highestDirectory, run: markMisplaced },
  executing('indexing misplaced files', [
    'CREATE INDEX file_misplaced ON file (id) WHERE misplaced = 1',
  ]),
  { name: 'counting', total: highestId, run: countIds },
]

/** Further steps for schema 10 and later: they count the sizes. */
const recounts: readonly Step[] = [
  {
    name: 'counting sizes',
    total: () => countTableNames.length,
    run(db, done) {
      const table = countTableNames[done]
      const driver = new Driver(db)
      if (table !== undefined && driver.read(keptCounts()).has(table))
        driver.write(recount(dialect, table))
      return done + 1
    },
  },
]

const stepsFrom = (version: number): readonly Step[] => (version < 10 ? steps : recounts)

/**
 * Migrates in steps. Yields the progress before each part of a step; the caller may stop between any two parts.
 * @param options.keepBackup copies the database first, as its newest backup
 * @throws an error of corruption for a damaged database, UnusableDatabase without enough disk space
 */
export function* migrate(
  db: Database,
  options: { readonly path: string; readonly keepBackup: boolean },
): Generator<MigrationProgress, void> {
  if (versionOf(db) !== migratingVersion) {
    const head = { from: versionOf(db), to: schemaVersion, done: 0, total: 1 }
    if (options.keepBackup) checkFreeSpace(db, options.path)
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

/** The progress of a migration; `undefined` if the database is not being migrated. */
export function progressOf(db: Database): MigrationProgress | undefined {
  if (versionOf(db) !== migratingVersion) return undefined
  const row = db.prepare('SELECT from_version AS "from", step, done, total FROM migration').get()
  return { ...(row as Omit<MigrationProgress, 'to'>), to: schemaVersion }
}

/** Describes the progress: `from schema 9 to 10: counting, 40 %`. */
export function describeProgress({ from, to, step, done, total }: MigrationProgress): string {
  const percent = total > 0 ? Math.floor((100 * Math.min(done, total)) / total) : 100
  return `from schema ${from} to ${to}: ${step}, ${percent} %`
}

/**
 * Adds tables and columns, stores the progress of the steps that follow, and sets
 * `migratingVersion`, which other releases refuse.
 */
function begin(db: Database): void {
  const from = versionOf(db)
  db.transaction(() => {
    for (const [version, sql] of additions) if (version > from) db.exec(sql)
    if (from >= 10) db.exec(sizeColumns)
    db.exec(`CREATE TABLE migration (
      from_version INTEGER NOT NULL, step TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL) STRICT`)
    const [first] = stepsFrom(from)
    db.prepare('INSERT INTO migration VALUES (?, ?, 0, ?)').run(from, first?.name, first?.total(db))
    db.pragma(`user_version = ${migratingVersion}`)
  }).immediate()
}

/** Executes a part of a step and stores the progress, in one transaction. The last part ends the migration. */
function runPart(db: Database, { from, step: name, done }: MigrationProgress): void {
  const steps = stepsFrom(from)
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

function executing(name: string, statements: readonly string[]): Step {
  return {
    name,
    total: () => statements.length,
    run(db, done) {
      db.exec(statements[done] ?? '')
      return done + 1
    },
  }
}

function highestDirectory(db: Database): number {
  const highest = db.prepare('SELECT max(id) FROM directory WHERE misplaced > 0').pluck()
  return (highest.get() as number | null) ?? 0
}

/** Marks the misplaced files of the next directory that has any. @returns its id; `Infinity` after the last one */
function markMisplaced(db: Database, done: number): number {
  const next = db.prepare(
    'SELECT id, path FROM directory WHERE id > ? AND misplaced > 0 ORDER BY id LIMIT 1',
  )
  const row = next.get(done) as { id: number; path: string } | undefined
  if (row === undefined) return Infinity
  const parsed = parseDirectory(row.path)
  if (parsed.kind === 'directory') markFiles(db, row.id, parsed)
  return row.id
}

/**
 * Marks the misplaced files of a directory by the rule of the releases with schema 9 and older. That rule uses the unit of the
 * period, so a file with the period `24H` fits the directory of an hour.
 */
function markFiles(db: Database, directory: number, expected: ArchiveDirectory): void {
  const { startSeconds: from, spanSeconds: span } = expected
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

/** Number of ids in a range: one bucket of the highest level of `id_count`. */
const idsPerRange = 2 ** Math.max(...idCountLevels)

function highestId(db: Database): number {
  return (db.prepare('SELECT max(id) FROM file').pluck().get() as number | null) ?? 0
}

/** Counts the next range of ids that has files. @returns the first id of the range after it; `Infinity` at the end */
function countIds(db: Database, done: number): number {
  const next = db.prepare('SELECT min(id) FROM file WHERE id >= ?').pluck()
  const id = next.get(done) as number | null
  if (id === null) return Infinity
  const firstId = Math.floor(id / idsPerRange) * idsPerRange
  new Driver(db).write(count('id_count', `id BETWEEN ${firstId} AND ${firstId + idsPerRange - 1}`))
  return firstId + idsPerRange
}

function checkFreeSpace(db: Database, path: string): void {
  const [needed, free] = [Math.ceil(sizeOf(db) * freeSpaceFactor), freeBeside(path)]
  if (free < needed)
    throw new UnusableDatabase(
      `${path} cannot be migrated to schema ${schemaVersion}: needs ${needed} bytes of free space, ${free} are available: free some space on its disk`,
      { cause: { code: 'ENOSPC' } },
    )
}

/** Copies the database beside it, as its newest backup. */
function makeBackup(db: Database, path: string): void {
  const copy = newBackupPath(path)
  discard(copy)
  db.pragma('wal_checkpoint(TRUNCATE)')
  copyFileSync(path, copy, constants.COPYFILE_FICLONE)
  const sealed = new Sqlite(copy)
  sealed.pragma('journal_mode = DELETE')
  sealed.close()
  rotateBackups(path)
}
