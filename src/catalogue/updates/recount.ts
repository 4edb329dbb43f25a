/** Counts files again: to build the tables of counts, to compare them with the rows, and to repair them. */
import {
  countTableNames,
  countTables,
  dayOf,
  deferredCounts,
  idCountLevels,
  valuesOf,
} from '../questions/count-tables.ts'
import type { CountTableName } from '../questions/count-tables.ts'
import type { Dialect } from '../questions/dialect.ts'
import { column, execute } from '../questions/question.ts'
import type { Question } from '../questions/question.ts'
import { withLiveSeq } from './live-seq.ts'

const lowest = Math.min(...idCountLevels)

/** SQL that combines values of several groups of files. */
function combined(table: CountTableName): string {
  const sql = { sum: 'sum', min: 'min', max: 'max', bound: 'max' }
  return valuesOf(table)
    .map(([name, { fold }]) =>
      fold === 'sum'
        ? `CAST(sum(${name}) AS bigint) AS ${name}`
        : `${sql[fold]}(${name}) AS ${name}`,
    )
    .join(', ')
}

/**
 * SQL for the values of groups of files, in two parts: an index has all that the first one reads,
 * and the second one reads only files of known size, which are few at the end of a first scan.
 */
function grouped(table: CountTableName, groups: string, where: string): string {
  const part = (sizes: boolean): string => {
    const values = valuesOf(table).map(([name, { fold, sql, ofSizes = false }]) =>
      ofSizes === sizes ? `${sql} AS ${name}` : `${fold === 'sum' ? 0 : 'NULL'} AS ${name}`,
    )
    return `SELECT ${groups}, ${values.join(', ')} FROM file
      WHERE ${where}${sizes ? ' AND size IS NOT NULL' : ''} GROUP BY 1, 2`
  }
  return `${part(false)} UNION ALL ${part(true)}`
}

/** SQL for the rows of `id_count`; kind 0 is the sum of all kinds. */
function idCounts(where: string): string {
  const values = combined('id_count')
  const level = (number: number, kind: string): string =>
    `SELECT ${number} AS level, ${kind} AS kind, bucket >> ${number - lowest} AS bucket, ${values}
     FROM lowest GROUP BY 2, 3`
  const levels = idCountLevels.flatMap((number) => [level(number, 'kind'), level(number, '0')])
  return `WITH lowest AS MATERIALIZED (SELECT kind, bucket, ${values}
      FROM (${grouped('id_count', `kind, id >> ${lowest} AS bucket`, where)}) AS part GROUP BY 1, 2)
    ${levels.join('\nUNION ALL ')}`
}

/** SQL for the expected rows of a table of counts, of the files that match a condition. */
export function counted(table: CountTableName, where = 'TRUE'): string {
  if (table === 'id_count') return idCounts(where)
  // The index file_date has the order of the start of the data, so the parts group by this first.
  const [key, group] =
    table === 'day_count' ? [`${dayOf('data_date')} AS day`, 'data_date'] : ['station', 'station']
  return `SELECT ${key}, kind, ${combined(table)}
    FROM (${grouped(table, `${group}, kind`, where)}) AS part GROUP BY 1, 2`
}

/** Fills a table of counts with the rows of some files. */
export function* count(table: CountTableName, where?: string): Question<void> {
  const columns = [...countTables[table].keys, ...countTables[table].values].join(', ')
  yield* execute({ sql: `INSERT INTO ${table} (${columns}) ${counted(table, where)}` })
}

/** Fills a table of counts again from all files. */
export function* recount(dialect: Dialect, table: CountTableName): Question<void> {
  function* fill(): Question<void> {
    yield* execute({ sql: `DELETE FROM ${table}` })
    yield* count(table)
  }
  if (table !== 'station_count') yield* fill()
  else yield* withLiveSeq(dialect, yield* column<number>('SELECT id FROM station'), fill())
}

/** The numbers of files in `directory` and `area`, and of checksums in `hashing`. */
function* recountOthers(): Question<void> {
  yield* execute(
    {
      sql: `UPDATE directory SET files = counted.files
        FROM (SELECT d.id, count(f.id) AS files FROM directory d LEFT JOIN file f ON f.directory = d.id
          GROUP BY d.id) AS counted
        WHERE counted.id = directory.id AND counted.files <> directory.files`,
    },
    { sql: 'DELETE FROM area' },
    {
      sql: `INSERT INTO area (name, files) SELECT substr(path, 1, 3), CAST(sum(files) AS bigint)
        FROM directory GROUP BY 1 HAVING sum(files) > 0`,
    },
    {
      sql: `UPDATE hashing SET files = (SELECT count(*) FROM checksum WHERE stale_us IS NULL),
        stale = (SELECT count(*) FROM checksum WHERE stale_us IS NOT NULL)`,
    },
  )
}

/**
 * The steps of a repair, each for a transaction of its own: a table of counts, or the counts in all
 * other tables. Counts that a first scan left out stay empty.
 */
export function repairs(dialect: Dialect): (() => Question<void>)[] {
  const tables = countTableNames.map(
    (table) =>
      function* (): Question<void> {
        if ((yield* keptCounts()).has(table)) yield* recount(dialect, table)
      },
  )
  return [...tables, recountOthers]
}

/** The tables of counts that each change updates: all but those that are not built yet. */
export function* keptCounts(): Question<ReadonlySet<CountTableName>> {
  const built = new Set(yield* column<string>('SELECT name FROM built'))
  const missing: readonly string[] = deferredCounts.filter((table) => !built.has(table))
  return new Set(countTableNames.filter((table) => !missing.includes(table)))
}
