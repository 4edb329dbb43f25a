/** Reads checksums: the SQL that joins a file with its valid checksum, the checksums of a directory, and their version. */
import type { Database } from 'better-sqlite3'
import type { ChecksumChunk } from '../reader.ts'
import type { ChecksumEntry, Head } from '../records.ts'
import { identityColumns, isValidChecksum, joinedChecksum } from '../questions/record.ts'
import type { IdentityRow } from '../questions/record.ts'

/** Number of files in a chunk; reading a chunk takes about two milliseconds. */
const filesPerChunk = 500

/** Columns of the checksum `c` of a file `f`, for `joinedChecksum`. */
export const checksumColumns = `c.sha256, ${identityColumns}`

/** All columns are `null` without a valid checksum. Only `sha256` is not `null` for a checksum without an identity. */
export type ChecksumRow = IdentityRow & { readonly sha256: Buffer | null }

interface EntryRow {
  readonly name: string
  readonly sha256: Buffer | null
  readonly problem: NonNullable<ChecksumEntry['problem']> | null
}

/** Queries for checksums (see `CatalogueReader`). */
export interface Checksums {
  checksumsVersion(directory: string): string | undefined
  checksums(directory: string, after: string): ChecksumChunk | undefined
  awaitsChecksum(id: number): boolean
}

export function prepareChecksums(db: Database, head: () => Head): Checksums {
  const directory = db.prepare('SELECT id FROM directory WHERE path = ? AND gone = 0').pluck()
  const state = db
    .prepare('SELECT id, changed_us, hashed FROM directory WHERE path = ? AND gone = 0')
    .raw()
  const files = db.prepare(
    `SELECT f.name, c.sha256, iif(f.incomplete = 1, 'incomplete', iif(c.broken = 1, 'broken', NULL)) AS problem
     FROM file f ${joinedChecksum} WHERE f.directory = ? AND f.name > ?
     ORDER BY f.name LIMIT ${filesPerChunk}`,
  )
  // As long as hashing has not begun, `h.seq` is NULL, and only files with a stale checksum wait.
  const waiting = db
    .prepare(
      `SELECT c.stale_us IS NOT NULL OR (f.seq > h.seq AND NOT EXISTS
         (SELECT 1 FROM checksum c WHERE ${isValidChecksum}))
       FROM file f CROSS JOIN hashing h LEFT JOIN checksum c ON c.id = f.id WHERE f.id = ?`,
    )
    .pluck()
  const checksums = (path: string, after: string): ChecksumChunk | undefined => {
    const id = directory.get(path) as number | undefined
    if (id === undefined) return undefined
    const rows = files.all(id, after) as EntryRow[]
    return {
      files: rows.map(({ name, sha256, problem }) => ({
        ...{ name, sha256: sha256 ?? undefined, problem: problem ?? undefined },
      })),
      next: rows.length < filesPerChunk ? undefined : rows.at(-1)?.name,
    }
  }
  return {
    // `changed_us` changes if files are new, modified or removed, or their size becomes known; `hashed` changes if checksums are
    // new or stale.
    checksumsVersion: db.transaction((path: string) => {
      const numbers = state.get(path) as (number | null)[] | undefined
      const codes = numbers?.map((number) => (number ?? 0).toString(36))
      return codes && [head().epoch, ...codes].join('-')
    }),
    checksums: db.transaction(checksums),
    awaitsChecksum: (id) => waiting.get(id) === 1,
  }
}
