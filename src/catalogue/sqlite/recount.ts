/** The SQL of the counts: to build them, to compare them with the rows, and to recompute them. */
import type { Database } from 'better-sqlite3'
import { idCountLevels } from '../questions/counts.ts'
import { dayOf } from '../questions/date-ranges.ts'
import { prepareRaiseDetails } from './sequences.ts'
import { prepareLiveSeq } from './live-seq.ts'

const lowest = Math.min(...idCountLevels)

/**
 * SQL for the rows of `id_count`: the number of files by level, kind and bucket of ids; kind 0 is the sum of all kinds.
 */
function idCounts(): string {
  const part = (level: number, kind: string): string =>
    `SELECT ${level} AS level, ${kind} AS kind, bucket >> ${level - lowest} AS bucket,
       sum(files) AS files FROM lowest GROUP BY 2, 3`
  const parts = idCountLevels.flatMap((level) => [part(level, 'kind'), part(level, '0')])
  return `WITH lowest AS MATERIALIZED (
      SELECT kind, id >> ${lowest} AS bucket, count(*) AS files FROM file GROUP BY 1, 2)
    ${parts.join('\nUNION ALL ')}`
}

/** SQL for the expected rows of each table of counts. */
export const counted = {
  id_count: idCounts(),
  // Groups by the start of the data first, because `file_date` has this order.
  day_count: `SELECT ${dayOf('data_date')} AS day, kind, sum(files) AS files, max(last_id) AS last_id
    FROM (SELECT data_date, kind, count(*) AS files, max(id) AS last_id FROM file GROUP BY 1, 2)
    GROUP BY 1, 2`,
  station_count: `SELECT station, kind, count(*) AS files, min(data_date) AS first_date,
    max(data_date) AS last_date FROM file GROUP BY 1, 2`,
} as const

export type CountTable = keyof typeof counted

/** Fills a table of counts from the rows. Call within a transaction. */
export function recount(db: Database, table: CountTable): void {
  const fill = (): void => {
    db.exec(`DELETE FROM ${table}; INSERT INTO ${table} ${counted[table]}`)
  }
  if (table !== 'station_count') fill()
  else prepareLiveSeq(db)(db.prepare('SELECT id FROM station').pluck().all() as number[], fill)
}

/** The tables of counts that are complete; those that a first scan left out stay empty. */
export function completeCounts(db: Database): CountTable[] {
  const complete = new Set(['id_count', ...db.prepare('SELECT name FROM built').pluck().all()])
  return (Object.keys(counted) as CountTable[]).filter((table) => complete.has(table))
}

/** Recomputes the numbers of files in `directory` and `area`, and of checksums in `hashing`. Call within a transaction. */
function recountOthers(db: Database): void {
  db.exec(`
    UPDATE directory SET files = counted.files
      FROM (SELECT d.id, count(f.id) AS files FROM directory d LEFT JOIN file f ON f.directory = d.id
        GROUP BY d.id) AS counted
      WHERE counted.id = directory.id AND counted.files <> directory.files;
    DELETE FROM area;
    INSERT INTO area (name, files)
      SELECT substr(path, 1, 3), sum(files) FROM directory GROUP BY 1 HAVING sum(files) > 0;
    UPDATE hashing SET files = (SELECT count(*) FROM checksum WHERE stale_us IS NULL),
      stale = (SELECT count(*) FROM checksum WHERE stale_us IS NOT NULL);
  `)
}

/**
 * Returns a function that recomputes the numbers of files and of checksums. Each table in `counted` has a transaction of its own;
 * the counts in other tables share one. Counts that a first scan left out stay empty.
 */
export function prepareRepair(db: Database): () => void {
  const raiseDetails = prepareRaiseDetails(db)
  return () => {
    for (const table of completeCounts(db))
      db.transaction(() => {
        recount(db, table)
      }).immediate()
    db.transaction(() => {
      recountOthers(db)
      // Answers change, although no record did.
      raiseDetails()
    }).immediate()
  }
}
