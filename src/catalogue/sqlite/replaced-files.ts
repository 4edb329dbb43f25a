/** Reads the files that were listed or replaced in a range of time. To be used within a read transaction. */
import type { Database } from 'better-sqlite3'
import type { TimeRange } from '../filter.ts'
import type { ChangedDirectory, ReplacedFiles } from '../reader.ts'
import { prepareCounts } from './counts.ts'

/** New files have the same order as replaced ones, so a range with a first scan would take seconds. */
const maxCompared = 200_000
const maxFiles = 1000

/** The ids of the files of a range; reads the index alone. */
const compared = `SELECT id FROM file INDEXED BY file_modified
  WHERE coalesce(modified_us, created_us) BETWEEN @fromUs AND @toUs
  ORDER BY coalesce(modified_us, created_us) LIMIT ${maxCompared}`

/** Of the first files since a time, as far as they are compared. */
export function prepareChangedDirectories(db: Database) {
  const counts = prepareCounts(db)
  const largest = db.prepare(
    `SELECT d.path, count(*) AS files FROM (${compared}) CROSS JOIN file f USING (id)
     JOIN directory d ON d.id = f.directory
     GROUP BY f.directory ORDER BY files DESC, d.path LIMIT 5`,
  )
  return (sinceUs: number): readonly ChangedDirectory[] => {
    counts.require('file_modified')
    return largest.all({
      fromUs: sinceUs,
      toUs: Number.MAX_SAFE_INTEGER,
    }) as ChangedDirectory[]
  }
}

export function prepareReplacedFiles(db: Database) {
  const counts = prepareCounts(db)
  const count = db.prepare(`SELECT count(*) FROM (${compared})`).pluck()
  const replaced = db.prepare(
    `SELECT d.path || '/' || f.name AS path, f.modified_us AS modifiedUs
     FROM (${compared}) CROSS JOIN file f USING (id) JOIN directory d ON d.id = f.directory
     -- Only replaced files have it.
     WHERE f.modified_us IS NOT NULL LIMIT ${maxFiles + 1}`,
  )
  return ({ fromUs, toUs }: Required<TimeRange>): ReplacedFiles => {
    counts.require('file_modified')
    const files = replaced.all({ fromUs, toUs }) as ReplacedFiles['files']
    const isComplete =
      files.length <= maxFiles && (count.get({ fromUs, toUs }) as number) < maxCompared
    return { files: files.slice(0, maxFiles), isComplete }
  }
}
