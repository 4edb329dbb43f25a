/**
 * Applying reconciled directories: one transaction for all of them, the next number for each insert, change
 * and removal. New names are inserted by one statement for those that differ in nothing but the station, since
 * crossing into SQLite once a value is what a first scan spends its time on.
 */
import type { Database } from 'better-sqlite3'
import type {
  AppliedChange,
  DirectoryChange,
  FileFacts,
  RefusedChange,
} from '../catalogue-writer.ts'
import { prepareArrivals } from './arrivals.ts'
import { prepareBlocks } from './blocks.ts'
import type { Blocks } from './blocks.ts'
import type { ChecksumRows } from './checksum-rows.ts'
import type { Directories } from './directories.ts'
import { openDimensions } from './dimensions.ts'
import { movedModified } from './records.ts'
import { prepareHead } from './summary.ts'
import type { Tally } from './tally.ts'

export interface ApplyParts {
  readonly directories: Directories
  readonly rows: ChecksumRows
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

/** Prepares the statements; the result applies changes, all but those it refuses or, when it throws, none. */
export function prepareApply(db: Database, { directories, rows, nowUs }: ApplyParts) {
  const head = prepareHead(db)
  const setSeq = db.prepare('UPDATE catalogue SET seq = ? WHERE one = 1')
  const dimensions = openDimensions(db)
  const blocks = prepareBlocks(db)
  const arrive = prepareArrivals(db, { dimensions, blocks })
  const remove = prepareRemoval(db, { blocks, rows })
  const update = prepareUpdates(db, { blocks, rows })

  const applyOne = (change: DirectoryChange, tally: Tally): void => {
    const directory = directories.idOf(change.path)
    const now = nowUs()
    const before = tally.added - tally.removed
    for (const id of change.removed) remove(id, now, tally)
    arrive({ change, directory, nowUs: now }, tally)
    for (const facts of change.modified) update.modified(facts, now, tally)
    for (const facts of change.filled) update.filled(facts)
    directories.record(directory, change, tally.added - tally.removed - before)
    if (applyToChecksums(rows, change, now)) directories.hashed(directory)
    if (changesFiles(change)) directories.touch(change.path, now)
  }

  /** A transaction within the transaction: it is rolled back alone, with what it did to the blocks. */
  const applyAlone = db.transaction((change: DirectoryChange, tally: Tally): void => {
    applyOne(change, tally)
    blocks.flush(tally.seq)
  })

  /** Gives the error of a change that is at fault itself, of which then nothing is applied. */
  const tryOne = (change: DirectoryChange, tally: Tally): Error | undefined => {
    const before = { ...tally }
    try {
      applyAlone(change, tally)
      return undefined
    } catch (error) {
      dimensions.forget()
      blocks.forget()
      if (!isOfTheChange(error)) throw error
      Object.assign(tally, before)
      return error
    }
  }

  const transaction = db.transaction((changes: readonly DirectoryChange[], careful: boolean) => {
    const start = head()
    const tally = { seq: start.seq, added: 0, modified: 0, removed: 0 }
    const refused: RefusedChange[] = []
    for (const change of changes) {
      if (!careful) applyOne(change, tally)
      else {
        const error = tryOne(change, tally)
        if (error !== undefined) refused.push({ path: change.path, error })
      }
    }
    if (tally.seq !== start.seq) setSeq.run(tally.seq)
    blocks.flush(tally.seq)
    const { seq, ...counts } = tally
    return { head: { epoch: start.epoch, seq }, ...counts, refused }
  })

  const attempt = (changes: readonly DirectoryChange[], careful: boolean): AppliedChange => {
    try {
      return transaction.immediate(changes, careful)
    } catch (error) {
      dimensions.forget()
      blocks.forget()
      throw error
    }
  }

  return (changes: readonly DirectoryChange[]): AppliedChange => {
    try {
      return attempt(changes, false)
    } catch (error) {
      if (!isOfTheChange(error)) throw error
      // One by one costs more, and leaves out the one that it is about.
      return attempt(changes, true)
    }
  }
}

/** @returns whether a checksum became stale */
function applyToChecksums(
  rows: ChecksumRows,
  { attributes, rehash }: DirectoryChange,
  nowUs: number,
): boolean {
  let stale = 0
  for (const file of attributes) if (rows.rebind(file, nowUs)) stale++
  for (const id of rehash) if (rows.stale(id, nowUs)) stale++
  return stale > 0
}

/** Whether listings show anything of it: a checksum that becomes stale is in none. */
function changesFiles({ added, modified, filled, removed }: DirectoryChange): boolean {
  return added.length + modified.length + filled.length + removed.length > 0
}

/** Whether an error is about what was to be written, rather than about the database or its disk. */
function isOfTheChange(error: unknown): error is Error {
  if (error instanceof TypeError || error instanceof RangeError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)
}

interface UpdateParts {
  readonly blocks: Blocks
  readonly rows: ChecksumRows
}

function prepareRemoval(db: Database, { blocks, rows }: UpdateParts) {
  const bury = db.prepare(
    `INSERT INTO tombstone (id, directory, name, station, kind, data_date, size, mtime_us,
       created_us, modified_us, seq, removed_us)
     SELECT id, directory, name, station, kind, data_date, size, mtime_us, created_us, modified_us, ?, ?
     FROM file WHERE id = ?`,
  )
  const remove = db.prepare('DELETE FROM file WHERE id = ?')
  return (id: number, now: number, tally: Tally): void => {
    if (bury.run(tally.seq + 1, now, id).changes === 0) return
    remove.run(id)
    rows.forget(id)
    blocks.clear(id)
    tally.seq++
    tally.removed++
  }
}

function prepareUpdates(db: Database, { blocks, rows }: UpdateParts) {
  const modified = db
    .prepare(
      `UPDATE file SET size = @size, mtime_us = @mtimeUs, modified_us = ${movedModified},
       seq = @seq, change = 1, incomplete = @incomplete WHERE id = @id RETURNING modified_us`,
    )
    .pluck()
  const filled = db.prepare('UPDATE file SET size = @size, mtime_us = @mtimeUs WHERE id = @id')
  return {
    modified(facts: FileFacts, now: number, tally: Tally): void {
      const { id, size, mtimeUs } = facts
      const incomplete = facts.incomplete === true ? 1 : 0
      const values = { id, size, mtimeUs, incomplete, now, seq: tally.seq + 1 }
      const modifiedUs = modified.get(values) as number | undefined
      if (modifiedUs === undefined) return
      rows.forget(id)
      blocks.modified(id, modifiedUs)
      tally.seq++
      tally.modified++
    },
    filled({ id, size, mtimeUs }: FileFacts): void {
      filled.run({ id, size, mtimeUs })
    },
  }
}
