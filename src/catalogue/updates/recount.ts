/** Counts files again: to build the tables of counts, and to repair them. */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { column, execute } from '../question.ts'
import { countedRows } from '../selection/counted-rows.ts'
import type { CountTableName } from '../tables/count-tables.ts'
import { countTableNames, countTables, deferredCounts } from '../tables/count-tables.ts'
import { raiseDetails } from './checksum-rows.ts'

/** Fills a table of counts again from all files. */
export function* recount(dialect: Dialect, table: CountTableName): Question<void> {
  const columns = [...countTables[table].keys, ...countTables[table].values].join(', ')
  function* fill(): Question<void> {
    yield* execute({ sql: `DELETE FROM ${table}` })
    yield* execute({ sql: `INSERT INTO ${table} (${columns}) ${countedRows(table)}` })
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

/** The numbers of files in `directory`, and of checksums and facts in `hashing`. */
function* recountOthers(): Question<void> {
  yield* execute(
    {
      sql: `UPDATE directory SET files = counted.files
        FROM (SELECT d.id, count(f.id) AS files
          FROM directory d LEFT JOIN file f ON f.directory = d.id GROUP BY d.id) AS counted
        WHERE counted.id = directory.id AND counted.files <> directory.files`,
    },
    {
      sql: `UPDATE hashing SET files = (SELECT count(*) FROM checksum WHERE stale_us IS NULL),
        stale = (SELECT count(*) FROM checksum WHERE stale_us IS NOT NULL),
        facts = (SELECT count(*) FROM fact)`,
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
