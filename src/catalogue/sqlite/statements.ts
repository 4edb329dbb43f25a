import type { Database, Statement } from 'better-sqlite3'
import type { Values } from './filter-sql.ts'

/** Size of the statement cache: texts differ in their conditions, not in their values. */
const keptStatements = 200

/** Executes SELECTs whose text is built on demand. */
export interface Statements {
  /** The first column of all rows. */
  column(sql: string, values: Values): readonly unknown[]
  /** The first column of the first row. */
  value(sql: string, values: Values): unknown
  /** All columns of all rows. */
  rows(sql: string, values: Values): readonly unknown[][]
}

export function openStatements(db: Database): Statements {
  const kept = new Map<string, Statement>()
  const prepared = (sql: string): Statement => {
    let statement = kept.get(sql)
    if (statement === undefined) {
      if (kept.size >= keptStatements) kept.clear()
      kept.set(sql, (statement = db.prepare(sql)))
    }
    return statement
  }
  return {
    column: (sql, values) => prepared(sql).pluck().all(values),
    value: (sql, values) => prepared(sql).pluck().get(values),
    rows: (sql, values) => prepared(sql).raw().all(values) as unknown[][],
  }
}
