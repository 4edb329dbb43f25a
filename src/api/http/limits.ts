/** Limits concurrent work; a request without a permit waits, or is answered with an error. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Asker } from '../../catalogue/turns.ts'
import { tooMany } from './errors.ts'

interface SemaphoreLimits {
  /** Maximum number of permits that are held at the same time. */
  readonly permits: number
  /** The `detail` of the 429 when no permit is free, or a function that makes another error. */
  readonly full?: string | (() => Error)
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

  /** Acquires a permit or waits for one. @throws the error of `full` after the timeout */
  async acquire(timeoutMs?: number): Promise<void> {
    if (!this.tryAcquire()) await this.#wait(timeoutMs)
  }

  /** Releases a permit: the first caller in the queue gets it. */
  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held--
    else next()
  }

  /** Runs work with a permit. @throws the error of `full` after the timeout */
  async run<T>(work: () => Promise<T>, timeoutMs?: number): Promise<T> {
    await this.acquire(timeoutMs)
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /** Holds a permit until the response closes. @throws HttpError 429 when none is free */
  holdFor(reply: FastifyReply): void {
    if (hasLeft(reply)) return
    if (!this.tryAcquire()) throw this.#rejection()
    this.#releaseAtClose(reply)
  }

  /** Holds a permit until the response closes. @throws HttpError 429 after the timeout */
  async waitFor(reply: FastifyReply, timeoutMs: number): Promise<void> {
    if (hasLeft(reply)) throw this.#rejection()
    if (!this.tryAcquire()) await this.#wait(timeoutMs, reply.raw)
    // The client may have left between the end of the wait and this line.
    if (hasLeft(reply)) {
      this.release()
      throw this.#rejection()
    }
    this.#releaseAtClose(reply)
  }

  /** Waits in the queue until the timeout, or until the response closes. */
  #wait(timeoutMs?: number, response?: ServerResponse): Promise<void> {
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

/**
 * Aborts when the client leaves before its response is sent. The signal of the request would abort
 * as soon as its body was read.
 */
function untilClosed({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  if (raw.destroyed) left.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort()
  })
  return left.signal
}

/** A request that counts in the limits of its client. */
export interface Requester extends Asker {
  /**
   * Waits for the client's turn. Work that takes milliseconds is done in a turn, of which one
   * begins in each tick, so that short requests are answered between two.
   * @throws HttpError 429 when the client has left
   */
  readonly turn: () => Promise<void>
}

/** Limits of one address. The largest pages have about 800 KB. */
const limits = {
  pages: { permits: 8, full: 'Too many pages of your address are being made.' },
  streams: { permits: 4, full: 'Too many whole lists are being sent to your address.' },
  waits: { permits: 16, full: 'Too many requests of your address are waiting for changes.' },
}
/** Maximum number of pages that are made or sent at the same time to all addresses. */
const mostPages = 80
/** Milliseconds that a page waits for its permits, less than the idle timeout of connections. */
const timeoutMs = 10_000

/** Gives each client its turns. */
interface TurnsOfClients {
  readonly take: (client: string) => Promise<void>
}

class ClientUsage {
  readonly pages = new Semaphore(limits.pages)
  readonly streams = new Semaphore(limits.streams)
  readonly waits = new Semaphore(limits.waits)
  /** Number of open responses that use these limits. The usage is deleted when this number is 0. */
  requests = 0
}

/** Limits what one address does at the same time, so that one client cannot delay others. */
export class ClientLimits {
  readonly #addressOf: (request: FastifyRequest) => string
  readonly #usages = new Map<string, ClientUsage>()
  readonly #turns: TurnsOfClients
  readonly #allPages = new Semaphore({ permits: mostPages })
  readonly #waitMs: number

  /** @param waitMs milliseconds that a page waits for its permits */
  constructor(
    addressOf: (request: FastifyRequest) => string,
    turns: TurnsOfClients,
    waitMs = timeoutMs,
  ) {
    this.#addressOf = addressOf
    this.#turns = turns
    this.#waitMs = waitMs
  }

  /** Waits for the permits of a page, and for a turn. @throws HttpError 429 after ten seconds */
  async page(request: FastifyRequest, reply: FastifyReply): Promise<Requester> {
    const endMs = performance.now() + this.#waitMs
    await this.#usageOf(request, reply).pages.waitFor(reply, this.#waitMs)
    await this.#allPages.waitFor(reply, endMs - performance.now())
    const requester = this.#requester(request, reply)
    await requester.turn()
    return requester
  }

  /** Counts a stream until its response ends. @throws HttpError 429 */
  stream(request: FastifyRequest, reply: FastifyReply): Requester {
    this.#usageOf(request, reply).streams.holdFor(reply)
    return this.#requester(request, reply)
  }

  /** Counts a long poll until its response ends. @throws HttpError 429 */
  wait(request: FastifyRequest, reply: FastifyReply): Requester {
    this.#usageOf(request, reply).waits.holdFor(reply)
    return this.#requester(request, reply)
  }

  #requester(request: FastifyRequest, reply: FastifyReply): Requester {
    const client = this.#addressOf(request)
    return {
      client,
      signal: untilClosed(reply),
      turn: async () => {
        await this.#turns.take(client)
        if (reply.raw.destroyed) throw tooMany('The client has left.')
      },
    }
  }

  /** The usage of the request's address, deleted when its last response closes. */
  #usageOf(request: FastifyRequest, reply: FastifyReply): ClientUsage {
    const address = this.#addressOf(request)
    const usage = this.#usages.get(address) ?? new ClientUsage()
    // If the client has left, `close` was already emitted and will not be emitted again.
    if (reply.raw.destroyed) return usage
    this.#usages.set(address, usage)
    usage.requests++
    reply.raw.once('close', () => {
      if (--usage.requests === 0) this.#usages.delete(address)
    })
    return usage
  }
}
