/**
 * Runs questions on a connection of SQLite: without a pause, on the thread of the caller, and each
 * in one transaction.
 */
import type { Database, Statement as Prepared, Transaction } from 'better-sqlite3'
import Sqlite from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import type { Question, Row, Statement, Values } from '../question.ts'
import type { AnswerOf, QueryOf, QuestionName } from '../questions/reader.ts'
import { questionOf } from '../questions/reader.ts'
import { contextOf } from '../selection/context.ts'
import { dialect } from './dialect.ts'

/** Number of statements that stay prepared. The texts are few, because values are parameters. */
const keptStatements = 200

/**
 * Ends a question that takes too long: called after each of its steps, and by `in_time()` within
 * statements, about once in 4096 rows. Throws to end it.
 */
export type CheckTime = () => void

const always: CheckTime = () => undefined

/** Answers questions on one connection; each is one transaction. */
export class Driver {
  readonly #db: Database
  readonly #prepared = new LRUCache<string, Prepared>({ max: keptStatements })
  readonly #transaction: Transaction<(question: Question<unknown>) => unknown>
  readonly #context = contextOf(dialect)
  #checkTime = always

  constructor(db: Database) {
    this.#db = db
    this.#transaction = db.transaction((question: Question<unknown>) => this.#run(question))
    // The error of the function ends the statement that calls it (see `inTime`).
    db.function('in_time', () => {
      this.#checkTime()
      return 1
    })
  }

  /** Answers a question of a reader. An error of its SQL says which question it was. */
  answer<Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    checkTime = always,
  ): AnswerOf<Name> {
    try {
      return this.read(questionOf(name, query, this.#context), checkTime)
    } catch (error) {
      if (error instanceof Sqlite.SqliteError) error.message = `${name}: ${error.message}`
      throw error
    }
  }

  /** All statements of the question see one state of the database. */
  read<Answer>(question: Question<Answer>, checkTime = always): Answer {
    this.#checkTime = checkTime
    try {
      return this.#transaction.deferred(question) as Answer
    } finally {
      this.#checkTime = always
    }
  }

  /** All changes of the question are made, or none. */
  write<Answer>(question: Question<Answer>): Answer {
    return this.#transaction.immediate(question) as Answer
  }

  #run(question: Question<unknown>): unknown {
    let step = question.next()
    while (step.done !== true) {
      const found = step.value.map((statement) => this.#execute(statement))
      this.#checkTime()
      step = question.next(found)
    }
    return step.value
  }

  #execute({ sql, values = {}, many }: Statement): Row[] {
    const statement = this.#statement(sql)
    if (many !== undefined) {
      for (const each of many) statement.run(each)
      return []
    }
    if (statement.reader) return statement.all(bindable(values)) as Row[]
    statement.run(bindable(values))
    return []
  }

  #statement(sql: string): Prepared {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      if (statement.reader) statement.raw()
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}

/** SQLite has no arrays: a list is passed as JSON. */
function bindable(values: Values): object {
  let bound: Record<string, unknown> | undefined
  for (const name in values)
    if (Array.isArray(values[name])) (bound ??= { ...values })[name] = JSON.stringify(values[name])
  return bound ?? values
}
