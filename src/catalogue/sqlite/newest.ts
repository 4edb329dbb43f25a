import type { Database } from 'better-sqlite3'
import type { NewestFile } from '../records.ts'

/**
 * Prepares the newest record of each area and file type. Uses the counts that exist from the first row on: one look-up
 * for each kind, and at most 64 rows for each result.
 */
export function prepareNewest(db: Database): () => NewestFile[] {
  const groups = db.prepare(
    `SELECT area, file_type AS fileType,
       max((SELECT max(bucket) FROM id_count WHERE level = 6 AND kind = kind.id)) AS bucket
     FROM kind GROUP BY area, file_type HAVING bucket IS NOT NULL ORDER BY area, file_type`,
  )
  const newest = db
    .prepare(
      `SELECT f.created_us FROM file f JOIN kind k ON k.id = f.kind
       WHERE f.id BETWEEN @bucket << 6 AND (@bucket << 6) + 63 AND k.area = @area AND k.file_type = @fileType
       ORDER BY f.id DESC LIMIT 1`,
    )
    .pluck()
  return () =>
    (groups.all() as (Omit<NewestFile, 'createdUs'> & { bucket: number })[]).flatMap((group) => {
      const createdUs = newest.get(group) as number | undefined
      return createdUs === undefined
        ? []
        : [{ area: group.area, fileType: group.fileType, createdUs }]
    })
}
