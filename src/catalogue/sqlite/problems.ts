/** Lists the paths of files with a problem and of entries that are not catalogued. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import { listedProblems } from '../reader.ts'
import type { ListedProblem, ProblemEntry, ProblemsPage, ProblemsQuery } from '../reader.ts'
import type { FileProblemReason } from '../records.ts'
import { isValidChecksum } from './checksum-rows.ts'

interface Range {
  readonly limit: number
  readonly offset: number
}

/** Counts and lists the entries of one kind of problem. */
interface Source {
  count(): number
  entries(range: Range): ProblemEntry[]
}

/** Time of the latest change of a file `f`. */
const sinceUs = 'max(f.created_us, coalesce(f.modified_us, 0), coalesce(f.returned_us, 0))'

export function prepareProblems(db: Database): (query: ProblemsQuery) => ProblemsPage {
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
  return ({ kinds, limit, offset }) => {
    let [count, skip] = [0, offset]
    const entries: ProblemEntry[] = []
    for (const kind of listedProblems.filter((each) => kinds.includes(each))) {
      const total = sources[kind].count()
      count += total
      const wanted = limit - entries.length
      if (skip < total && wanted > 0)
        entries.push(...sources[kind].entries({ limit: wanted, offset: skip }))
      skip = Math.max(0, skip - total)
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
  return {
    count: () => count.get() as number,
    entries: (range) =>
      (paths.all(range) as { path: string; sinceUs: number }[]).map((row) => ({
        ...row,
        problem,
        reason,
      })),
  }
}

interface RejectedRow {
  readonly path: string
  readonly reason: string
  readonly sinceUs: number | null
}

/** Lists the stored names of rejected entries, by reason, then newest directory first. */
function prepareRejected(db: Database): Source {
  const count = db
    .prepare('SELECT coalesce(sum(json_array_length(names)), 0) FROM rejection')
    .pluck()
  const paths = db.prepare(
    `SELECT rtrim(d.path || '/' || name.value, '/') AS path, r.reason, r.since_us AS sinceUs
     FROM rejection r CROSS JOIN json_each(r.names) name CROSS JOIN directory d ON d.id = r.directory
     ORDER BY r.reason, r.directory DESC, name.key LIMIT +@limit OFFSET +@offset`,
  )
  return {
    count: () => count.get() as number,
    entries: (range) =>
      (paths.all(range) as RejectedRow[]).map(({ path, reason, sinceUs }) => ({
        ...{ problem: 'rejected', path, reason },
        sinceUs: sinceUs ?? undefined,
      })),
  }
}
