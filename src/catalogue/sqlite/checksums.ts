import type { Database } from 'better-sqlite3'
import type { ChecksumChunk } from '../catalogue.ts'

/** Files of a chunk: about two milliseconds. */
const filesPerChunk = 500

/** The checksum of a file `f` while it holds: the file was read as the record has it. */
export const checksumColumn = `(SELECT c.sha256 FROM checksum c
  WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us) AS sha256`

export interface ChecksumRow {
  readonly sha256: Buffer | null
}

/** Prepares reading the checksums of a directory in pieces. Call within one transaction. */
export function prepareChecksums(db: Database) {
  const directory = db.prepare('SELECT id FROM directory WHERE path = ? AND gone = 0').pluck()
  const files = db.prepare(
    `SELECT f.name, ${checksumColumn} FROM file f WHERE f.directory = ? AND f.name > ?
     ORDER BY f.name LIMIT ${filesPerChunk}`,
  )
  return (path: string, after: string): ChecksumChunk | undefined => {
    const id = directory.get(path) as number | undefined
    if (id === undefined) return undefined
    const rows = files.all(id, after) as (ChecksumRow & { name: string })[]
    return {
      files: rows.map(({ name, sha256 }) => ({ name, sha256: sha256 ?? undefined })),
      next: rows.length < filesPerChunk ? undefined : rows.at(-1)?.name,
    }
  }
}
