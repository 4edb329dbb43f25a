/**
 * Requests to the active indexer, from any host, and its answers: rows of the database. They are
 * lines of text; what they mean is the control protocol's.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { repeat } from '../../runtime/clock.ts'
import type { ServerAddress } from './connection.ts'
import { clientConfig, ignoreLoss } from './connection.ts'
import { requests } from './listen.ts'
import type { WritingConnection } from './writing-connection.ts'

/** Time between two looks for requests, and between two rows of the state of an indexer (ms). */
const lookMs = 1000
/** Looks until old rows are removed again. */
const looksPerForget = 600
/** An indexer whose row is older is not there. */
const freshFor = `interval '10 seconds'`
/** A request that nobody has answered for this time is not carried out. */
const openFor = `interval '30 seconds'`
/** Time between two looks for an answer (ms). */
const answerMs = 50
/** A connection that is silent for this time (ms) is lost. */
const silentMs = 2000

interface Answering {
  /** Answers a request; never rejects. */
  readonly answer: (line: string) => Promise<string>
  /** The answer to a request for the status. */
  readonly status: () => string
}

/**
 * Answers requests, and shows that this process is the active one, until the signal aborts. Has a
 * connection of its own, because the writer may be busy for minutes.
 */
export async function answerRequests(
  address: ServerAddress,
  connection: WritingConnection,
  { answer, status, signal }: Answering & { readonly signal: AbortSignal },
): Promise<void> {
  const pool = openPool(address)
  const { host, pid, token } = connection.presence
  const taken = new Set<string>()
  const answerOne = async (id: string, line: string): Promise<void> => {
    taken.add(id)
    const values = [id, await answer(line)]
    await pool.query('UPDATE request SET answer = $2 WHERE id = $1', values)
    taken.delete(id)
  }
  const look = async (): Promise<void> => {
    await pool.query(
      `INSERT INTO indexer SELECT $1, $2, TRUE, $3, now() FROM server WHERE writer = $4
       ON CONFLICT (host, pid) DO UPDATE SET is_active = TRUE, status = $3, seen = now()`,
      [host, pid, status(), token],
    )
    const { rows } = await pool.query<{ id: string; request: string }>(
      `SELECT id, request FROM request WHERE answer IS NULL AND made > now() - ${openFor}
         AND EXISTS (SELECT FROM server WHERE writer = $1) ORDER BY made`,
      [token],
    )
    for (const { id, request } of rows)
      if (!taken.has(id)) void answerOne(id, request).catch(() => undefined)
  }
  // While the server is away, the writer reports it.
  connection.onRequest = () => void look().catch(() => undefined)
  let looks = 0
  await repeat(async () => {
    await look().catch(() => undefined)
    if (looks++ % looksPerForget === 0) await pool.query(forgetOld).catch(() => undefined)
    return lookMs
  }, signal)
  connection.onRequest = () => undefined
  await pool
    .query('DELETE FROM indexer WHERE host = $1 AND pid = $2', [host, pid])
    .catch(() => undefined)
  await pool.end()
}

const forgetOld = `DELETE FROM indexer WHERE seen < now() - interval '1 hour';
  DELETE FROM request WHERE made < now() - interval '1 hour'`

function openPool(address: ServerAddress): pg.Pool {
  const config = { ...clientConfig(address), query_timeout: silentMs }
  const pool = new pg.Pool({ ...config, max: 2, allowExitOnIdle: true })
  pool.on('error', () => undefined)
  pool.on('connect', ignoreLoss)
  return pool
}

/** The indexers that are there. */
export interface Indexers {
  /** The host of the active one, and its answer to a request for its status. */
  readonly active: { readonly host: string; readonly status: string } | undefined
  readonly waiting: readonly string[]
}

/** Makes requests. All methods reject while the server does not answer. */
export class RequestClient {
  readonly #pool: pg.Pool

  constructor(address: ServerAddress) {
    this.#pool = openPool(address)
  }

  async indexers(): Promise<Indexers> {
    const { rows } = await this.#pool.query<{ host: string; is_active: boolean; status: string }>(
      `SELECT host, is_active, status FROM indexer WHERE seen > now() - ${freshFor}
       ORDER BY seen DESC`,
    )
    return {
      active: rows.find(({ is_active: isActive }) => isActive),
      waiting: rows.filter(({ is_active: isActive }) => !isActive).map(({ host }) => host),
    }
  }

  /** @returns the answer; `undefined` if there is none after this time */
  async ask(line: string, timeoutMs: number): Promise<string | undefined> {
    const id = randomUUID()
    const endMs = performance.now() + timeoutMs
    await this.#pool.query('INSERT INTO request (id, request) VALUES ($1, $2)', [id, line])
    await this.#pool.query(`NOTIFY ${requests}`)
    while (performance.now() < endMs) {
      await pause(answerMs)
      const { rows } = await this.#pool.query<{ answer: string | null }>(
        'SELECT answer FROM request WHERE id = $1',
        [id],
      )
      const answer = rows[0]?.answer
      if (typeof answer === 'string') return answer
    }
    return undefined
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}
