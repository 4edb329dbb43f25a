import type { FastifyReply } from 'fastify'
import { tooMany } from './errors.ts'

export interface SemaphoreLimits {
  /** Number of permits. */
  readonly permits: number
  /** Maximum length of the queue, first in, first out; unlimited by default. */
  readonly queue?: number
  /** The `detail` of the 429 when the queue is full. */
  readonly full?: string
}

/** Limits concurrent work of one kind. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  readonly #waiting: (() => void)[] = []
  #held = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  /** Acquires a permit if one is free. */
  tryAcquire(): boolean {
    if (this.#held >= this.#limits.permits) return false
    this.#held++
    return true
  }

  /** @throws HttpError 429 when none is free */
  acquireNow(): void {
    if (!this.tryAcquire()) throw this.#rejection()
  }

  /**
   * Acquires a permit, waiting in the queue if none is free.
   * @throws HttpError 429 when the queue is full
   */
  async acquire(): Promise<void> {
    if (this.tryAcquire()) return
    if (this.#waiting.length >= (this.#limits.queue ?? Infinity)) throw this.#rejection()
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** Releases a permit: the first caller in the queue gets it. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held--
    else next()
  }

  /**
   * Runs work while holding a permit.
   * @throws HttpError 429 when the queue is full, and what the work throws
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire()
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /**
   * Acquires a permit without waiting, and releases it when the response closes.
   * @throws HttpError 429 when none is free
   */
  holdFor(reply: FastifyReply): void {
    // The client has left: `close` was already emitted.
    if (reply.raw.destroyed) return
    this.acquireNow()
    reply.raw.once('close', () => {
      this.release()
    })
  }

  /**
   * Acquires a permit with a timeout; stops waiting when the client leaves.
   * @throws HttpError 429 after the timeout, or when the client has left
   */
  async acquireFor(reply: FastifyReply, timeoutMs: number): Promise<void> {
    if (!this.tryAcquire())
      await new Promise<void>((resolve, reject) => {
        const settled = (): void => {
          clearTimeout(timer)
          reply.raw.off('close', giveUp)
        }
        const proceed = (): void => {
          settled()
          resolve()
        }
        const giveUp = (): void => {
          settled()
          this.#waiting.splice(this.#waiting.indexOf(proceed), 1)
          reject(this.#rejection())
        }
        const timer = setTimeout(giveUp, timeoutMs)
        reply.raw.once('close', giveUp)
        this.#waiting.push(proceed)
      })
    // The client may have left since.
    if (!reply.raw.destroyed) return
    this.release()
    throw this.#rejection()
  }

  #rejection(): Error {
    return tooMany(this.#limits.full ?? 'Too many requests at this moment.')
  }
}
