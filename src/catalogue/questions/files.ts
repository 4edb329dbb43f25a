/** Single files: by id, by path, by a name in another case; why others are not in the list. */
import { withFacts } from '../facts/facts.ts'
import type { Expanded, ListedRow } from '../list/listed.ts'
import { listed, listedWithDetails, toListed } from '../list/listed.ts'
import type { Question } from '../question.ts'
import { all, column, row } from '../question.ts'
import type { FileIdentity, FileRecord, Hashed, ListedFile } from '../records.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { IdentityRow } from '../tables/record.ts'
import { identityOf, identityOfChecksum, joinedChecksum } from '../tables/record.ts'

/** A record by its id, as lists show it. */
export type SingleRecord = ListedFile & FileRecord

/** A record found by its path. */
export interface FoundFile extends FileRecord, Pick<Hashed, 'sha256'> {
  /**
   * True if the deletion guard withholds removals in its directory; the file may then be missing on
   * disk temporarily.
   */
  readonly isWithheld: boolean
  /** True if its content is not compressed as its name says. */
  readonly isDisguised: boolean
  /**
   * The identity of the file that was hashed; `undefined` without a checksum, or with a stale one.
   * The hashed file has the size and mtime of the record.
   */
  readonly identity: FileIdentity | undefined
}

export interface RecordQuery extends Expanded {
  readonly id: number
}

/** A file by its exact path. */
export interface FileQuery {
  readonly directory: string
  readonly name: string
}

/** What a record has besides the columns of lists. */
type HeadRow = [size: number, mtimeUs: number, seq: number]

const headColumns = 'f.size, f.mtime_us, f.seq'

/** A live record, with what is requested besides; `undefined` without one of this id. */
export function* record(
  { id, details = false, facts = false }: RecordQuery,
  context: Pick<QuestionContext, 'dialect'>,
): Question<SingleRecord | undefined> {
  const { columns, joins } = details ? listedWithDetails : listed
  const found = yield* row<[...HeadRow, ...ListedRow]>(
    `SELECT ${headColumns}, ${columns} FROM file f ${joins} WHERE f.id = @id`,
    { id },
  )
  if (found === undefined) return undefined
  const record = toRecord(found)
  return facts ? (yield* withFacts([record], context))[0] : record
}

function toRecord([size, mtimeUs, seq, ...shown]: [...HeadRow, ...ListedRow]) {
  return { ...toListed(shown), size, mtimeUs, seq }
}

type FoundRow = [
  isWithheld: number,
  disguised: number,
  sha256: Uint8Array | null,
  ...identity: IdentityRow,
  ...record: [...HeadRow, ...ListedRow],
]

/** The live record of a file by its exact path; `undefined` if the file is not catalogued. */
export function* file({ directory, name }: FileQuery): Question<FoundFile | undefined> {
  const found = yield* row<FoundRow>(
    `SELECT CASE WHEN d.withheld_since_us IS NULL THEN 0 ELSE 1 END, f.disguised, c.sha256, ${identityOfChecksum},
       ${headColumns}, ${listed.columns}
     FROM directory d CROSS JOIN file f ${joinedChecksum}
     WHERE f.directory = d.id AND d.path = @directory AND f.name = @name`,
    { directory, name },
  )
  if (found === undefined) return undefined
  const [isWithheld, disguised, sha256, inode, ctimeUs, links, mode, uid, gid, ...rest] = found
  const known = toRecord(rest)
  return {
    ...known,
    sha256: sha256 ?? undefined,
    identity: identityOf([inode, ctimeUs, links, mode, uid, gid], known),
    isWithheld: isWithheld === 1,
    isDisguised: disguised === 1,
  }
}

/**
 * Searches a directory for live files whose names differ from `name` only in the case of ASCII
 * letters: the name of the file that is found; `undefined` if there is none, or more than one.
 * Uses the unique index of names in a directory, because `file_name` does not exist before the end
 * of a first scan.
 */
export function* nameInOtherCase(
  { directory, name }: FileQuery,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<string | undefined> {
  const [only, ...others] = yield* column<string>(
    `SELECT f.name FROM directory d CROSS JOIN file f
     WHERE f.directory = d.id AND d.path = @directory
       AND ${dialect.ignoringCase('f.name')} = ${dialect.ignoringCase('@name')} LIMIT 2`,
    { directory, name },
  )
  return others.length === 0 ? only : undefined
}

/** Files that may have been removed or rejected. */
export interface UnlistedQuery {
  /** Paths of directories in which they may have been; at most a few dozen. */
  readonly directories: readonly string[]
  /** Their names, in lower case; the case of ASCII letters is ignored. */
  readonly names: readonly string[]
}

/** A file that was removed, by its last record. */
export interface RemovedFile extends FileQuery {
  readonly seq: number
  readonly atUs: number
}

/** An entry that is not catalogued; `sinceUs` as in `ProblemEntry`. */
export interface RejectedFile extends FileQuery {
  /** An `EntryRejectionReason` of this or an earlier release. */
  readonly reason: string
  readonly sinceUs: number
}

export interface UnlistedFiles {
  /** Latest removal first. */
  readonly removed: readonly RemovedFile[]
  /** Of each directory and reason, only the first 100 names are known. */
  readonly rejected: readonly RejectedFile[]
}

/** Maximum number of removed files that are returned. */
const most = 20

type RemovedRow = [directory: string, name: string, seq: number, atUs: number]

type RejectedRow = [directory: string, reason: string, names: string, sinceUs: number]

/**
 * The tombstones and rejections of some names in some directories, each by the index of its
 * directory: no index has the names of tombstones.
 */
export function* unlisted(
  { directories, names }: UnlistedQuery,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<UnlistedFiles> {
  const isIn = dialect.isIn('d.path', 'directories', 'text')
  const [removed, rejected] = (yield* all(
    {
      sql: `SELECT d.path, f.name, f.seq, f.removed_us FROM directory d CROSS JOIN tombstone f
        WHERE ${dialect.inTime('f.id')} AND f.directory = d.id AND ${isIn}
          AND ${dialect.isIn(dialect.ignoringCase('f.name'), 'names', 'text')}
        ORDER BY f.seq DESC LIMIT ${most}`,
      values: { directories, names },
    },
    {
      sql: `SELECT d.path, r.reason, r.names, r.since_us FROM directory d CROSS JOIN rejection r
        WHERE r.directory = d.id AND ${isIn} ORDER BY d.path, r.reason`,
      values: { directories },
    },
  )) as unknown as [RemovedRow[], RejectedRow[]]
  return {
    removed: removed.map(([directory, name, seq, atUs]): RemovedFile => {
      return { directory, name, seq, atUs }
    }),
    rejected: rejected.flatMap(([directory, reason, all, sinceUs]): RejectedFile[] =>
      (JSON.parse(all) as string[])
        .filter((name) => names.includes(lower(name)))
        .map((name) => ({ directory, name, reason, sinceUs })),
    ),
  }
}

/** `toLowerCase` would turn some other letters into ASCII. */
function lower(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
