/** The SQL columns of records and of their details, and the conversion of their rows. */
import type { FileRecord, FileDetails } from '../records.ts'
import type { Problem } from '../filter.ts'

/** The columns of a record, from `file` or `tombstone` as `f` and `directory` as `d`. */
export const fileColumns = `f.id, d.path AS directory, f.name, f.created_us AS createdUs,
  coalesce(f.modified_us, f.created_us) AS modifiedUs, f.size, f.mtime_us AS mtimeUs, f.seq`

/**
 * SQL for the new `modified_us` of a record whose file has changed at `@now`. Even if the clock was set back, it is later than
 * `created_us` and differs from the previous value.
 */
export const movedModified = `max(@now, created_us + 1)
  + (max(@now, created_us + 1) IS modified_us)`

export type FileRow = Omit<FileRecord, 'size' | 'mtimeUs'> & {
  readonly size: number | null
  readonly mtimeUs: number | null
}

export function toRecord(row: FileRow): FileRecord {
  return { ...row, size: row.size ?? undefined, mtimeUs: row.mtimeUs ?? undefined }
}

/** SQL for the first problem of a record, in the order of `problems`. */
const problemOf = `CASE WHEN f.incomplete = 1 THEN 'incomplete' WHEN c.broken = 1 THEN 'broken'
  WHEN f.misplaced = 1 THEN 'misplaced' END`

export const detailColumns = `f.size, f.mtime_us, c.sha256, ${problemOf}`

/** The columns of `detailColumns` for a tombstone, which has no checksum and no problem. */
export const removedDetailColumns = 'f.size, f.mtime_us, NULL, NULL'

export type DetailRow = readonly [
  size: number | null,
  mtimeUs: number | null,
  sha256: Buffer | null,
  problem: Problem | null,
]

export function toDetails([size, mtimeUs, sha256, problem]: DetailRow): FileDetails {
  return {
    size: size ?? undefined,
    mtimeUs: mtimeUs ?? undefined,
    sha256: sha256 ?? undefined,
    problem: problem ?? undefined,
  }
}
