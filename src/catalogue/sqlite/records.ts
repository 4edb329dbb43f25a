import type { FileRecord } from '../catalogue.ts'

/** A record as it is selected, from `file` or `tombstone` as `f` and `directory` as `d`. */
export const fileColumns = `f.id, d.path AS directory, f.name, f.created_us AS createdUs,
  coalesce(f.modified_us, f.created_us) AS modifiedUs, f.size, f.mtime_us AS mtimeUs, f.seq`

/**
 * `modified_us` of a record whose file has changed `@now`. Where the clock was set back it is later than `created_us`
 * all the same, and another than before.
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
