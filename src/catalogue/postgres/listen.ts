/** Wakes readers after a commit of the writer. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { ServerAddress } from './connection.ts'
import { clientConfig, ignoreLoss } from './connection.ts'

/** The channel on which the writer tells of each transaction, and that of requests to it. */
export const commits = 'rinex_catalogue'
export const requests = 'rinex_catalogue_request'

/** Time after which readers look anyway: a lost connection loses messages. */
const longestMs = 1000

/** Listens while somebody waits. A message is only a hint. */
export class CommitSignal {
  readonly #address: ServerAddress
  #client: pg.Client | undefined
  #next = new AbortController()
  #isClosed = false

  constructor(address: ServerAddress) {
    this.#address = address
  }

  /** Resolves when a transaction may have been committed, after a second at the latest. */
  async next(): Promise<void> {
    if (this.#client === undefined && !this.#isClosed) this.#listen().catch(() => undefined)
    await pause(longestMs, undefined, { signal: this.#next.signal, ref: false }).catch(
      () => undefined,
    )
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(clientConfig(this.#address))
    this.#client = client
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined
    }
    ignoreLoss(client)
    client.on('end', lost)
    client.on('notification', () => {
      this.#wake()
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${commits}`)
    } catch {
      await client.end().catch(() => undefined)
      lost()
    }
  }

  #wake(): void {
    const waiting = this.#next
    this.#next = new AbortController()
    waiting.abort()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    await this.#client?.end()
  }
}
