/** Why files are not in the list: they were removed, or the indexer rejected them. */
import type { Question } from '../question.ts'
import { all } from '../question.ts'
import type { QuestionContext } from '../selection/context.ts'
import type { FileQuery } from './files.ts'

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
