/**
 * The one connection on which the catalogue is written. It holds an advisory lock, so that a writer
 * which lost its lock cannot write. The processes of other indexers wait for the lock.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import pg from 'pg'
import { wait } from '../../runtime/clock.ts'
import { serverName } from '../database-url.ts'
import { newEpoch } from '../epoch.ts'
import {
  AlreadyRunning,
  CatalogueCorrupt,
  CatalogueUnavailable,
  UnusableDatabase,
} from '../errors.ts'
import type { ServerAddress } from './connection.ts'
import { clientConfig, ignoreLoss, isOutage, serverFault } from './connection.ts'
import { requests } from './listen.ts'
import { checkServer, createSchema, identity, migrateTables, readOnly } from './schema.ts'

/** Time between two tries to connect, or to take the lock (ms). */
export const retryMs = 500

/** SQL for the key of the lock: one for each schema of a database. */
const lockKey = `1380866147, coalesce(quote_ident(current_schema())::regnamespace::oid::int, 0)`

const otherActive = 'another indexer is active'

/**
 * A number that a client has seen survives the loss of power: a commit is on the disk, also if the
 * role does without. Who waits for standbys is the server's matter.
 */
const onDisk = `SELECT set_config('synchronous_commit', 'local', FALSE)
  WHERE current_setting('synchronous_commit') = 'off'`

/** Skipped numbers, after a server was found that may have lost the last transactions. */
const margin = 1_000_000

export interface WritingOptions extends ServerAddress {
  /** Called with the reason when the writer begins to wait, and with `undefined` at the end. */
  readonly onWaiting: (reason: string | undefined) => void
  /** False to fail if the writer would have to wait before it is the active one. */
  readonly waits: boolean
  /** True for the target of a copy, which may be unfinished. */
  readonly isTarget?: boolean
  /** Ends all waiting; the call that waits then fails. */
  readonly signal: AbortSignal
}

interface LockRow {
  readonly taken: boolean
  readonly is_read_only: boolean
  readonly has_tables: boolean
}

/** This process, as others see it. */
interface Presence {
  readonly host: string
  readonly pid: number
  /** Tells it from all others that ever wrote the catalogue. */
  readonly token: string
}

/**
 * The one connection that writes. It holds a lock on the server, so that only one indexer is the
 * active one; others wait for the lock, and take over.
 */
export class WritingConnection {
  readonly #options: WritingOptions
  readonly presence: Presence = { host: hostname(), pid: process.pid, token: randomUUID() }
  /** The server, as messages name it. */
  readonly name: string
  #client: pg.Client | undefined
  /** A connection that waits for the lock. */
  #candidate: pg.Client | undefined
  #isBegun = false
  /** True when it has found a server that can be written. */
  #hasFound = false
  #isClosed = false
  /** Called for each request that another process has made. */
  onRequest = (): void => undefined

  constructor(options: WritingOptions) {
    this.#options = options
    this.name = serverName(options.url)
  }

  /** Closes a client that has lost its connection. */
  async drop(client: pg.Client): Promise<void> {
    if (this.#client === client) this.#client = undefined
    await client.end().catch(() => undefined)
  }

  /** @param isFinal true if no further call may connect again */
  async close(isFinal: boolean): Promise<void> {
    this.#isClosed = isFinal
    const clients = [this.#client, this.#candidate]
    this.#client = this.#candidate = undefined
    for (const client of clients) await client?.end().catch(() => undefined)
  }

  /** Waits for the server and for the lock. @throws CatalogueCorrupt, UnusableDatabase */
  async client(): Promise<pg.Client> {
    const { signal, onWaiting } = this.#options
    let reason: string | undefined
    while (this.#client === undefined) {
      signal.throwIfAborted()
      if (this.#isClosed) throw new Error('the writer is closed')
      const found = await this.#connect()
      if (typeof found !== 'string') this.#client = found
      else {
        if (!this.#isBegun && !this.#options.waits)
          throw found === otherActive
            ? new AlreadyRunning(`cannot write ${this.name}: ${found}`)
            : new CatalogueUnavailable(found)
        if (found !== reason) onWaiting(found)
        reason = found
        await wait(retryMs, signal)
      }
    }
    if (reason !== undefined) onWaiting(undefined)
    return this.#client
  }

  /** @returns a connection that may write, or why there is none now */
  async #connect(): Promise<pg.Client | string> {
    try {
      this.#candidate ??= await this.#open()
      const client = this.#candidate
      const reason = await this.#takeOver(client)
      if (reason !== undefined) return reason
      this.#candidate = undefined
      return client
    } catch (error) {
      await this.#candidate?.end().catch(() => undefined)
      this.#candidate = undefined
      const isPassing = !(error instanceof pg.DatabaseError) || isOutage(error)
      const isFinal = error instanceof UnusableDatabase || error instanceof CatalogueCorrupt
      if (isFinal || !isPassing) throw error
      return `the server ${this.name} ${serverFault(error)}`
    }
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(this.#options))
    ignoreLoss(client)
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined
      if (this.#candidate === client) this.#candidate = undefined
    })
    client.on('notification', ({ channel }) => {
      if (channel === requests) this.onRequest()
    })
    await client.connect()
    await client.query(onDisk)
    return client
  }

  /** Takes the lock. @returns why that is not possible now */
  async #takeOver(client: pg.Client): Promise<string | undefined> {
    const { rows } = await client.query<LockRow>(
      `SELECT pg_try_advisory_lock(${lockKey}) AS taken, ${readOnly} AS is_read_only,
        to_regclass('server') IS NOT NULL AS has_tables`,
    )
    const [found] = rows
    const isReadOnly = found?.is_read_only === true
    // The lost server comes back, or its standby, which is promoted.
    if (isReadOnly && this.#hasFound) return `the server ${this.name} is read-only`
    this.#hasFound = !isReadOnly
    if (found?.taken !== true && !isReadOnly) {
      if (this.#isBegun) await this.#refuseOtherWriter(client)
      else if (found?.has_tables === true) await this.#show(client)
      return this.#isBegun ? 'the lost connection still has the lock' : otherActive
    }
    const hasTables = await checkServer(client, this.name)
    if (!hasTables) await createSchema(client)
    if (this.#options.isTarget !== true) await migrateTables(client, this.name)
    if (this.#isBegun) await this.#refuseOtherWriter(client)
    else await this.#beginWriting(client)
    this.#isBegun = true
    await client.query(`LISTEN ${requests}`)
    return undefined
  }

  /**
   * What this process remembers of the catalogue is true only as long as no other process wrote,
   * and the server has not lost a transaction.
   */
  async #refuseOtherWriter(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ same: boolean }>({
      text: `SELECT writer = $1 AND (system_identifier, timeline) = (${identity}) AS same
        FROM server`,
      values: [this.presence.token],
    })
    if (rows[0]?.same !== true)
      throw new CatalogueCorrupt(
        `another indexer or another server has taken over ${this.name}: this process ends, and waits when it is started again`,
      )
  }

  /** A server with another timeline may have lost transactions: a new epoch begins. */
  async #beginWriting(client: pg.Client): Promise<void> {
    await client.query(`BEGIN;
      UPDATE catalogue SET epoch = '${newEpoch()}', seq = seq + ${margin},
        purged_seq = seq + ${margin}, last_id = last_id + ${margin}
        WHERE (SELECT (system_identifier, timeline) <> (${identity}) FROM server);
      UPDATE directory SET mtime_us = NULL
        WHERE (SELECT (system_identifier, timeline) <> (${identity}) FROM server);
      UPDATE server SET (system_identifier, timeline) = (SELECT ${identity}),
        writer = '${this.presence.token}';
      COMMIT`)
  }

  /** Shows that this process waits. */
  async #show(client: pg.Client): Promise<void> {
    const { host, pid } = this.presence
    await client.query({
      text: `INSERT INTO indexer VALUES ($1, $2, FALSE, '', now()) ON CONFLICT (host, pid)
        DO UPDATE SET is_active = FALSE, status = '', seen = now()`,
      values: [host, pid],
    })
  }
}
