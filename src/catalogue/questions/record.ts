/** The columns of records, of their details and of their checksums. */
import type { Problem } from '../filter.ts'
import type { FileDetails, FileIdentity, FileRecord } from '../records.ts'
import type { Columns, ColumnType, Dialect } from './dialect.ts'

/**
 * The columns that a live record (`file`) and the last record of a removed file (`tombstone`) have
 * in common, with their constraints. A file that is removed, and one that comes back, keeps them.
 */
const columns = {
  id: { type: 'bigint', constraint: 'PRIMARY KEY' },
  directory: { type: 'int', constraint: 'NOT NULL REFERENCES directory (id)' },
  name: { type: 'text', constraint: 'NOT NULL' },
  station: { type: 'int', constraint: 'NOT NULL REFERENCES station (id)' },
  kind: { type: 'int', constraint: 'NOT NULL REFERENCES kind (id)' },
  data_date: { type: 'bigint', constraint: 'NOT NULL' },
  size: { type: 'bigint', constraint: '' },
  mtime_us: { type: 'bigint', constraint: '' },
  created_us: { type: 'bigint', constraint: 'NOT NULL' },
  modified_us: { type: 'bigint', constraint: '' },
} as const satisfies Record<string, { type: ColumnType; constraint: string }>

export const recordColumns = Object.entries(columns).map(([name, column]) => ({ name, ...column }))

/** All columns of `file`, which has more than a tombstone. */
export const fileTypes: Columns = {
  ...Object.fromEntries(recordColumns.map(({ name, type }) => [name, type])),
  returned_us: 'bigint',
  seq: 'bigint',
  change: 'int',
  arrived: 'int',
  incomplete: 'int',
  misplaced: 'int',
}

/** SQL that stores what the disk says of a live file, and more columns. */
export function setFacts(dialect: Dialect, more: Columns = {}): string {
  const facts = { size: 'bigint', mtime_us: 'bigint', incomplete: 'int' } as const
  return dialect.update('file', { id: 'bigint' }, { ...facts, ...more })
}

export const recordNames = Object.keys(columns).join(', ')

type ValueOf<Column> = Column extends { type: 'text' }
  ? string
  : Column extends { constraint: '' }
    ? number | null
    : number

/** A row of `recordNames`. */
export type RecordRow = { readonly [Name in keyof typeof columns]: ValueOf<(typeof columns)[Name]> }

export function toRecordRow(row: readonly unknown[]): RecordRow {
  return Object.fromEntries(
    recordColumns.map(({ name }, index) => [name, row[index]]),
  ) as unknown as RecordRow
}

/**
 * The new `modified_us` of a record whose file has changed. Even if the clock was set back, it is
 * later than `created_us` and differs from the previous value.
 */
export function movedModified(
  nowUs: number,
  { created_us, modified_us }: Pick<RecordRow, 'created_us' | 'modified_us'>,
): number {
  const moved = Math.max(nowUs, created_us + 1)
  return moved === modified_us ? moved + 1 : moved
}

/** The columns of a record, from `file` or `tombstone` as `f` and `directory` as `d`. */
export const fileColumns = `f.id, d.path AS directory, f.name, f.created_us AS createdUs,
  coalesce(f.modified_us, f.created_us) AS modifiedUs, f.size, f.mtime_us AS mtimeUs, f.seq`

export type FileRow = Omit<FileRecord, 'size' | 'mtimeUs'> & {
  readonly size: number | null
  readonly mtimeUs: number | null
}

export function toRecord(row: FileRow): FileRecord {
  return { ...row, size: row.size ?? undefined, mtimeUs: row.mtimeUs ?? undefined }
}

/**
 * SQL condition: checksum `c` is valid for file `f`, which means same size and mtime as the record,
 * and not stale.
 */
export const isValidChecksum =
  'c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us AND c.stale_us IS NULL'
export const joinedChecksum = `LEFT JOIN checksum c ON ${isValidChecksum}`

/** The identity of the file that was hashed, from its checksum `c`. */
export const identityColumns = 'c.inode, c.ctime_us AS ctimeUs, c.links, c.mode, c.uid, c.gid'

/**
 * All columns are `null` without a valid checksum, or for a checksum that an older release stored
 * without an identity.
 */
export type IdentityRow = {
  readonly [Key in Exclude<keyof FileIdentity, 'size' | 'mtimeUs'>]: number | null
}

/**
 * The identity of the file that was hashed; `undefined` without a checksum or if the identity is
 * unknown.
 */
export function toBound(
  { inode, ctimeUs, links, mode, uid, gid }: IdentityRow,
  { size, mtimeUs }: { readonly size: number | null; readonly mtimeUs: number | null },
): FileIdentity | undefined {
  if (inode === null || size === null || mtimeUs === null) return undefined
  // Either all attributes are `null` or none.
  return { inode, size, mtimeUs, ctimeUs, links, mode, uid, gid } as FileIdentity
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
