/** Single files: by id, by path, and by a name in another case. */
import { withFacts } from '../facts/facts.ts'
import type { Expanded, ListedRow } from '../list/listed.ts'
import { listed, listedWithDetails, toListed } from '../list/listed.ts'
import type { Question } from '../question.ts'
import { column, row } from '../question.ts'
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
type FactsRow = [size: number, mtimeUs: number, seq: number]

const factsColumns = 'f.size, f.mtime_us, f.seq'

/** A live record, with what is requested besides; `undefined` without one of this id. */
export function* record(
  { id, details = false, facts = false }: RecordQuery,
  context: Pick<QuestionContext, 'dialect'>,
): Question<SingleRecord | undefined> {
  const { columns, joins } = details ? listedWithDetails : listed
  const found = yield* row<[...FactsRow, ...ListedRow]>(
    `SELECT ${factsColumns}, ${columns} FROM file f ${joins} WHERE f.id = @id`,
    { id },
  )
  if (found === undefined) return undefined
  const record = toRecord(found)
  return facts ? (yield* withFacts([record], context))[0] : record
}

function toRecord([size, mtimeUs, seq, ...shown]: [...FactsRow, ...ListedRow]) {
  return { ...toListed(shown), size, mtimeUs, seq }
}

type FoundRow = [
  isWithheld: number,
  disguised: number,
  sha256: Uint8Array | null,
  ...identity: IdentityRow,
  ...record: [...FactsRow, ...ListedRow],
]

/** The live record of a file by its exact path; `undefined` if the file is not catalogued. */
export function* file({ directory, name }: FileQuery): Question<FoundFile | undefined> {
  const found = yield* row<FoundRow>(
    `SELECT CASE WHEN d.withheld_since_us IS NULL THEN 0 ELSE 1 END, f.disguised, c.sha256, ${identityOfChecksum},
       ${factsColumns}, ${listed.columns}
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
