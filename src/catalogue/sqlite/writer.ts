import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { CatalogueRuined } from '../catalogue.ts'
import type {
  AppliedChange,
  CatalogueWriter,
  DirectoryChange,
  DirectoryStamp,
  KnownDirectory,
  KnownFile,
  KnownStamp,
  RemovedFiles,
  ScanSummary,
} from '../catalogue.ts'
import type { Area } from '../../parse/archive-path.ts'
import { lockWriter } from './lock.ts'
import { adoptNumbers, openGivenNumbers, reserveNumbers } from './numbers.ts'
import { isRuin, openForWriting, setAside } from './open.ts'
import { prepareApply } from './apply.ts'
import { prepareForget } from './forget.ts'
import { prepareSummary } from './summary.ts'

export interface WriterOptions {
  /** Path of the database file; its folder is created when it is missing. */
  readonly database: string
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

/** A writer, and in what state it found the database. */
export interface OpenedWriter extends CatalogueWriter {
  /** Where a ruined database was set aside to, if one was. */
  readonly setAside: string | undefined
  /** Whether it is older than the numbers that were given: a copy that was put back. */
  readonly putBack: boolean
}

/**
 * Opens the catalogue for writing; creates it when there is none.
 * @throws AlreadyRunning when another process writes it, UnusableDatabase when the file is not ours to use.
 */
export function openWriter(options: WriterOptions): OpenedWriter {
  mkdirSync(dirname(options.database), { recursive: true, mode: 0o750 })
  const lock = lockWriter(options.database)
  try {
    const { db, setAside } = openForWriting(options.database)
    const numbersPath = `${options.database}-numbers`
    const putBack = adoptNumbers(db, numbersPath, { restored: false })
    const { database: path, nowUs } = options
    return { setAside, putBack, ...prepareWriter({ db, path, numbersPath, lock, nowUs }) }
  } catch (error) {
    lock.release()
    throw error
  }
}

interface WriterParts {
  readonly db: Database
  readonly path: string
  readonly numbersPath: string
  readonly lock: { release: () => void }
  readonly nowUs: () => number
}

function prepareWriter(parts: WriterParts): CatalogueWriter {
  const { db } = parts
  const queries = prepareQueries(db)
  const applyAll = prepareApply(db, parts.nowUs)
  const summary = db.transaction(prepareSummary(db))
  const promised = promiseOf(parts.path)
  const checkPlace = placeChecker(parts.path)
  const given = openGivenNumbers(db, parts.numbersPath)
  return {
    directories: promised(() => {
      checkPlace()
      return queries.directories()
    }),
    directory: promised(queries.directory),
    count: promised(queries.count),
    removedSince: promised(queries.removedSince),
    apply: promised((changes: readonly DirectoryChange[]): AppliedChange => {
      checkPlace()
      reserveNumbers(db, parts.numbersPath, numbersNeeded(changes))
      const applied = applyAll(changes)
      given.committed()
      return applied
    }),
    summary: promised(() => summary()),
    forgetRemovals: promised(prepareForget(db)),
    scanned: promised(queries.scanned),
    checkpoint: promised(() => {
      given.remember()
      db.pragma('wal_checkpoint(TRUNCATE)')
    }),
    close() {
      given.remember()
      db.close()
      parts.lock.release()
    },
  }
}

/**
 * Lets a synchronous engine keep the promises of the seam: what it throws becomes a rejection. A database that
 * turns out to be ruined is set aside first.
 */
function promiseOf(path: string) {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (!isRuin(error)) throw error
      const words = `the database is ruined (${error.message}), set aside as ${setAside(path)}`
      throw new CatalogueRuined(words, { cause: error })
    }
  }
  return <Args extends unknown[], T>(work: (...args: Args) => T) =>
    (...args: Args): Promise<T> =>
      new Promise((resolve) => {
        resolve(guarded(() => work(...args)))
      })
}

/** Nobody reads what is written to a file that was removed or replaced. */
function placeChecker(path: string): () => void {
  const opened = statSync(path)
  return () => {
    const now = statSync(path, { throwIfNoEntry: false })
    if (now?.ino !== opened.ino || now.dev !== opened.dev)
      throw new CatalogueRuined(`${path} was removed or replaced while it was in use`)
  }
}

function numbersNeeded(changes: readonly DirectoryChange[]): number {
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
  heldSinceUs: number | null
}

interface KnownFileRow {
  id: number
  name: string
  size: number | null
  mtimeUs: number | null
}

function prepareQueries(db: Database) {
  const stamp =
    'path, mtime_us AS mtimeUs, ctime_us AS ctimeUs, inode, held_since_us AS heldSinceUs'
  const directories = db.prepare(`SELECT ${stamp} FROM directory WHERE gone = 0`)
  const directory = db.prepare(`SELECT id, ${stamp} FROM directory WHERE path = ?`)
  const files = db.prepare(
    'SELECT id, name, size, mtime_us AS mtimeUs FROM file WHERE directory = ?',
  )
  const count = db.prepare('SELECT files FROM area WHERE name = ?').pluck()
  // From the latest back to the first that is older, rather than through all that are remembered.
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
        heldSinceUs: row.heldSinceUs ?? undefined,
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

function toKnownFile({ id, name, size, mtimeUs }: KnownFileRow): [string, KnownFile] {
  return [name, { id, size: size ?? undefined, mtimeUs: mtimeUs ?? undefined }]
}
