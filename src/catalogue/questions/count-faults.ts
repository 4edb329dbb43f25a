/** Compares the stored counts with the records. */
import type { Question } from '../question.ts'
import { column, rows } from '../question.ts'
import { countedRows } from '../selection/counted-rows.ts'
import type { CountTableName } from '../tables/count-tables.ts'
import {
  countTableNames,
  countTables,
  deferredCounts,
  valuesOfTable,
} from '../tables/count-tables.ts'

/** Maximum number of listed differences per table; further ones are only counted. */
const maxListed = 50

/**
 * A query that finds the differences in a table. Its columns are texts: the key, the values in the
 * table, and those computed from the records.
 */
interface TableCheck {
  readonly table: string
  readonly sql: string
}

const filesByDirectory = 'SELECT directory AS id, count(*) AS files FROM file GROUP BY directory'

const comparisons: readonly TableCheck[] = [
  ...countTableNames.map(comparison),
  {
    table: 'directory',
    sql: `SELECT path, d.files || ' files', coalesce(n.files, 0) || ' files'
      FROM directory d LEFT JOIN (${filesByDirectory}) n USING (id) WHERE d.files <> coalesce(n.files, 0)`,
  },
  {
    table: 'hashing',
    sql: `SELECT 'all', h.files || ' checksums, ' || h.stale || ' stale, ' || h.facts || ' facts',
        n.files || ' checksums, ' || n.stale || ' stale, ' || n.facts || ' facts'
      FROM hashing h, (SELECT count(*) - count(stale_us) AS files, count(stale_us) AS stale,
        (SELECT count(*) FROM fact) AS facts FROM checksum) n
      WHERE h.files <> n.files OR h.stale <> n.stale OR h.facts <> n.facts`,
  },
]

/**
 * Compares a table of counts with the expected rows; a value that is a bound may be higher than
 * expected. A FULL JOIN would be slow, because SQLite would compare row by row.
 */
function comparison(table: CountTableName): TableCheck {
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
      .map((name) => `'${name} ' || coalesce(CAST(max(${side}_${name}) AS text), 'none')`)
      .join(` || ', ' || `)
  const differs = valuesOfTable(table).map(
    ([name, { fold }]) =>
      `max(s_${name}) ${fold === 'bound' ? '<' : 'IS DISTINCT FROM'} max(c_${name})`,
  )
  return {
    table,
    sql: `SELECT ${row}, ${text('s')}, ${text('c')} FROM (
        SELECT ${keys.join(', ')}, ${pick('s')} FROM ${table}
        UNION ALL SELECT ${keys.join(', ')}, ${pick('c')} FROM (${countedRows(table)}) AS part) AS both_sides
      GROUP BY ${keys.join(', ')}
      HAVING ${differs.join(' OR ')}`,
  }
}

/**
 * The differences between the stored counts and the records, as lines of text. Leaves out
 * `day_count` and `station_count` while the table `built` does not name them, because they are not
 * complete then. Takes some seconds for each million records.
 */
export function* countFaults(): Question<string[]> {
  const built = new Set(yield* column<string>('SELECT name FROM built'))
  const lines: string[] = []
  for (const { table, sql } of comparisons) {
    if (deferredCounts.some((deferred) => deferred === table) && !built.has(table)) continue
    const found = yield* rows<[key: string, stored: string, counted: string]>(sql)
    for (const [key, stored, counted] of found.slice(0, maxListed))
      lines.push(`${table}: ${key}: stored ${stored}, counted ${counted}`)
    const more = found.length - maxListed
    if (more > 0) lines.push(`${table}: ${more} more rows differ`)
  }
  return lines
}
