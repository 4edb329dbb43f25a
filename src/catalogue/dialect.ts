/**
 * The SQL that engines do not have in common. All other SQL is written once, in words that all
 * know: CASE, IS DISTINCT FROM, ON CONFLICT with the name of the table, CAST(@n AS bigint) around a
 * number that decides a plan.
 */
import type { Ask } from './question.ts'

export type ColumnType = 'bigint' | 'int' | 'text' | 'bytea'

/** The columns of a table with their types. */
export type Columns = Readonly<Record<string, ColumnType>>

/** How an engine writes what is not the same SQL in all; each function returns a piece of SQL. */
export interface Dialect {
  // Which index, and for how long

  /**
   * SQL after the name (and alias) of a table that makes the engine read it by this index; `''`
   * stands for the table itself.
   */
  using(index: string): string
  /**
   * A condition that is always true, and ends a statement that takes too long. To be the first
   * condition: an engine stops at the first one that is false.
   * @param id a column with whole numbers
   */
  inTime(id: string): string
  // Lists

  /** A condition that a column has one of the values of a list parameter. */
  isIn(column: string, parameter: string, type?: ColumnType): string
  /** A list parameter as a table `r (value, key)`; `key` counts from 0. */
  each(parameter: string, type?: ColumnType): string
  // Texts and terms

  /** What follows the columns of an index, so that equal keys are in the order of the id. */
  readonly indexEnd: string
  /** A text whose comparisons, order and index ignore the case of ASCII letters. */
  ignoringCase(text: string): string
  /** The highest of some terms, none of which is NULL. */
  greatest(...terms: readonly string[]): string
  /** The values of a column of all rows of a group, as one JSON array. */
  list(column: string): string
  /** The number of values in a column with a JSON array. */
  length(column: string): string
  // The catalogue itself

  /** SQL at the end of a SELECT that locks its row until the end of the transaction. */
  readonly forUpdate: string
  /** SQL for the number of the schema. */
  readonly schema: string
  setSchema(version: number): string
  // Rows, by statements that are run with `many`, and no others

  /** Inserts rows, one for each of `many`; the parameters are named as the columns. */
  insert(table: string, columns: Columns, conflict?: string): string
  /**
   * Changes, for each of `many`, the rows of a table that have its keys.
   * @param given all other parameters
   * @param set the new values in SQL, where columns have the name of the table before them; by
   * default, each column that is `given` gets its parameter
   */
  update(
    table: string,
    keys: Columns,
    given: Columns,
    set?: Readonly<Record<string, string>>,
  ): string
  /** Deletes, for each of `many`, the rows that have its keys and meet the condition. */
  delete(table: string, keys: Columns, condition?: string): string
}

/** Sets each of these columns to the parameter of its name. */
export function ownParameters(columns: Columns): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, `@${name}`]))
}

/** A database: its SQL, and how questions are asked of it, of which some write. */
export interface Engine {
  readonly dialect: Dialect
  readonly read: Ask
  readonly write: Ask
}
