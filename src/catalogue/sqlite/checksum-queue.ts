/** Finds files that have no valid checksum, and stores checksums; for the writer. */
import type { Database } from 'better-sqlite3'
import type { ArrivedUnhashed, Checksum, StaleFiles, UnhashedFile } from '../writer.ts'
import type { ChecksumRows } from './checksum-rows.ts'
import type { Directories } from './directories.ts'
import { prepareRaiseDetails } from './sequences.ts'

/** Maximum number of changes, and of files, that one query examines, which takes one or two milliseconds. */
const changesPerQuery = 1000
const filesPerQuery = 2000
/** Maximum number of files that one query returns. */
const maxResults = 100
/**
 * Longest time (µs) for which hashing a file with a stale checksum is postponed. A later time means that the clock was set back,
 * so the file is hashed now.
 */
const longestWaitUs = 3_600_000_000

const columns = `f.id, d.path || '/' || f.name AS path, f.size, f.mtime_us AS mtimeUs, f.seq`
const sinceUs =
  'max(f.created_us, coalesce(f.modified_us, 0), coalesce(f.returned_us, 0)) AS sinceUs'

/** SQL condition: file `f` has no checksum of its current version. Files with a stale checksum are in a queue of their own. */
const isUnhashed = `NOT EXISTS (SELECT 1 FROM checksum c
  WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us)`

type UnhashedRow = Omit<UnhashedFile, 'size' | 'mtimeUs'> & {
  readonly size: number | null
  readonly mtimeUs: number | null
}

export interface HashingParts {
  readonly directories: Directories
  readonly rows: ChecksumRows
  /** The clock: microseconds since 1970. */
  readonly nowUs: () => number
}

export function prepareHashing(db: Database, parts: HashingParts) {
  const position = db.prepare('SELECT seq FROM hashing WHERE one = 1').pluck()
  const head = db.prepare('SELECT seq FROM catalogue WHERE one = 1').pluck()
  const nextChanges = `SELECT * FROM file WHERE seq > ? ORDER BY seq LIMIT ${changesPerQuery}`
  const lastOf = (rows: string) => db.prepare(`SELECT max(seq), count(*) FROM (${rows})`).raw()
  const lastChange = lastOf(nextChanges)
  const arrived = db.prepare(
    `SELECT ${columns}, ${sinceUs} FROM (${nextChanges}) f JOIN directory d ON d.id = f.directory
     WHERE ${isUnhashed} ORDER BY f.seq LIMIT ${maxResults}`,
  )
  const nextBelow = `SELECT * FROM file WHERE id < ? ORDER BY id DESC LIMIT ${filesPerQuery}`
  const lastBelow = db.prepare(`SELECT min(id) FROM (${nextBelow})`).pluck()
  const below = db.prepare(
    `SELECT ${columns}, ${sinceUs} FROM (${nextBelow}) f JOIN directory d ON d.id = f.directory
     WHERE ${isUnhashed} ORDER BY f.id DESC LIMIT ${maxResults}`,
  )
  return {
    arrived: (since: number | undefined): ArrivedUnhashed => {
      const headSeq = head.get() as number
      const from = since ?? (position.get() as number | null) ?? headSeq
      const files = (arrived.all(from) as UnhashedRow[]).map(toFile)
      const [seq, changes] = lastChange.get(from) as [number | null, number]
      // If fewer changes than the limit are found, the remaining seqs belong to removals.
      const end = seq === null || changes < changesPerQuery ? headSeq : seq
      const throughSeq = files.length < maxResults ? end : (files.at(-1)?.seq ?? end)
      return { files, throughSeq, behind: headSeq - throughSeq }
    },
    below: (id: number) => {
      const files = (below.all(id) as UnhashedRow[]).map(toFile)
      const end = (lastBelow.get(id) as number | null) ?? undefined
      return { files, next: files.length < maxResults ? end : files.at(-1)?.id }
    },
    stale: prepareStale(db),
    ...prepareKeep(db, parts),
  }
}

/** The queue of files whose checksums are stale. */
function prepareStale(db: Database): (nowUs: number) => StaleFiles {
  const oldest = (condition: string): string =>
    `SELECT * FROM (SELECT id, stale_us FROM checksum WHERE ${condition} ORDER BY stale_us LIMIT ${maxResults})`
  const files = db.prepare(
    `SELECT ${columns}, c.stale_us AS sinceUs
     FROM (${oldest('stale_us <= @nowUs')} UNION ALL ${oldest('stale_us > @nowUs + @longestWaitUs')}) c
     CROSS JOIN file f ON f.id = c.id CROSS JOIN directory d ON d.id = f.directory
     ORDER BY c.stale_us LIMIT ${maxResults}`,
  )
  const count = db.prepare('SELECT stale FROM hashing WHERE one = 1').pluck()
  return (nowUs) => ({
    files: (files.all({ nowUs, longestWaitUs }) as UnhashedRow[]).map(toFile),
    count: count.get() as number,
  })
}

function prepareKeep(db: Database, { directories, rows, nowUs }: HashingParts) {
  const fill = db.prepare(
    `UPDATE file SET size = @size, mtime_us = @mtimeUs
     WHERE id = @id AND size IS NULL AND mtime_us IS NULL`,
  )
  const directoryOf = db
    .prepare('SELECT d.path FROM file f JOIN directory d ON d.id = f.directory WHERE f.id = ?')
    .pluck()
  const touch = db.prepare(
    'UPDATE directory SET hashed = hashed + 1 WHERE id = (SELECT directory FROM file WHERE id = ?)',
  )
  const through = db.prepare('UPDATE hashing SET seq = max(coalesce(seq, 0), ?) WHERE one = 1')
  const raiseDetails = prepareRaiseDetails(db)
  const keep = db.transaction((checksums: readonly Checksum[], throughSeq: number): void => {
    if (checksums.length > 0) raiseDetails()
    const filled = new Set<string>()
    for (const checksum of checksums) {
      const { id, size, mtimeUs } = checksum
      // If size and mtime become known, the record does not change, but listings show them.
      if (fill.run({ id, size, mtimeUs }).changes > 0) filled.add(directoryOf.get(id) as string)
      rows.replace(checksum, nowUs())
      touch.run(id)
    }
    for (const path of filled) directories.touch(path, nowUs())
    through.run(throughSeq)
  })
  const hashAgain = db.transaction((ids: readonly number[], fromUs: number): void => {
    let becameStale = false
    for (const id of ids)
      if (rows.markStale(id, fromUs)) {
        touch.run(id)
        becameStale = true
      } else rows.postpone(id, fromUs)
    if (becameStale) raiseDetails()
  })
  return {
    keep: (checksums: readonly Checksum[], throughSeq: number): void => {
      keep.immediate(checksums, throughSeq)
    },
    hashAgain: (ids: readonly number[], fromUs: number): void => {
      if (ids.length > 0) hashAgain.immediate(ids, fromUs)
    },
  }
}

function toFile(row: UnhashedRow): UnhashedFile {
  return { ...row, size: row.size ?? undefined, mtimeUs: row.mtimeUs ?? undefined }
}
