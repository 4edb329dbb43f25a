/** Checksums: the SQL that joins a file with its valid one, those of a directory, their version. */
import type { ChecksumChunk, ChecksumsQuery } from '../reader.ts'
import type { ChecksumEntry, FileIdentity } from '../records.ts'
import { stateStatement, toState } from '../selection/head.ts'
import { isValidChecksum, joinedChecksum } from '../selection/record.ts'
import { all, rows, value } from '../question.ts'
import type { Question } from '../question.ts'

/** Number of files in a chunk; reading a chunk takes about two milliseconds. */
const filesPerChunk = 500

/** Columns of the identity of the file that was hashed, in a checksum `c`. */
export const identityColumns = 'c.inode, c.ctime_us, c.links, c.mode, c.uid, c.gid'

/** All are NULL without a valid checksum. */
export type IdentityRow = readonly [
  inode: number | null,
  ctimeUs: number | null,
  links: number | null,
  mode: number | null,
  uid: number | null,
  gid: number | null,
]

/** The identity of the file that was hashed; `undefined` without a valid checksum. */
export function identityOf(
  [inode, ctimeUs, links, mode, uid, gid]: IdentityRow,
  { size, mtimeUs }: { readonly size: number | undefined; readonly mtimeUs: number | undefined },
): FileIdentity | undefined {
  if (inode === null || size === undefined || mtimeUs === undefined) return undefined
  // Either all attributes are `null` or none.
  return { inode, size, mtimeUs, ctimeUs, links, mode, uid, gid } as FileIdentity
}

type EntryRow = [
  name: string,
  sha256: Uint8Array | null,
  problem: NonNullable<ChecksumEntry['problem']> | null,
]

/**
 * `changed_us` changes if files are new, modified or removed, or their size becomes known; `hashed`
 * changes if checksums are new or stale.
 */
export function* checksumsVersion(directory: string): Question<string | undefined> {
  const [state, found] = yield* all(stateStatement, {
    sql: 'SELECT id, changed_us, hashed FROM directory WHERE path = @directory AND gone = 0',
    values: { directory },
  })
  const numbers = found?.[0] as readonly (number | null)[] | undefined
  const codes = numbers?.map((number) => (number ?? 0).toString(36))
  return codes && [toState(state?.[0]).head.epoch, ...codes].join('-')
}

export function* checksums({
  directory,
  after,
}: ChecksumsQuery): Question<ChecksumChunk | undefined> {
  const id = yield* value<number>('SELECT id FROM directory WHERE path = @directory AND gone = 0', {
    directory,
  })
  if (id === undefined) return undefined
  const found = yield* rows<EntryRow>(
    `SELECT f.name, c.sha256, CASE WHEN f.incomplete = 1 THEN 'incomplete'
       WHEN c.broken = 1 THEN 'broken' END
     FROM file f ${joinedChecksum} WHERE f.directory = @id AND f.name > @after
     ORDER BY f.name LIMIT ${filesPerChunk}`,
    { id, after },
  )
  return {
    files: found.map(([name, sha256, problem]) => ({
      name,
      sha256: sha256 ?? undefined,
      problem: problem ?? undefined,
    })),
    next: found.length < filesPerChunk ? undefined : found.at(-1)?.[0],
  }
}

/**
 * True if a live file waits to be hashed. As long as hashing has not begun, `h.seq` is NULL, and
 * only files with a stale checksum wait.
 */
export function* awaitsChecksum(id: number): Question<boolean> {
  const waits = yield* value<number>(
    `SELECT CASE WHEN c.stale_us IS NOT NULL OR (f.seq > h.seq AND NOT EXISTS
       (SELECT 1 FROM checksum c WHERE ${isValidChecksum})) THEN 1 END
     FROM file f CROSS JOIN hashing h LEFT JOIN checksum c ON c.id = f.id WHERE f.id = @id`,
    { id },
  )
  return waits === 1
}
