/**
 * The writer of a catalogue on a server. Of any number of indexers, one is active; the others wait
 * (see writing-connection.ts).
 */
import pg from 'pg'
import type { Clock } from '../../runtime/clock.ts'
import { wait } from '../../runtime/clock.ts'
import type { Question } from '../question.ts'
import { beginDeliveries } from '../updates/times.ts'
import { updatesOf } from '../updates/updates.ts'
import type { CatalogueWriter } from '../updates/writer.ts'
import { isOutage, mayPrepare, serverFault } from './connection.ts'
import { dialect } from './dialect.ts'
import { ConnectionLost, Driver } from './driver.ts'
import { commits } from './listen.ts'
import type { WritingOptions } from './writing-connection.ts'
import { retryMs, WritingConnection } from './writing-connection.ts'

interface ServerWriterOptions extends WritingOptions {
  readonly nowUs: Clock
}

interface Asking {
  /** True if the question may be asked again after its outcome became unknown. */
  readonly isRepeated: boolean
  readonly readsOnly?: boolean
}

/**
 * Waits until this process is the active one, and creates or migrates the tables if necessary.
 * @returns `undefined` if the signal has ended the waiting
 * @throws UnusableDatabase; AlreadyRunning or CatalogueUnavailable if it may not wait
 */
export async function openWriter(options: ServerWriterOptions): Promise<ServerWriter | undefined> {
  const writer = new ServerWriter(options)
  try {
    await writer.begin()
    return writer
  } catch (error) {
    if (options.signal.aborted) return undefined
    throw error
  }
}

/** Writes on the one connection of the active indexer, one question after the other. */
export class ServerWriter {
  readonly #options: ServerWriterOptions
  readonly #driver: Driver
  readonly connection: WritingConnection
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ServerWriterOptions) {
    this.#options = options
    this.#driver = new Driver({ prepare: mayPrepare(options) })
    this.connection = new WritingConnection(options)
  }

  begin(): Promise<void> {
    return this.#ask(() => beginDeliveries(this.#options.nowUs()), { isRepeated: true })
  }

  methods(): CatalogueWriter {
    const { nowUs } = this.#options
    const updates = updatesOf({
      dialect,
      nowUs,
      read: (ask) => this.#ask(ask, { isRepeated: true, readsOnly: true }),
      write: (ask) => this.#ask(ask, { isRepeated: true }),
      writeOnce: (ask) => this.#ask(ask, { isRepeated: false }),
      isInvalidData: (error): error is Error =>
        error instanceof pg.DatabaseError && /^(22|23)/.test(error.code ?? ''),
      isSqlError: (error) => error instanceof pg.DatabaseError,
    })
    return {
      ...updates,
      buildIndexes: async () => {
        const built = await updates.buildIndexes()
        // Without it, counts by an index would read the table too.
        if (built.left === 0 && built.names.length > 0) await this.#vacuum()
        return built
      },
      backup: () => Promise.resolve({ outcome: 'unneeded' }),
      checkpoint: () => this.connection.close(false),
      close: () => void this.connection.close(true),
    }
  }

  /** One at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  #ask<T>(ask: () => Question<T>, how: Asking): Promise<T> {
    return this.#inTurn(() => this.#answer(ask, how))
  }

  /**
   * Answers a question in a transaction, when there is a connection. If it is lost meanwhile, asks
   * again if that is allowed: reconciling is the truth, so what is written once fails, and its
   * directories are read again.
   */
  async #answer<T>(ask: () => Question<T>, { isRepeated, readsOnly = false }: Asking): Promise<T> {
    for (let failure: string | undefined; ;) {
      const client = await this.connection.client()
      try {
        const answer = await this.#driver.run(client, ask(), {
          begin: readsOnly ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN',
          last: readsOnly ? undefined : { sql: `NOTIFY ${commits}` },
          untilCommitted: true,
        })
        if (failure !== undefined) this.#options.onWaiting(undefined)
        return answer
      } catch (error) {
        const isLost = error instanceof ConnectionLost
        if (isLost) await this.connection.drop(client)
        const isPassing = isLost || (readsOnly ? isOutage(error) : isRepeatable(error))
        if (!isPassing || !isRepeated) throw error
        if (!isLost) {
          failure = `the server ${this.connection.name} ${serverFault(error)}`
          this.#options.onWaiting(failure)
        }
        await wait(retryMs, this.#options.signal)
        this.#options.signal.throwIfAborted()
      }
    }
  }

  async #vacuum(): Promise<void> {
    await this.#inTurn(async () => {
      const client = await this.connection.client()
      await client.query('VACUUM (ANALYZE) file')
    })
  }
}

/** True for a transaction that may succeed when it is repeated. */
function isRepeatable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(08|57P0|40001|40P01|53300)/.test(error.code ?? '')
}
