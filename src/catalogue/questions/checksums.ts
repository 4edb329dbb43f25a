/** The checksums of a directory, their version, and whether a file still waits for its own. */
import type { Problem } from '../filter.ts'
import type { Question } from '../question.ts'
import { all, rows, value } from '../question.ts'
import type { Hashed } from '../records.ts'
import { stateStatement, toState } from '../tables/head.ts'
import { isValidChecksum, joinedChecksum } from '../tables/record.ts'

/** A file in the checksum list of a directory. */
export interface ChecksumEntry extends Hashed {
  readonly name: string
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
}

export interface ChecksumsQuery {
  readonly directory: string
  /** Only files with a name after this one; empty for the first chunk. */
  readonly after: string
}

/** Checksums of some files of a directory, in the order of their names. */
export interface ChecksumChunk {
  readonly files: readonly ChecksumEntry[]
  /** The name after which the next chunk begins; `undefined` at the end. */
  readonly next: string | undefined
}

/** Number of files in a chunk; reading a chunk takes about two milliseconds. */
const filesPerChunk = 500

type EntryRow = [
  name: string,
  sha256: Uint8Array | null,
  md5: Uint8Array | null,
  problem: NonNullable<ChecksumEntry['problem']> | null,
]

/**
 * A text that changes whenever `checksums` changes; `undefined` for an unknown directory.
 * `changed_us` changes if files are new, modified or removed; `hashed` changes if checksums are new
 * or stale.
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

/**
 * A chunk of the checksums in a directory: those of the files after `after`, by name; `undefined`
 * for an unknown directory. Each chunk is read in a transaction of its own.
 */
export function* checksums({
  directory,
  after,
}: ChecksumsQuery): Question<ChecksumChunk | undefined> {
  const id = yield* value<number>('SELECT id FROM directory WHERE path = @directory AND gone = 0', {
    directory,
  })
  if (id === undefined) return undefined
  const found = yield* rows<EntryRow>(
    `SELECT f.name, c.sha256, c.md5, CASE WHEN f.incomplete = 1 THEN 'incomplete'
       WHEN f.damaged_us IS NOT NULL THEN 'broken' WHEN f.disguised = 1 THEN 'disguised' END
     FROM file f ${joinedChecksum} WHERE f.directory = @id AND f.name > @after
     ORDER BY f.name LIMIT ${filesPerChunk}`,
    { id, after },
  )
  return {
    files: found.map(([name, sha256, md5, problem]) => ({
      name,
      sha256: sha256 ?? undefined,
      md5: md5 ?? undefined,
      problem: problem ?? undefined,
    })),
    next: found.length < filesPerChunk ? undefined : found.at(-1)?.[0],
  }
}

/**
 * True if a live file is in the queue of files to be hashed, because it is new or changed, or its
 * checksum is stale. Older files do not count. As long as hashing has not begun, `h.seq` is NULL,
 * and only files with a stale checksum wait.
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
