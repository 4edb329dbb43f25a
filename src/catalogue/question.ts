/**
 * What the catalogue asks of a database. A question is a generator: it yields SQL statements, is
 * resumed with their rows, and returns the answer. It knows no connection, no engine and no
 * promise; an engine's driver runs it, all in one transaction. A question never catches the error
 * of a statement, and keeps nothing beyond its call but caches that stay valid after a rollback.
 */

/** A list is one parameter; see `Dialect.isIn` and `Dialect.each`. */
export type Value = string | number | null | Uint8Array | readonly (string | number | null)[]
/** The parameters of a statement, by name. */
export type Values = Readonly<Record<string, Value>>
/** The columns of a row, in the order of the statement. */
export type Row = readonly unknown[]

/** A statement with parameters `@name`. */
export interface Statement {
  readonly sql: string
  readonly values?: Values
  /** Runs the statement once for each of these, without rows. */
  readonly many?: readonly Values[]
}

/**
 * Yields statements that do not depend on each other, and is resumed with the rows of each: an
 * engine may send them together.
 */
export type Question<Answer> = Generator<readonly Statement[], Answer, readonly Row[][]>

/** The rows of several statements that do not depend on each other. */
export function* all(...statements: readonly Statement[]): Question<readonly Row[][]> {
  return statements.length === 0 ? [] : yield statements
}

/** The rows of a statement. The caller names the type of a row. */
export function* rows<R extends Row>(sql: string, values: Values = {}): Question<R[]> {
  const [found = []] = yield [{ sql, values }]
  return found as unknown as R[]
}

export function* row<R extends Row>(sql: string, values?: Values): Question<R | undefined> {
  return (yield* rows<R>(sql, values))[0]
}

/** The first column of all rows. */
export function* column<T>(sql: string, values?: Values): Question<T[]> {
  return (yield* rows<[T]>(sql, values)).map(([first]) => first)
}

/** The first column of the first row; `undefined` without rows, and for NULL. */
export function* value<T>(sql: string, values?: Values): Question<T | undefined> {
  return (yield* row<[T | null]>(sql, values))?.[0] ?? undefined
}

/** Runs statements whose rows nobody needs. */
export function* execute(...statements: readonly Statement[]): Question<void> {
  yield* all(...statements)
}

/** Asks a question in one transaction, again from its start if an engine has to. */
export type Ask = <Answer>(ask: () => Question<Answer>) => Promise<Answer>
