import type { FastifyReply } from 'fastify'
import { tooMany } from './errors.ts'

export interface SemaphoreLimits {
  /** Number of permits. */
  readonly permits: number
  /** The `detail` of the 429 when none is free. */
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

  /** Acquires a permit. If none is free it waits: first come, first served. */
  async acquire(): Promise<void> {
    if (this.tryAcquire()) return
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

  /** Runs work while holding a permit. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire()
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /**
   * Holds a permit until the response closes.
   * @throws HttpError 429 when none is free
   */
  holdFor(reply: FastifyReply): void {
    if (hasLeft(reply)) return
    if (!this.tryAcquire()) throw this.#rejection()
    this.#releaseAtClose(reply)
  }

  /**
   * Waits for a permit and holds it until the response closes; stops waiting when the client leaves.
   * @throws HttpError 429 after the timeout, or when the client has left
   */
  async waitFor(reply: FastifyReply, timeoutMs: number): Promise<void> {
    if (hasLeft(reply)) throw this.#rejection()
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
    // The client may have left between the end of the wait and this line.
    if (hasLeft(reply)) {
      this.release()
      throw this.#rejection()
    }
    this.#releaseAtClose(reply)
  }

  #releaseAtClose(reply: FastifyReply): void {
    reply.raw.once('close', () => {
      this.release()
    })
  }

  #rejection(): Error {
    return tooMany(this.#limits.full ?? 'Too many requests at this moment.')
  }
}

/** Whether `close` of the response was already emitted: it will not come again. */
function hasLeft({ raw }: FastifyReply): boolean {
  return raw.destroyed
}
