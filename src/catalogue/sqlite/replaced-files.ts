/** Reads the files that were listed or replaced in a range of time. To be used within a read transaction. */
import type { Database, Statement } from 'better-sqlite3'
import type { TimeRange } from '../filter.ts'
import type { ChangedDirectory, ReplacedFiles } from '../series-queries.ts'
import { prepareCounts } from './counts.ts'

/**
 * Maximum number of files that are examined. The index also has the files that are new in the range of time, so a query for a
 * range that contains a first scan would take seconds.
 */
const maxCompared = 200_000
const maxFiles = 1000

/** SQL for the ids of the first `maxCompared` files that were listed or replaced in a range of time. It reads only the index. */
const compared = `SELECT id FROM file INDEXED BY file_modified
  WHERE coalesce(modified_us, created_us) BETWEEN @fromUs AND @toUs
  ORDER BY coalesce(modified_us, created_us) LIMIT ${maxCompared}`

/** Prepares the query for changed directories. It counts at most the first `maxCompared` files since a time. */
export function prepareChangedDirectories(db: Database) {
  const counts = prepareCounts(db)
  const largest = preparedLater(
    db,
    `SELECT d.path, count(*) AS files FROM (${compared}) CROSS JOIN file f USING (id)
     JOIN directory d ON d.id = f.directory
     GROUP BY f.directory ORDER BY files DESC, d.path LIMIT 5`,
  )
  return (sinceUs: number): readonly ChangedDirectory[] => {
    counts.require('file_modified')
    const range = { fromUs: sinceUs, toUs: Number.MAX_SAFE_INTEGER }
    return largest().all(range) as ChangedDirectory[]
  }
}

export function prepareReplacedFiles(db: Database) {
  const counts = prepareCounts(db)
  const count = preparedLater(db, `SELECT count(*) AS files FROM (${compared})`)
  const replaced = preparedLater(
    db,
    `SELECT d.path || '/' || f.name AS path, f.modified_us AS modifiedUs
     FROM (${compared}) CROSS JOIN file f USING (id) JOIN directory d ON d.id = f.directory
     -- Only replaced files have a modified_us.
     WHERE f.modified_us IS NOT NULL LIMIT ${maxFiles + 1}`,
  )
  return ({ fromUs, toUs }: Required<TimeRange>): ReplacedFiles => {
    counts.require('file_modified')
    const files = replaced().all({ fromUs, toUs }) as ReplacedFiles['files']
    const { files: listed } = count().get({ fromUs, toUs }) as { readonly files: number }
    const isComplete = files.length <= maxFiles && listed < maxCompared
    return { files: files.slice(0, maxFiles), isComplete }
  }
}

/** A statement that is prepared at its first use: `INDEXED BY` needs the index, which a first scan builds at its end. */
function preparedLater(db: Database, sql: string): () => Statement {
  let statement: Statement | undefined
  return () => (statement ??= db.prepare(sql))
}
