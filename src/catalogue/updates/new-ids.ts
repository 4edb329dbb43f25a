/** The ids of stations, kinds and series in their tables, to which unknown ones are added. */
import type { Columns, Dialect } from '../dialect.ts'
import type { Question, Statement, Values } from '../question.ts'
import { rows } from '../question.ts'

/**
 * Finds the ids of the rows of a table by their values. Rows are never removed from the table, so
 * the rows that a transaction finds at its start stay known; those that it adds itself become known
 * at the start of the next one, if they were committed.
 */
export class NewIds {
  readonly #columns: readonly string[]
  readonly #select: string
  readonly #insert: string
  readonly #known = new Map<string, number>()
  #lastKnown = 0
  readonly #added = new Map<string, number>()
  #unwritten: Values[] = []
  #last = 0

  constructor(dialect: Dialect, table: string, columns: Columns) {
    this.#columns = Object.keys(columns)
    const names = this.#columns.join(', ')
    this.#select = `SELECT id, ${names} FROM ${table} WHERE id > @last ORDER BY id`
    this.#insert = dialect.insert(table, { id: 'bigint', ...columns })
  }

  /** To be used at the start of a transaction. */
  *begin(): Question<void> {
    this.#added.clear()
    this.#unwritten = []
    for (const [id, ...values] of yield* rows<[number]>(this.#select, { last: this.#lastKnown })) {
      this.#known.set(values.join(), id)
      this.#lastKnown = id
    }
    this.#last = this.#lastKnown
  }

  /** The id of a row; that of an unknown row may be used after `unwritten` was executed. */
  idOf(values: readonly (string | number)[]): number {
    const key = values.length === 1 ? String(values[0]) : values.join()
    let id = this.#known.get(key) ?? this.#added.get(key)
    if (id === undefined) {
      id = ++this.#last
      this.#added.set(key, id)
      const row = this.#columns.map((name, index) => [name, values[index] ?? ''])
      this.#unwritten.push({ id, ...(Object.fromEntries(row) as Values) })
    }
    return id
  }

  /** The id of a row; `undefined` if there is none. */
  find(values: readonly (string | number)[]): number | undefined {
    const key = values.join()
    return this.#known.get(key) ?? this.#added.get(key)
  }

  /** The statements that add the rows which are not in the table yet. */
  unwritten(): Statement[] {
    const many = this.#unwritten
    this.#unwritten = []
    return many.length === 0 ? [] : [{ sql: this.#insert, many }]
  }
}
