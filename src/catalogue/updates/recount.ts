/** Counts files again: to build the tables of counts, to compare and to repair them. */
import {
  countTableNames,
  countTables,
  dayOf,
  deferredCounts,
  idCountLevels,
  valuesOf,
} from '../selection/count-tables.ts'
import type { CountTableName } from '../selection/count-tables.ts'
import type { Dialect } from '../dialect.ts'
import { column, execute } from '../question.ts'
import type { Question } from '../question.ts'
import { raiseDetails } from './checksum-rows.ts'

const lowest = Math.min(...idCountLevels)

/** SQL that combines the values of several groups of files. */
function combined(table: CountTableName): string {
  const sqlOf = { sum: 'sum', min: 'min', max: 'max', bound: 'max' }
  return valuesOf(table)
    .map(([name, { fold }]) => {
      const sql = `${sqlOf[fold]}(${name})`
      return `${fold === 'sum' ? `CAST(${sql} AS bigint)` : sql} AS ${name}`
    })
    .join(', ')
}

/**
 * SQL for the values of groups of files, by kind and another expression. An index has all that the
 * first part reads. The second part reads the table, but only files of known size, of which there
 * are few at the end of a first scan; `+` hides the indexes, which do not have the size.
 */
function grouped(table: CountTableName, [name, group]: [string, string]): string {
  const part = (sizes: boolean): string => {
    const values = valuesOf(table).map(([value, { fold, sql, ofSizes = false }]) =>
      ofSizes === sizes ? `${sql} AS ${value}` : `${fold === 'sum' ? 0 : 'NULL'} AS ${value}`,
    )
    const [hidden, known] = sizes ? ['+', 'WHERE size IS NOT NULL'] : ['', '']
    return `SELECT ${hidden}(${group}) AS ${name}, ${hidden}kind AS kind, ${values.join(', ')}
      FROM file ${known} GROUP BY 1, 2`
  }
  return `(${part(false)} UNION ALL ${part(true)}) AS part`
}

/** SQL for the rows of `id_count`; kind 0 is the sum of all kinds. */
function idCounts(): string {
  const values = combined('id_count')
  const level = (number: number, kind: string): string =>
    `SELECT ${number} AS level, ${kind} AS kind, bucket >> ${number - lowest} AS bucket, ${values}
     FROM lowest GROUP BY 2, 3`
  const levels = idCountLevels.flatMap((number) => [level(number, 'kind'), level(number, '0')])
  const parts = grouped('id_count', ['bucket', `id >> ${lowest}`])
  return `WITH lowest AS MATERIALIZED
      (SELECT bucket, kind, ${values} FROM ${parts} GROUP BY 1, 2)
    ${levels.join('\nUNION ALL ')}`
}

/** SQL for the expected rows of a table of counts. */
export function counted(table: CountTableName): string {
  if (table === 'id_count') return idCounts()
  // The index file_date has the order of the start of the data, so the parts group by this first.
  const [name, sql] =
    table === 'day_count' ? ['data_date', dayOf('data_date')] : ['station', 'station']
  return `SELECT ${sql} AS ${countTables[table].keys[0]}, kind, ${combined(table)}
    FROM ${grouped(table, [name, name])} GROUP BY 1, 2`
}

/** Fills a table of counts again from all files. */
export function* recount(dialect: Dialect, table: CountTableName): Question<void> {
  const columns = [...countTables[table].keys, ...countTables[table].values].join(', ')
  function* fill(): Question<void> {
    yield* execute({ sql: `DELETE FROM ${table}` })
    yield* execute({ sql: `INSERT INTO ${table} (${columns}) ${counted(table)}` })
  }
  if (table !== 'station_count') yield* fill()
  else yield* withLiveSeq(dialect, yield* column<number>('SELECT id FROM station'), fill())
}

/**
 * Runs a change of `station_count`, and stores the latest seq for each of these stations (ids) that
 * gets its first file or loses its last one by this change. To be used after `catalogue.seq` was
 * set.
 */
export function* withLiveSeq(
  dialect: Dialect,
  ids: readonly number[],
  change: Question<void>,
): Question<void> {
  const live = `SELECT id FROM station WHERE ${dialect.isIn('id', 'ids')}
    AND EXISTS (SELECT 1 FROM station_count c WHERE c.station = station.id)`
  const before = new Set(yield* column<number>(live, { ids }))
  yield* change
  const after = new Set(yield* column<number>(live, { ids }))
  const changed = ids.filter((id) => before.has(id) !== after.has(id))
  if (changed.length > 0)
    yield* execute({
      sql: `UPDATE station SET live_seq = (SELECT seq FROM catalogue WHERE one = 1)
        WHERE ${dialect.isIn('id', 'ids')}`,
      values: { ids: changed },
    })
}

/** The numbers of files in `directory` and `area`, and of checksums in `hashing`. */
function* recountOthers(): Question<void> {
  yield* execute(
    {
      sql: `UPDATE directory SET files = counted.files
        FROM (SELECT d.id, count(f.id) AS files
          FROM directory d LEFT JOIN file f ON f.directory = d.id GROUP BY d.id) AS counted
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
    // Answers change, although no record did.
    raiseDetails,
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
