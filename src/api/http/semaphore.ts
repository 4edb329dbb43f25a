/**
 * A semaphore for work on requests. A request without a permit waits in a queue, or is answered
 * with an error.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { tooMany } from './errors.ts'

export interface SemaphoreLimits {
  /** Maximum number of permits that are held at the same time. */
  readonly permits: number
  /** The `detail` of the 429 when no permit is free, or a function that makes another error. */
  readonly full?: string | (() => Error)
}

interface Wait {
  /** Without a timeout, the wait has no end. */
  readonly timeoutMs: number | undefined
  readonly response?: ServerResponse
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

  /**
   * Acquires a permit. If no permit is free, waits; the first caller in the queue gets the next
   * permit.
   * @throws the error of `full` after the timeout
   */
  async acquire(timeoutMs?: number): Promise<void> {
    if (!this.tryAcquire()) await this.#wait({ timeoutMs })
  }

  /** Releases a permit: the first caller in the queue gets it. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held--
    else next()
  }

  /**
   * Runs work while holding a permit. @throws the error of `full` when it gets no permit before the
   * timeout
   */
  async run<T>(work: () => Promise<T>, timeoutMs?: number): Promise<T> {
    await this.acquire(timeoutMs)
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
   * Waits for a permit and holds it until the response closes; stops waiting when the client
   * leaves.
   * @throws HttpError 429 after the timeout, or when the client has left
   */
  async waitFor(reply: FastifyReply, timeoutMs: number): Promise<void> {
    if (hasLeft(reply)) throw this.#rejection()
    if (!this.tryAcquire()) await this.#wait({ timeoutMs, response: reply.raw })
    // The client may have left between the end of the wait and this line.
    if (hasLeft(reply)) {
      this.release()
      throw this.#rejection()
    }
    this.#releaseAtClose(reply)
  }

  /** Waits in the queue until the timeout, or until the response closes. */
  #wait({ timeoutMs, response }: Wait): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const settled = (): void => {
        clearTimeout(timer)
        response?.off('close', giveUp)
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
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
      response?.once('close', giveUp)
      this.#waiting.push(proceed)
    })
  }

  #releaseAtClose(reply: FastifyReply): void {
    reply.raw.once('close', () => {
      this.release()
    })
  }

  #rejection(): Error {
    const { full = 'Too many requests at this moment.' } = this.#limits
    return typeof full === 'string' ? tooMany(full) : full()
  }
}

/** True if the response has already emitted `close`, which it emits only once. */
function hasLeft({ raw }: FastifyReply): boolean {
  return raw.destroyed
}
