/** Runs questions on a connection of PostgreSQL, each in one transaction. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import type { Question, Row, Statement, Value, Values } from '../question.ts'
import { planned } from './dialect.ts'

/** Number of texts of statements that are kept. The texts are few: values are parameters. */
const keptTexts = 500

/** int8 as a number: ids, counts and times in µs are below 2^53. Only for our connections. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** A statement with parameters `$1`; without a name, the server plans it each time. */
interface Compiled {
  readonly text: string
  readonly name: string | undefined
  readonly parameters: readonly string[]
}

/** How a transaction begins and ends. */
export interface Transaction {
  /** SQL that begins it. It is sent together with the first statements. */
  readonly begin: string
  /** The last statement of the transaction, before COMMIT. */
  readonly last?: Statement | undefined
  /** False if nobody needs to know that the transaction has ended. */
  readonly untilCommitted: boolean
  /** Time after which a connection without an answer to a statement is lost (ms). */
  readonly answerMs?: number
  /** Called after each step; throws to end the question. */
  readonly checkTime?: () => void
}

/** Answers questions on the connections that it is given; each is one transaction. */
export class Driver {
  readonly #compiled = new LRUCache<string, Compiled>({ max: keptTexts })
  readonly #isNamed: boolean

  /** @param prepare false to name no statements, for a pooler that cannot carry them */
  constructor({ prepare }: { readonly prepare: boolean }) {
    this.#isNamed = prepare
  }

  /**
   * @throws ConnectionLost, after which the caller must close the connection; all other errors
   * after the transaction was rolled back
   */
  async run<Answer>(
    client: pg.ClientBase,
    question: Question<Answer>,
    { begin, last, untilCommitted, answerMs, checkTime }: Transaction,
  ): Promise<Answer> {
    // It travels with the first statements.
    let begun: Promise<unknown> | undefined = client.query(begin)
    try {
      let step = question.next()
      while (step.done !== true) {
        const statements = step.value.map((each) => this.#execute(client, each, answerMs))
        const [found] = await unlessLost(Promise.all([Promise.all(statements), begun]))
        begun = undefined
        checkTime?.()
        step = question.next(found)
      }
      const ends: Promise<unknown>[] = begun === undefined ? [] : [begun]
      if (last !== undefined) ends.push(this.#execute(client, last))
      const ended = unlessLost(Promise.all([...ends, client.query('COMMIT')]))
      if (untilCommitted) await ended
      else ended.catch(() => undefined)
      return step.value
    } catch (error) {
      begun?.catch(() => undefined)
      if (!(error instanceof ConnectionLost)) await unlessLost(client.query('ROLLBACK'))
      throw error
    }
  }

  async #execute(
    client: pg.ClientBase,
    { sql, values = {}, many }: Statement,
    answerMs?: number,
  ): Promise<Row[]> {
    if (many?.length === 0) return []
    const { parameters, ...compiled } = this.#compile(sql, values)
    const list = parameters.map((name) =>
      many === undefined ? values[name] : many.map((each) => each[name]),
    )
    const query = { ...compiled, values: list, rowMode: 'array', types, query_timeout: answerMs }
    return (await client.query<unknown[]>(query as pg.QueryArrayConfig)).rows
  }

  /** Each parameter gets the type of its value, because the server would guess others. */
  #compile(sql: string, values: Values): Compiled {
    const key = sql + Object.values(values).map(castOf).join()
    let compiled = this.#compiled.get(key)
    if (compiled === undefined) {
      const parameters: string[] = []
      const text = sql.replace(/@(\w+)/g, (_, name: string) => {
        if (!parameters.includes(name)) parameters.push(name)
        return `$${parameters.indexOf(name) + 1}${castOf(values[name])}`
      })
      const isNamed = this.#isNamed && !sql.includes(planned)
      const name = isNamed ? nameOf(text) : undefined
      compiled = { text, name, parameters }
      this.#compiled.set(key, compiled)
    }
    return compiled
  }
}

/** A text that is compiled again gets its former name: the server keeps each named statement. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function castOf(value: Value | undefined): string {
  if (typeof value === 'number') return '::bigint'
  if (typeof value === 'string') return '::text'
  return ''
}

/** The connection is lost; it is unknown whether a transaction that was ending was committed. */
export class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST'
}

/** @throws ConnectionLost for all errors but those of a statement */
export async function unlessLost<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') throw error
    const { message } = error as Error
    throw new ConnectionLost(`the connection to the database was lost: ${message}`, {
      cause: error,
    })
  }
}
