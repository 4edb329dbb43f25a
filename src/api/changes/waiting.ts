/** Watches the head of the catalogue for all clients that wait for changes. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { CatalogueReader } from '../../catalogue/questions/reader.ts'
import type { Head } from '../../catalogue/records.ts'
import { Semaphore } from '../http/limits.ts'

export class HeadWatch {
  readonly #reader: Pick<CatalogueReader, 'head' | 'untilWritten'>
  readonly #waiters = new Set<{ readonly from: Head; readonly changed: AbortController }>()
  #isWatching = false

  constructor(reader: Pick<CatalogueReader, 'head' | 'untilWritten'>) {
    this.#reader = reader
  }

  /** Waits until the head differs from `from`, the signal aborts, or `ms` milliseconds are over. */
  async untilChanged(
    from: Head,
    { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const waiter = { from, changed: new AbortController() }
    this.#waiters.add(waiter)
    if (!this.#isWatching) void this.#watch()
    const ends = AbortSignal.any([signal, waiter.changed.signal])
    await pause(Math.max(0, ms), undefined, { signal: ends }).catch(() => undefined)
    this.#waiters.delete(waiter)
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    for (;;) {
      await this.#reader.untilWritten()
      if (this.#waiters.size === 0) break
      // While the catalogue is unavailable, nothing has changed; its head is read again.
      const head = await this.#reader.head().catch(() => undefined)
      if (head === undefined) continue
      for (const { from, changed } of this.#waiters)
        if (from.seq !== head.seq || from.epoch !== head.epoch) changed.abort()
    }
    this.#isWatching = false
  }
}

/** Maximum number of waiting clients; each keeps a connection open. */
const maxWaiting = 500

/** Limits the number of waiting clients, and ends all waits when the server stops. */
export interface LongPolls {
  /**
   * Returns a signal that aborts when the client has left or the server stops.
   * @throws HttpError 429
   */
  enter(reply: FastifyReply): AbortSignal
  close(): void
}

export function openLongPolls(): LongPolls {
  const semaphore = new Semaphore({
    permits: maxWaiting,
    full: 'Too many clients are waiting for changes.',
  })
  const waiting = new Set<AbortController>()
  let isClosed = false
  return {
    enter(reply) {
      semaphore.holdFor(reply)
      const controller = new AbortController()
      if (isClosed || reply.raw.destroyed) controller.abort()
      waiting.add(controller)
      reply.raw.once('close', () => {
        waiting.delete(controller)
        controller.abort()
      })
      return controller.signal
    },
    close() {
      isClosed = true
      for (const controller of waiting) controller.abort()
    },
  }
}
