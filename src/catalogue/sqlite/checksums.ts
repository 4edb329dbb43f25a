import type { Database } from 'better-sqlite3'
import type { ChecksumChunk } from '../reader.ts'
import type { ChecksumEntry, FileIdentity, Head } from '../records.ts'
import { holds } from './checksum-rows.ts'

/** Files of a chunk: about two milliseconds. */
const filesPerChunk = 500

/** The checksum `c` of a file `f`, as columns and as the table to join. */
export const checksumColumns =
  'c.sha256, c.inode, c.ctime_us AS ctimeUs, c.links, c.mode, c.uid, c.gid'
export const joinedChecksum = `LEFT JOIN checksum c ON ${holds}`

/** All `null` without a checksum that holds. All but `sha256` are so of one of an older release. */
export type ChecksumRow = {
  readonly [Key in Exclude<keyof FileIdentity, 'size' | 'mtimeUs'>]: number | null
} & { readonly sha256: Buffer | null }

/** The file that a checksum is bound to; `undefined` without one, or while that is not known. */
export function toBound(
  { inode, ctimeUs, links, mode, uid, gid }: ChecksumRow,
  { size, mtimeUs }: { readonly size: number | null; readonly mtimeUs: number | null },
): FileIdentity | undefined {
  if (inode === null || size === null || mtimeUs === null) return undefined
  // They are set together.
  return { inode, size, mtimeUs, ctimeUs, links, mode, uid, gid } as FileIdentity
}

interface EntryRow {
  readonly name: string
  readonly sha256: Buffer | null
  readonly problem: NonNullable<ChecksumEntry['problem']> | null
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
    `SELECT f.name, c.sha256, iif(f.incomplete = 1, 'incomplete', iif(c.broken = 1, 'broken', NULL)) AS problem
     FROM file f ${joinedChecksum} WHERE f.directory = ? AND f.name > ?
     ORDER BY f.name LIMIT ${filesPerChunk}`,
  )
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
    // Files that come, change and go, and sizes that are learnt, move the time; checksums of the same files the number, also those that become stale.
    checksumsVersion: db.transaction((path: string) => {
      const numbers = state.get(path) as (number | null)[] | undefined
      const words = numbers?.map((number) => (number ?? 0).toString(36))
      return words && [head().epoch, ...words].join('-')
    }),
    checksums: db.transaction(checksums),
  }
}
