/** The paths of files with a problem, and of entries that are not catalogued. */
import { joinPath } from '../../parse/layout.ts'
import type { Dialect } from '../dialect.ts'
import { flagsIn } from '../facts/values.ts'
import type { ListedProblem, Problem } from '../filter.ts'
import { listedProblems } from '../filter.ts'
import type { Question, Row, Statement } from '../question.ts'
import { all, rows, value } from '../question.ts'
import type { FileProblemReason } from '../records.ts'
import { filesWith } from '../selection/conditions.ts'
import type { QuestionContext } from '../selection/context.ts'
import { pathOf } from '../tables/paths.ts'
import { joinedChecksum, latestChangeUs } from '../tables/record.ts'

export interface ProblemsQuery {
  readonly kinds: readonly ListedProblem[]
  /** 0 to get only the count. */
  readonly limit: number
  /** At least 0; an offset after the end gives no entries. */
  readonly offset: number
}

export interface ProblemEntry {
  readonly problem: ListedProblem
  /** Path relative to the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly path: string
  /** A `FileProblemReason`, or the reason why an entry is not catalogued. */
  readonly reason: string
  /**
   * Time of the latest change of the file, or the time since which the directory has rejected
   * entries for this reason.
   */
  readonly sinceUs: number
}

export interface ProblemsPage {
  readonly count: number
  readonly entries: readonly ProblemEntry[]
}

interface ListRange {
  readonly limit: number
  readonly offset: number
}

const reasons: Readonly<Record<Exclude<Problem, 'broken'>, FileProblemReason>> = {
  incomplete: 'no-end',
  disguised: 'other-compression',
  misplaced: 'other-date',
}

/** @param isBroken 1 if the stream is, `flags` are those that make files damaged */
type ProblemFileRow = [
  path: string,
  sinceUs: number,
  size: number,
  isBroken: number | null,
  flags: number | null,
]

/** The number of stored names of a directory and reason. */
type NumberRow = [directory: number, reason: string, names: number]

type RejectedRow = [path: string, reason: string, names: string, sinceUs: number]

/**
 * Lists problems by kind, in the order of `listedProblems`; at most 100 rejected names for each
 * directory and reason.
 */
export function* problems(
  { kinds, limit, offset }: ProblemsQuery,
  { dialect }: Pick<QuestionContext, 'dialect'>,
): Question<ProblemsPage> {
  let [count, skip] = [0, offset]
  const entries: ProblemEntry[] = []
  for (const kind of listedProblems.filter((each) => kinds.includes(each))) {
    const range = { limit: limit - entries.length, offset: skip }
    const found = yield* kind === 'rejected'
      ? rejectedEntries(range, dialect)
      : listedFiles(kind, range, dialect)
    count += found.count
    entries.push(...found.entries)
    skip = Math.max(0, skip - found.count)
  }
  return { count, entries }
}

/** Counts all files with a problem, and lists those of a range, highest id first. */
function* listedFiles(
  problem: Problem,
  range: ListRange,
  dialect: Dialect,
): Question<ProblemsPage> {
  const from = `FROM ${filesWith(problem, dialect)} AND ${dialect.inTime('f.id')}`
  const count = (yield* value<number>(`SELECT count(*) ${from}`)) ?? 0
  if (range.offset >= count || range.limit === 0) return { count, entries: [] }
  const shown = `SELECT f.id ${from}
    ORDER BY f.id DESC LIMIT CAST(@limit AS bigint) OFFSET CAST(@offset AS bigint)`
  const found = yield* rows<ProblemFileRow>(
    `SELECT ${pathOf('d.path', 'f.name')}, ${latestChangeUs(dialect)}, f.size, c.broken,
       x.flags & coalesce((SELECT damaged_by FROM catalogue WHERE one = 1), 0)
     FROM (${shown}) n JOIN file f ON f.id = n.id JOIN directory d ON d.id = f.directory
       ${joinedChecksum} LEFT JOIN fact x ON x.id = f.id
     ORDER BY f.id DESC`,
    { ...range },
  )
  return {
    count,
    entries: found.map(([path, sinceUs, size, isBroken, flags]) => {
      const [flag] = flagsIn(flags ?? 0)
      const damage = size === 0 ? 'no-bytes' : isBroken === 1 ? 'damaged' : (flag ?? 'damaged')
      const reason = problem === 'broken' ? damage : reasons[problem]
      return { problem, path, reason, sinceUs }
    }),
  }
}

/**
 * The stored names of rejected entries, by reason, then newest directory first. There may be a
 * hundred names for each directory and reason, so one pass counts them, and only the names of
 * the page are read.
 */
function* rejectedEntries({ limit, offset }: ListRange, dialect: Dialect): Question<ProblemsPage> {
  const numbers = yield* rows<NumberRow>(
    `SELECT directory, reason, ${dialect.length('names')} FROM rejection
     WHERE ${dialect.inTime('directory')} ORDER BY reason, directory DESC`,
  )
  const wanted: { readonly statement: Statement; readonly from: number; readonly to: number }[] = []
  let count = 0
  for (const [directory, reason, names] of numbers) {
    const [from, to] = [Math.max(0, offset - count), Math.min(names, offset + limit - count)]
    if (from < to) wanted.push({ statement: namesOf(directory, reason), from, to })
    count += names
  }
  const found = yield* all(...wanted.map(({ statement }) => statement))
  return { count, entries: wanted.flatMap(({ from, to }, at) => entriesOf(found[at], from, to)) }
}

function namesOf(directory: number, reason: string): Statement {
  return {
    sql: `SELECT d.path, r.reason, r.names, r.since_us
      FROM rejection r JOIN directory d ON d.id = r.directory
      WHERE r.directory = @directory AND r.reason = @reason`,
    values: { directory, reason },
  }
}

/** The entries of some of the names in a row. An entry without a name is the directory itself. */
function entriesOf(found: readonly Row[] = [], from: number, to: number): ProblemEntry[] {
  return (found as unknown as RejectedRow[]).flatMap(([path, reason, names, sinceUs]) =>
    (JSON.parse(names) as string[]).slice(from, to).map((name) => ({
      problem: 'rejected',
      path: name === '' ? path : joinPath(path, name),
      reason,
      sinceUs,
    })),
  )
}
