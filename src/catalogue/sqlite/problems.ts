/** Lists the paths of files with a problem and of entries that are not catalogued. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { listedProblems } from '../reader.ts'
import type { ListedProblem, ProblemEntry, ProblemsPage, ProblemsQuery } from '../reader.ts'
import type { FileProblemReason } from '../records.ts'
import { isValidChecksum } from '../questions/record.ts'
import type { Values } from './filter-sql.ts'
import type { CheckDeadline } from './page-ids.ts'

interface Range {
  readonly limit: number
  readonly offset: number
}

/**
 * Counts all entries of one kind of problem, and lists those of a range; none if its limit is 0.
 */
type Source = (range: Range, checkDeadline: CheckDeadline) => ProblemsPage

/** Time of the latest change of a file `f`. */
const sinceUs = 'max(f.created_us, coalesce(f.modified_us, 0), coalesce(f.returned_us, 0))'

export function prepareProblems(
  db: Database,
): (query: ProblemsQuery, checkDeadline: CheckDeadline) => ProblemsPage {
  const sources: Readonly<Record<ListedProblem, Source>> = {
    incomplete: prepareFiles(db, {
      problem: 'incomplete',
      reason: 'no-end',
      from: 'file f INDEXED BY file_incomplete WHERE f.incomplete = 1',
    }),
    broken: prepareFiles(db, {
      problem: 'broken',
      reason: 'damaged',
      from: `checksum c INDEXED BY checksum_broken CROSS JOIN file f ON ${isValidChecksum}
        WHERE c.broken = 1 AND f.incomplete = 0`,
    }),
    misplaced: prepareFiles(db, {
      problem: 'misplaced',
      reason: 'other-date',
      from: 'file f INDEXED BY file_misplaced WHERE f.misplaced = 1',
    }),
    rejected: prepareRejected(db),
  }
  return ({ kinds, limit, offset }, checkDeadline) => {
    let [count, skip] = [0, offset]
    const entries: ProblemEntry[] = []
    for (const kind of listedProblems.filter((each) => kinds.includes(each))) {
      checkDeadline()
      const range = { limit: limit - entries.length, offset: skip }
      const found = sources[kind](range, checkDeadline)
      count += found.count
      entries.push(...found.entries)
      skip = Math.max(0, skip - found.count)
    }
    return { count, entries }
  }
}

interface FileProblem {
  readonly problem: ListedProblem
  readonly reason: FileProblemReason
  /** SQL after FROM. It names a partial index, so that no file without the problem is read. */
  readonly from: string
}

/** Lists files with a problem, highest id first. */
function prepareFiles(db: Database, { problem, reason, from }: FileProblem): Source {
  const count = db.prepare(`SELECT count(*) FROM ${from}`).pluck()
  const paths = db.prepare(
    `SELECT (SELECT path FROM directory WHERE id = f.directory) || '/' || f.name AS path, ${sinceUs} AS sinceUs
     FROM ${from} ORDER BY f.id DESC LIMIT +@limit OFFSET +@offset`,
  )
  return (range) => {
    const total = count.get() as number
    const isPast = range.offset >= total || range.limit === 0
    const rows = (isPast ? [] : paths.all(range)) as { path: string; sinceUs: number }[]
    return { count: total, entries: rows.map((row) => ({ ...row, problem, reason })) }
  }
}

interface RejectedRow {
  readonly path: string
  readonly reason: string
  readonly sinceUs: number | null
}

/** The number of stored names of a directory and reason. */
type RejectionRow = readonly [directory: number, reason: string, names: number]

/** Number of rows between two checks of the deadline. */
const rowsPerCheck = 1000

/**
 * Lists the stored names of rejected entries, by reason, then newest directory first. There may be
 * a hundred names for each directory and reason, so one pass counts them, and only the names of the
 * page are read.
 */
function prepareRejected(db: Database): Source {
  const numbers = db
    .prepare(
      `SELECT directory, reason, json_array_length(names) FROM rejection
       ORDER BY reason, directory DESC`,
    )
    .raw()
  const paths = db.prepare(
    `SELECT rtrim(d.path || '/' || name.value, '/') AS path, r.reason, r.since_us AS sinceUs
     FROM rejection r CROSS JOIN json_each(r.names) name CROSS JOIN directory d ON d.id = r.directory
     WHERE r.directory = @directory AND r.reason = @reason
     ORDER BY name.key LIMIT +@limit OFFSET +@offset`,
  )
  return ({ limit, offset }, checkDeadline) => {
    const parts: Values[] = []
    let [count, rows] = [0, 0]
    for (const row of numbers.iterate() as Iterable<RejectionRow>) {
      const [directory, reason, names] = row
      const from = Math.max(count, offset)
      const to = Math.min(count + names, offset + limit)
      if (from < to) parts.push({ directory, reason, offset: from - count, limit: to - from })
      count += names
      if (++rows % rowsPerCheck === 0) checkDeadline()
    }
    const found = parts.flatMap((part) => paths.all(part) as RejectedRow[])
    return {
      count,
      entries: found.map(({ path, reason, sinceUs }) => ({
        ...{ problem: 'rejected', path, reason },
        sinceUs: sinceUs ?? undefined,
      })),
    }
  }
}
