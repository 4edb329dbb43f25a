/** The reader of a catalogue on a server: a pool of connections, on which questions take turns. */
import pg from 'pg'
import { CatalogueUnavailable, QueryTimeout } from '../errors.ts'
import type {
  AnswerOf,
  CatalogueReader,
  QueryOf,
  QuestionName,
  StorageFigures,
} from '../questions/reader.ts'
import { askingBy, longQuestions, questionOf, shortQuestions } from '../questions/reader.ts'
import type { QuestionContext } from '../selection/context.ts'
import { contextOf } from '../selection/context.ts'
import { schemaVersion } from '../tables/migrations.ts'
import type { Asker } from '../turns.ts'
import { QueryTurns } from '../turns.ts'
import type { ServerAddress } from './connection.ts'
import { clientConfig, ignoreLoss, isOutage, mayPrepare, serverFault } from './connection.ts'
import { dialect } from './dialect.ts'
import { ConnectionLost, Driver, unlessLost } from './driver.ts'
import { CommitSignal } from './listen.ts'

/** Number of connections: 500 pages a second keep three of them busy. */
const connections = 8

/** A question that takes longer than this (ms) begins again when it is its turn. */
const directMs = 100

/** Longest time of a question of a client, and of a statement of any other question (ms). */
const longestMs = 2000
const longestInnerMs = 600_000

/** A connection that is silent for this time beyond (ms) is lost: the network swallows packets. */
const noticeMs = 3000

const settings = {
  // A client of ours that ends within a transaction must not keep old rows alive.
  idle_in_transaction_session_timeout: 10_000,
  // The rules of the list choose the way of a question; both cost more than they gain.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1.1,
}

/**
 * Opens the reader of a catalogue on a server.
 * @param read the server from which to read: the primary itself, or a hot standby of it
 */
export function openReader(primary: ServerAddress, read = primary): CatalogueReader {
  return new Reader(primary, read).methods()
}

function unavailable(error: unknown): CatalogueUnavailable {
  return new CatalogueUnavailable(`the database ${serverFault(error)}`, { cause: error })
}

class Reader {
  readonly #pool: pg.Pool
  readonly #driver: Driver
  readonly #commits: CommitSignal
  readonly #turns = new QueryTurns({ ofClients: 3, ofAll: 4 })
  /** What the questions of each connection have read on it. */
  readonly #contexts = new WeakMap<pg.PoolClient, QuestionContext>()

  constructor(primary: ServerAddress, read: ServerAddress) {
    this.#driver = new Driver({ prepare: mayPrepare(read) })
    this.#commits = new CommitSignal(primary)
    this.#pool = new pg.Pool({
      ...clientConfig(read, settings),
      max: connections,
      idleTimeoutMillis: 30_000,
    })
    this.#pool.on('error', () => undefined)
    this.#pool.on('connect', ignoreLoss)
  }

  methods(): CatalogueReader {
    return {
      ...askingBy((name, query, asker) => this.#ask(name, query, asker)),
      storage: () => this.#storage(),
      untilWritten: () => this.#commits.next(),
      close: async () => {
        await this.#commits.close()
        if (!this.#pool.ending) await this.#pool.end()
      },
    }
  }

  async #ask<Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    asker?: Asker,
  ): Promise<AnswerOf<Name>> {
    if (shortQuestions.has(name)) return this.#answer(name, query, longestMs)
    if (!longQuestions.has(name))
      try {
        return await this.#answer(name, query, directMs)
      } catch (error) {
        if (!(error instanceof QueryTimeout)) throw error
      }
    const limitMs = asker === undefined ? 0 : longestMs
    return this.#turns.run(asker ?? {}, () => this.#answer(name, query, limitMs))
  }

  /** @param limitMs longest time of a statement, and of all together; 0 for none */
  #answer<Name extends QuestionName>(
    name: Name,
    query: QueryOf<Name>,
    limitMs: number,
  ): Promise<AnswerOf<Name>> {
    const endMs = limitMs === 0 ? Infinity : performance.now() + limitMs
    const tooLong = (): QueryTimeout =>
      new QueryTimeout(`the query takes longer than ${limitMs} ms`)
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL statement_timeout = ${limitMs}`
    return this.#connected(async (client) => {
      const question = questionOf(name, query, await this.#contextOn(client))
      try {
        return await this.#driver.run(client, question, {
          begin,
          untilCommitted: false,
          answerMs: (limitMs || longestInnerMs) + noticeMs,
          checkTime: () => {
            if (performance.now() > endMs) throw tooLong()
          },
        })
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error
        if (error.code === '57014') throw tooLong()
        error.message = `${name}: ${error.message}`
        throw error
      }
    })
  }

  /** @throws CatalogueUnavailable */
  async #connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined
    let lost: Error | undefined
    try {
      client = await this.#pool.connect()
      return await work(client)
    } catch (error) {
      if (error instanceof ConnectionLost) lost = error
      if (client !== undefined && lost === undefined && !isOutage(error)) throw error
      throw unavailable(error)
    } finally {
      client?.release(lost)
    }
  }

  async #contextOn(client: pg.PoolClient): Promise<QuestionContext> {
    let context = this.#contexts.get(client)
    if (context === undefined) {
      const asked = client.query<{ schema: number }>('SELECT schema FROM server')
      const { rows } = await unlessLost(asked)
      const schema = rows[0]?.schema
      if (schema !== schemaVersion)
        throw new CatalogueUnavailable(
          `the database has schema ${schema}, this program reads ${schemaVersion}`,
        )
      context = contextOf(dialect)
      this.#contexts.set(client, context)
    }
    return context
  }

  #storage(): Promise<StorageFigures> {
    return this.#connected(async (client) => {
      const asked = client.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      )
      const { rows } = await unlessLost(asked)
      const databaseBytes = Number(rows[0]?.bytes)
      return { databaseBytes, walBytes: undefined, backupUs: undefined, disk: undefined }
    })
  }
}
