/** Clients take turns at long queries, so that one client never delays another. */
import { FairQueue } from '../runtime/fair-queue.ts'
import { TooManyQueries } from './errors.ts'

/** Who asks a query. Without an asker, the query is one of the program itself. */
export interface Asker {
  /** The client for which the query counts, because clients take turns at long queries. */
  readonly client: string
  /** Cancels a long query when its client has left. */
  readonly signal: AbortSignal
}

/**
 * Maximum length of the queue. At this length, further queries of the clients that already wait are
 * rejected.
 */
const mostWaiting = 30

/** The owner of the queries without a client. No address is empty. */
const program = ''

/** A number of slots for long queries, and the queue before them. */
export class QueryTurns {
  readonly #ofClients: number
  /** The owners of the running queries, by slot. */
  readonly #running: (string | undefined)[]
  readonly #waiting = new FairQueue<(slot: number) => void>()

  /**
   * A client has at most one slot.
   * @param slots.ofClients maximum number of slots of all clients
   * @param slots.ofAll number of slots, also for the queries of the program itself
   */
  constructor({ ofClients, ofAll }: { readonly ofClients: number; readonly ofAll: number }) {
    this.#ofClients = ofClients
    this.#running = Array.from({ length: ofAll }, () => undefined)
  }

  /**
   * Runs a query when it is its turn. When the signal of the client aborts, rejects at once; the
   * slot stays taken until the query has ended.
   * @throws TooManyQueries
   */
  run<Answer>(
    { client: owner = program, signal }: Partial<Asker>,
    query: (slot: number) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#waiting.size >= mostWaiting && this.#waiting.has(owner))
      return Promise.reject(new TooManyQueries('too many queries are waiting'))
    return new Promise((resolve, reject) => {
      const start = (slot: number): void => {
        this.#running[slot] = owner
        void query(slot)
          .then(resolve, reject)
          .finally(() => {
            signal?.removeEventListener('abort', leave)
            this.#running[slot] = undefined
            this.#startNext()
          })
      }
      const leave = (): void => {
        this.#waiting.remove(owner, start)
        reject(signal?.reason as Error)
      }
      if (signal?.aborted === true) {
        leave()
        return
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(owner, start)
      this.#startNext()
    })
  }

  #startNext(): void {
    const slot = this.#running.indexOf(undefined)
    if (slot === -1) return
    this.#waiting.shift((owner) => this.#mayStart(owner))?.(slot)
  }

  #mayStart(owner: string): boolean {
    const running = this.#running.filter((each) => each !== undefined)
    const ofClients = running.filter((each) => each !== program).length
    return !running.includes(owner) && (owner === program || ofClients < this.#ofClients)
  }
}
