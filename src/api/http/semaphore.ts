import type { FastifyReply } from 'fastify'
import { tooMany } from './errors.ts'

export interface SemaphoreLimits {
  /** Callers that hold a permit at the same time. */
  readonly permits: number
  /** Callers that wait for one, first come, first served; without a number, any. */
  readonly queue?: number
  /** The `detail` of the 429 for the callers beyond that. */
  readonly full?: string
}

/** Limits how much of one kind of work runs at the same time. */
export class Semaphore {
  readonly #limits: SemaphoreLimits
  readonly #waiting: (() => void)[] = []
  #held = 0

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits
  }

  /** Takes a permit if one is free. */
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
   * Takes a permit, at once or when it is this caller's turn.
   * @throws HttpError 429 when the queue is full
   */
  async acquire(): Promise<void> {
    if (this.tryAcquire()) return
    if (this.#waiting.length >= (this.#limits.queue ?? Infinity)) throw this.#rejection()
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** Gives a permit back: to the caller that has waited longest, if any. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held--
    else next()
  }

  /**
   * Holds a permit while some work runs.
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
   * Holds a permit until the response is closed, sent or not. It does not wait for one.
   * @throws HttpError 429 when none is free
   */
  holdFor(reply: FastifyReply): void {
    // The client has left already: this response closes no second time.
    if (reply.raw.destroyed) return
    this.acquireNow()
    reply.raw.once('close', () => {
      this.release()
    })
  }

  /**
   * As `acquire`, but not for longer than this, nor for a client that leaves meanwhile.
   * @throws HttpError 429 when there was no permit in time, or nobody waits for it any more
   */
  async acquireFor(reply: FastifyReply, timeoutMs: number): Promise<void> {
    if (!this.tryAcquire())
      await new Promise<void>((resolve, reject) => {
        const settled = (): void => {
          clearTimeout(timer)
          reply.raw.off('close', giveUp)
        }
        const begin = (): void => {
          settled()
          resolve()
        }
        const giveUp = (): void => {
          settled()
          this.#waiting.splice(this.#waiting.indexOf(begin), 1)
          reject(this.#rejection())
        }
        const timer = setTimeout(giveUp, timeoutMs)
        reply.raw.once('close', giveUp)
        this.#waiting.push(begin)
      })
    // It may have closed since its turn came.
    if (!reply.raw.destroyed) return
    this.release()
    throw this.#rejection()
  }

  #rejection(): Error {
    return tooMany(this.#limits.full ?? 'Too many requests at this moment.')
  }
}
