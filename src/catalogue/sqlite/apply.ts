/**
 * Applies the changes of reconciled directories in one transaction. Each insert, change and removal takes the next `seq`. The
 * counts are updated once at the end of the transaction.
 */
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'
import type { AppliedChange, DirectoryChange, FileFacts, RefusedChange } from '../writer.ts'
import type { ChecksumRows } from './checksum-rows.ts'
import type { CountChanges, CountedFile } from './count-changes.ts'
import { prepareDeliveries } from './deliveries.ts'
import type { Directories } from './directories.ts'
import { prepareInsert } from './insert.ts'
import type { Applied } from './insert.ts'
import { openLookupTables } from './lookup-tables.ts'
import { movedModified } from './record-columns.ts'
import { prepareRaiseDetails } from './sequences.ts'
import { prepareHead } from './head.ts'

interface Parts {
  readonly directories: Directories
  readonly rows: ChecksumRows
  readonly counts: CountChanges
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

/** Returns a function that applies changes and reports the refused ones. If the function throws, no change was applied. */
export function prepareApply(db: Database, { directories, rows, counts, nowUs }: Parts) {
  const head = prepareHead(db)
  const setSeq = db.prepare('UPDATE catalogue SET seq = ? WHERE one = 1')
  const raiseDetails = prepareRaiseDetails(db)
  const lookup = openLookupTables(db)
  const deliveries = prepareDeliveries(db)
  const insert = prepareInsert(db, { lookup, counts, deliveries })
  const remove = prepareRemoval(db, { rows, counts })
  const update = prepareUpdates(db, rows)
  const reset = (): void => {
    lookup.reset()
    deliveries.reset()
    counts.reset()
  }

  const applyOne = (change: DirectoryChange, applied: Applied): void => {
    const directory = directories.idOf(change.path)
    const now = nowUs()
    const before = applied.added - applied.removed
    for (const id of change.removed) remove(id, now, applied)
    insert({ change, directory, nowUs: now }, applied)
    for (const facts of change.modified) update.modified(facts, now, applied)
    for (const facts of change.filled) update.filled(facts)
    const growth = applied.added - applied.removed - before
    directories.record(directory, change, { growth, nowUs: now })
    const becameStale = applyToChecksums(rows, change, now)
    if (becameStale) directories.hashed(directory)
    if (becameStale || change.filled.length > 0) applied.details = true
    if (changesFiles(change)) directories.touch(change.path, now)
  }

  /** @param begin called with each change before it is applied, and without a change after the last one */
  const transaction = db.transaction(
    (changes: readonly DirectoryChange[], begin: (change?: DirectoryChange) => void) => {
      const start = head()
      const applied = { seq: start.seq, added: 0, modified: 0, removed: 0, details: false }
      for (const change of changes) {
        begin(change)
        applyOne(change, applied)
      }
      begin()
      if (applied.seq !== start.seq) setSeq.run(applied.seq)
      if (applied.details) raiseDetails()
      counts.flush()
      const { added, modified, removed } = applied
      return { head: head(), added, modified, removed }
    },
  )

  return (changes: readonly DirectoryChange[]): AppliedChange => {
    const refused: RefusedChange[] = []
    for (let left = changes; ;) {
      let current: DirectoryChange | undefined
      try {
        const applied = transaction.immediate(left, (change) => {
          current = change
        })
        return { ...applied, refused }
      } catch (error) {
        reset()
        if (current === undefined || !isInvalidData(error)) throw error
        // Everything was rolled back. Invalid changes are so rare that all other changes can simply be applied again.
        refused.push({ path: current.path, error })
        left = left.filter((change) => change !== current)
      }
    }
  }
}

/** @returns true if a checksum became stale */
function applyToChecksums(
  rows: ChecksumRows,
  { attributes, rehash }: DirectoryChange,
  nowUs: number,
): boolean {
  let stale = 0
  for (const file of attributes) if (rows.rebind(file, nowUs)) stale++
  for (const id of rehash) if (rows.markStale(id, nowUs)) stale++
  return stale > 0
}

/** True if listings show the change; they do not show that a checksum became stale. */
function changesFiles({ added, modified, filled, removed }: DirectoryChange): boolean {
  return added.length + modified.length + filled.length + removed.length > 0
}

/**
 * True if the database rejected a value of the change. Other errors do not count, because a bug of this program must not look
 * like invalid data of a directory.
 */
function isInvalidData(error: unknown): error is Error {
  const code = errorCode(error)
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)
}

function prepareRemoval(db: Database, { rows, counts }: Pick<Parts, 'rows' | 'counts'>) {
  const insertTombstone = db.prepare(
    `INSERT INTO tombstone (id, directory, name, station, kind, data_date, size, mtime_us,
       created_us, modified_us, seq, removed_us)
     SELECT id, directory, name, station, kind, data_date, size, mtime_us, created_us, modified_us, ?, ?
     FROM file WHERE id = ?`,
  )
  const remove = db.prepare(
    'DELETE FROM file WHERE id = ? RETURNING id, station, kind, data_date AS dataDate',
  )
  return (id: number, now: number, applied: Applied): void => {
    if (insertTombstone.run(applied.seq + 1, now, id).changes === 0) return
    counts.remove(remove.get(id) as CountedFile)
    rows.remove(id)
    applied.seq++
    applied.removed++
  }
}

function prepareUpdates(db: Database, rows: ChecksumRows) {
  const modified = db.prepare(
    `UPDATE file SET size = @size, mtime_us = @mtimeUs, modified_us = ${movedModified},
       seq = @seq, change = 1, incomplete = @incomplete WHERE id = @id`,
  )
  const filled = db.prepare(
    'UPDATE file SET size = @size, mtime_us = @mtimeUs, incomplete = @incomplete WHERE id = @id',
  )
  return {
    modified(facts: FileFacts, now: number, applied: Applied): void {
      const { id, size, mtimeUs } = facts
      const incomplete = facts.incomplete === true ? 1 : 0
      const values = { id, size, mtimeUs, incomplete, now, seq: applied.seq + 1 }
      if (modified.run(values).changes === 0) return
      rows.remove(id)
      applied.seq++
      applied.modified++
    },
    filled({ id, size, mtimeUs, incomplete = false }: FileFacts): void {
      filled.run({ id, size, mtimeUs, incomplete: incomplete ? 1 : 0 })
    },
  }
}
