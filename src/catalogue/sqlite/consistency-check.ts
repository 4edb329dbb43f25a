/**
 * Compares the stored counts with the records, and runs SQLite's checks of integrity and foreign
 * keys. It reads in one transaction, so an indexer may run at the same time.
 */
import type { Database } from 'better-sqlite3'
import {
  countTableNames,
  countTables,
  deferredCounts,
  valuesOf,
} from '../selection/count-tables.ts'
import type { CountTableName } from '../selection/count-tables.ts'
import { counted } from '../updates/recount.ts'
import { openForReading } from './open.ts'

export interface ConsistencyReport {
  /** Counts that differ from the records, one per line; `check --repair` rebuilds them. */
  readonly differences: readonly string[]
  /** Damage of the database itself, one fault per line. */
  readonly damage: readonly string[]
}

/**
 * Maximum number of listed differences per table, and of listed faults per check. Further
 * differences are only counted.
 */
const maxListed = 50

/**
 * A query that finds the differences in a table. Its columns are texts: the key (`row`), the values
 * in the table (`stored`) and those computed from the records (`counted`).
 */
interface Comparison {
  readonly table: string
  readonly sql: string
}

const filesByDirectory = 'SELECT directory AS id, count(*) AS files FROM file GROUP BY directory'

const comparisons: readonly Comparison[] = [
  ...countTableNames.map(comparison),
  {
    table: 'directory',
    sql: `SELECT path AS row, d.files || ' files' AS stored, coalesce(n.files, 0) || ' files' AS counted
      FROM directory d LEFT JOIN (${filesByDirectory}) n USING (id) WHERE d.files <> coalesce(n.files, 0)`,
  },
  {
    table: 'area',
    sql: `SELECT name AS row, coalesce(a.files, 0) || ' files' AS stored, coalesce(n.files, 0) || ' files' AS counted
      FROM area a FULL JOIN (SELECT substr(path, 1, 3) AS name, sum(n.files) AS files
        FROM (${filesByDirectory}) n CROSS JOIN directory d USING (id) GROUP BY 1) n USING (name)
      WHERE coalesce(a.files, 0) <> coalesce(n.files, 0)`,
  },
  {
    table: 'hashing',
    sql: `SELECT 'all' AS row, h.files || ' checksums, ' || h.stale || ' stale' AS stored,
        n.files || ' checksums, ' || n.stale || ' stale' AS counted
      FROM hashing h, (SELECT count(*) - count(stale_us) AS files, count(stale_us) AS stale FROM checksum) n
      WHERE h.files <> n.files OR h.stale <> n.stale`,
  },
]

/**
 * Compares a table of counts with the expected rows; a value that is a bound may be higher than
 * expected. A FULL JOIN would be slow, because SQLite would compare row by row.
 */
function comparison(table: CountTableName): Comparison {
  const { keys, values } = countTables[table]
  const pick = (side: 's' | 'c'): string =>
    values
      .flatMap((name) => [
        `${side === 's' ? name : 'NULL'} AS s_${name}`,
        `${side === 'c' ? name : 'NULL'} AS c_${name}`,
      ])
      .join(', ')
  const row = keys.map((key) => `'${key} ' || ${key}`).join(` || ', ' || `)
  const text = (side: 's' | 'c'): string =>
    values
      .map((name) => `'${name} ' || coalesce(max(${side}_${name}), 'none')`)
      .join(` || ', ' || `)
  const differs = valuesOf(table).map(
    ([name, { fold }]) => `max(s_${name}) ${fold === 'bound' ? '<' : 'IS NOT'} max(c_${name})`,
  )
  return {
    table,
    sql: `SELECT ${row} AS row, ${text('s')} AS stored, ${text('c')} AS counted FROM (
        SELECT ${keys.join(', ')}, ${pick('s')} FROM ${table}
        UNION ALL SELECT ${keys.join(', ')}, ${pick('c')} FROM (${counted(table)}))
      GROUP BY ${keys.join(', ')}
      HAVING ${differs.join(' OR ')}`,
  }
}

/**
 * Checks the catalogue in a database file. Takes about ten seconds for each million records.
 * @throws the errors of `openForReading`
 */
export function checkConsistency(path: string): ConsistencyReport {
  const db = openForReading(path)
  try {
    return db.transaction(() => ({ differences: differencesOf(db), damage: damageOf(db) }))()
  } finally {
    db.close()
  }
}

/**
 * Returns the differences between the stored counts and the records, as lines of text. Leaves out
 * `day_count` and `station_count` while the table `built` does not name them, because they are not
 * complete then. Call within one transaction.
 */
export function differencesOf(db: Database): string[] {
  const built = new Set(db.prepare('SELECT name FROM built').pluck().all())
  const isKept = ({ table }: Comparison): boolean =>
    !deferredCounts.some((deferred) => deferred === table) || built.has(table)
  return comparisons.filter(isKept).flatMap(({ table, sql }) => {
    const lines: string[] = []
    let more = 0
    for (const row of db.prepare(sql).raw().iterate() as Iterable<[string, string, string]>) {
      const [key, stored, counted] = row
      const line = `${table}: ${key}: stored ${stored}, counted ${counted}`
      if (lines.length < maxListed) lines.push(line)
      else more++
    }
    return more > 0 ? [...lines, `${table}: ${more} more rows differ`] : lines
  })
}

function damageOf(db: Database): string[] {
  const found = db.prepare(`PRAGMA integrity_check(${maxListed})`).pluck().all() as string[]
  const orphans = db.prepare('PRAGMA foreign_key_check').all() as {
    table: string
    rowid: number
    parent: string
  }[]
  return [
    ...found.filter((line) => line !== 'ok'),
    ...orphans
      .slice(0, maxListed)
      .map(({ table, rowid, parent }) => `${table}: row ${rowid} has no ${parent}`),
  ]
}
