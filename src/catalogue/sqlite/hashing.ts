/** The writer's side of checksums: what still has to be read, and keeping what came of it. */
import type { Database } from 'better-sqlite3'
import type { ArrivedUnhashed, Checksum, UnhashedFile } from '../catalogue-writer.ts'
import type { Directories } from './directories.ts'

/** Changes and files gone through at a time: one or two milliseconds. */
const changesAtATime = 1000
const filesAtATime = 2000
/** Files found at a time. */
const mostFound = 100

const columns = `f.id, d.path || '/' || f.name AS path, f.size, f.mtime_us AS mtimeUs, f.seq,
  max(f.created_us, coalesce(f.modified_us, 0), coalesce(f.returned_us, 0)) AS sinceUs`

/** Of a file `f` that was not read as the record has it. */
const isUnhashed = `NOT EXISTS (SELECT 1 FROM checksum c
  WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us)`

type UnhashedRow = Omit<UnhashedFile, 'size' | 'mtimeUs'> & {
  readonly size: number | null
  readonly mtimeUs: number | null
}

/** @param nowUs the clock: microseconds since 1970 */
export function prepareHashing(db: Database, directories: Directories, nowUs: () => number) {
  const position = db.prepare('SELECT seq FROM hashing WHERE one = 1').pluck()
  const head = db.prepare('SELECT seq FROM catalogue WHERE one = 1').pluck()
  const nextChanges = `SELECT * FROM file WHERE seq > ? ORDER BY seq LIMIT ${changesAtATime}`
  const lastOf = (some: string) => db.prepare(`SELECT max(seq), count(*) FROM (${some})`).raw()
  const lastChange = lastOf(nextChanges)
  const arrived = db.prepare(
    `SELECT ${columns} FROM (${nextChanges}) f JOIN directory d ON d.id = f.directory
     WHERE ${isUnhashed} ORDER BY f.seq LIMIT ${mostFound}`,
  )
  const nextBelow = `SELECT * FROM file WHERE id < ? ORDER BY id DESC LIMIT ${filesAtATime}`
  const lastBelow = db.prepare(`SELECT min(id) FROM (${nextBelow})`).pluck()
  const below = db.prepare(
    `SELECT ${columns} FROM (${nextBelow}) f JOIN directory d ON d.id = f.directory
     WHERE ${isUnhashed} ORDER BY f.id DESC LIMIT ${mostFound}`,
  )
  return {
    arrived: (since: number | undefined): ArrivedUnhashed => {
      const headSeq = head.get() as number
      const from = since ?? (position.get() as number | null) ?? headSeq
      const files = (arrived.all(from) as UnhashedRow[]).map(toFile)
      const [seq, changes] = lastChange.get(from) as [number | null, number]
      // Where nothing more is found the rest of the numbers are of removals.
      const end = seq === null || changes < changesAtATime ? headSeq : seq
      const throughSeq = files.length < mostFound ? end : (files.at(-1)?.seq ?? end)
      return { files, throughSeq, behind: headSeq - throughSeq }
    },
    below: (id: number) => {
      const files = (below.all(id) as UnhashedRow[]).map(toFile)
      const end = (lastBelow.get(id) as number | null) ?? undefined
      return { files, next: files.length < mostFound ? end : files.at(-1)?.id }
    },
    keep: prepareKeep(db, directories, nowUs),
  }
}

function prepareKeep(db: Database, directories: Directories, nowUs: () => number) {
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
  const dropChecksum = prepareDropChecksum(db)
  const insert = db.prepare(
    `INSERT INTO checksum (id, sha256, size, mtime_us, broken)
     SELECT id, @sha256, size, mtime_us, @broken FROM file
     WHERE id = @id AND size = @size AND mtime_us = @mtimeUs`,
  )
  const count = db.prepare(
    'UPDATE hashing SET files = files + ?, seq = max(coalesce(seq, 0), ?) WHERE one = 1',
  )
  const keep = db.transaction((checksums: readonly Checksum[], throughSeq: number): void => {
    let kept = 0
    const filled = new Set<string>()
    for (const { id, size, mtimeUs, sha256, broken } of checksums) {
      // Of a file of which only the name was known, that it has them is no change, but listings show them.
      if (fill.run({ id, size, mtimeUs }).changes > 0) filled.add(directoryOf.get(id) as string)
      dropChecksum(id)
      kept += insert.run({ id, size, mtimeUs, sha256, broken: broken ? 1 : 0 }).changes
      touch.run(id)
    }
    for (const path of filled) directories.touch(path, nowUs())
    count.run(kept, throughSeq)
  })
  return (checksums: readonly Checksum[], throughSeq: number): void => {
    keep.immediate(checksums, throughSeq)
  }
}

/** Prepares dropping the checksum of a file that is gone or has changed, within a transaction. */
export function prepareDropChecksum(db: Database): (id: number) => void {
  const drop = db.prepare('DELETE FROM checksum WHERE id = ?')
  const count = db.prepare('UPDATE hashing SET files = files - 1 WHERE one = 1')
  return (id) => {
    if (drop.run(id).changes > 0) count.run()
  }
}

function toFile(row: UnhashedRow): UnhashedFile {
  return { ...row, size: row.size ?? undefined, mtimeUs: row.mtimeUs ?? undefined }
}
