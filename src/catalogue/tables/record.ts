/** The columns of records. */
import type { Columns, ColumnType, Dialect } from '../dialect.ts'
import type { FileIdentity } from '../records.ts'

interface RecordColumn {
  readonly type: Exclude<ColumnType, 'bytea'>
  readonly constraint: string
}

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
  size: { type: 'bigint', constraint: 'NOT NULL' },
  mtime_us: { type: 'bigint', constraint: 'NOT NULL' },
  created_us: { type: 'bigint', constraint: 'NOT NULL' },
  modified_us: { type: 'bigint', constraint: '' },
} as const satisfies Readonly<Record<string, RecordColumn>>

export const recordColumns = Object.entries<RecordColumn>(columns).map(([name, column]) => ({
  name,
  ...column,
}))

/** All columns of `file`, which has more than a tombstone. */
export const fileColumns: Columns = {
  ...Object.fromEntries(recordColumns.map(({ name, type }) => [name, type])),
  returned_us: 'bigint',
  seq: 'bigint',
  change: 'int',
  incomplete: 'int',
  misplaced: 'int',
  damaged_us: 'bigint',
  arrival_us: 'bigint',
  disguised: 'int',
}

/** The columns of `kind` after its id. */
export const kindColumns = [
  'area',
  'file_version',
  'file_duration',
  'file_type',
  'source',
  'period',
  'interval',
  'content',
] as const

/** SQL that stores what the disk says of a live file, and more columns. */
export function setFacts(dialect: Dialect, more: Columns = {}): string {
  const facts = {
    size: 'bigint',
    mtime_us: 'bigint',
    incomplete: 'int',
    disguised: 'int',
    damaged_us: 'bigint',
  } as const
  return dialect.update('file', { id: 'bigint' }, { ...facts, ...more })
}

/**
 * Whether a file cannot be used: its content has no end, is damaged, or flagged by what makes files
 * damaged, or the file is empty.
 */
export function isDamaged(file: {
  readonly size: number
  readonly incomplete?: boolean
  readonly isBroken?: boolean
  readonly isFlagged?: boolean
}): boolean {
  const { size, incomplete = false, isBroken = false, isFlagged = false } = file
  return size === 0 || incomplete || isBroken || isFlagged
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

/** SQL for the time at which size or mtime changed last; `file_modified` indexes it. */
export function modifiedOf(table = ''): string {
  return `coalesce(${table}modified_us, ${table}created_us)`
}

/** SQL for the time of the latest change of live file `f`. */
export function latestChangeUs(dialect: Dialect): string {
  return dialect.greatest(
    'f.created_us',
    'coalesce(f.modified_us, 0)',
    'coalesce(f.returned_us, 0)',
  )
}

/** SQL: checksum `c` is valid for file `f`: size and mtime of the record, and not stale. */
export const isValidChecksum = `c.id = f.id AND c.size = f.size AND c.mtime_us = f.mtime_us
  AND c.stale_us IS NULL`

export const joinedChecksum = `LEFT JOIN checksum c ON ${isValidChecksum}`

/** The columns of the identity of the file that was hashed, without size and mtime. */
export const identityColumns = {
  inode: 'bigint',
  ctime_us: 'bigint',
  links: 'bigint',
  mode: 'bigint',
  uid: 'bigint',
  gid: 'bigint',
} as const

/** SQL for these columns of a checksum `c`. */
export const identityOfChecksum = Object.keys(identityColumns)
  .map((name) => `c.${name}`)
  .join(', ')

type Attribute = number | null

/** A row of these columns; all are NULL without a valid checksum. */
export type IdentityRow = readonly [
  inode: Attribute,
  ctimeUs: Attribute,
  links: Attribute,
  mode: Attribute,
  uid: Attribute,
  gid: Attribute,
]

/** The identity of the file that was hashed; `undefined` without a valid checksum. */
export function identityOf(
  [inode, ctimeUs, links, mode, uid, gid]: IdentityRow,
  { size, mtimeUs }: { readonly size: number; readonly mtimeUs: number },
): FileIdentity | undefined {
  if (inode === null) return undefined
  // Either all attributes are `null` or none.
  return { inode, size, mtimeUs, ctimeUs, links, mode, uid, gid } as FileIdentity
}

/** The values of these columns. */
export function identityRow({ inode, ctimeUs, links, mode, uid, gid }: FileIdentity) {
  return { inode, ctime_us: ctimeUs, links, mode, uid, gid }
}
