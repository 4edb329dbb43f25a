/**
 * Drops the indexes before a first scan, and builds indexes and counts after it. Building them once
 * takes a third of the work of updating them with each new row.
 */
import type { Dialect } from '../dialect.ts'
import type { Question } from '../question.ts'
import { column, execute, value } from '../question.ts'
import { allFiles, deferredCounts } from '../tables/count-tables.ts'
import { createIndex, indexNames } from '../tables/indexes.ts'
import { recount } from './recount.ts'

/** The result of one call of `buildIndexes`. */
export interface BuiltIndexes {
  /** Names of the indexes and counts that were built, for the log; empty if nothing was missing. */
  readonly names: readonly string[]
  /** Number of indexes and counts that are still missing. */
  readonly left: number
}

/**
 * With fewer files than this, all indexes and counts are built in one transaction, which takes less
 * than a second.
 */
const allAtOnceBelow = 100_000

/** Drops the indexes, and marks the counts as not built, if there is no file yet. */
export function* deferIndexes(): Question<void> {
  if ((yield* value<number>('SELECT id FROM file LIMIT 1')) !== undefined) return
  const drops = indexNames.map((name) => ({ sql: `DROP INDEX IF EXISTS ${name}` }))
  yield* execute(...drops, { sql: 'DELETE FROM built' })
}

/** Builds the next missing index or count, or all if there are few files. */
export function* buildIndexes(dialect: Dialect): Question<BuiltIndexes> {
  const complete = new Set(yield* column<string>('SELECT name FROM built'))
  // The indexes come first, because the counts are read from them.
  const missing = [...indexNames, ...deferredCounts].filter((name) => !complete.has(name))
  const files = (yield* value<number>(`SELECT ${allFiles}`)) ?? 0
  const names = files < allAtOnceBelow ? missing : missing.slice(0, 1)
  for (const name of names) {
    const count = deferredCounts.find((table) => table === name)
    if (count === undefined) yield* execute({ sql: createIndex(name, dialect) })
    else yield* recount(dialect, count)
    yield* execute({ sql: 'INSERT INTO built (name) VALUES (@name)', values: { name } })
  }
  return { names, left: missing.length - names.length }
}
