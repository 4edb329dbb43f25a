import type { Database } from 'better-sqlite3'
import type { ChecksumChunk, Head } from '../catalogue.ts'

/** Files of a chunk: about two milliseconds. */
const filesPerChunk = 500

/** The checksum of a file `f` while it holds: the file was read as the record has it. */
export const checksumColumn = `(SELECT c.sha256 FROM checksum c
  WHERE c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us) AS sha256`

export interface ChecksumRow {
  readonly sha256: Buffer | null
}

/** The checksums of directories. */
export interface Checksums {
  checksumsVersion(directory: string): string | undefined
  checksums(directory: string, after: string): ChecksumChunk | undefined
}

export function prepareChecksums(db: Database, head: () => Head): Checksums {
  const directory = db.prepare('SELECT id FROM directory WHERE path = ? AND gone = 0').pluck()
  const state = db
    .prepare('SELECT id, changed_us, hashed FROM directory WHERE path = ? AND gone = 0')
    .raw()
  const files = db.prepare(
    `SELECT f.name, ${checksumColumn} FROM file f WHERE f.directory = ? AND f.name > ?
     ORDER BY f.name LIMIT ${filesPerChunk}`,
  )
  const checksums = (path: string, after: string): ChecksumChunk | undefined => {
    const id = directory.get(path) as number | undefined
    if (id === undefined) return undefined
    const rows = files.all(id, after) as (ChecksumRow & { name: string })[]
    return {
      files: rows.map(({ name, sha256 }) => ({ name, sha256: sha256 ?? undefined })),
      next: rows.length < filesPerChunk ? undefined : rows.at(-1)?.name,
    }
  }
  return {
    // Files that come, change and go, and sizes that are learnt, move the time; new checksums of the same files the number.
    checksumsVersion: db.transaction((path: string) => {
      const numbers = state.get(path) as (number | null)[] | undefined
      const words = numbers?.map((number) => (number ?? 0).toString(36))
      return words && [head().epoch, ...words].join('-')
    }),
    checksums: db.transaction(checksums),
  }
}
