/** Limits the concurrent pages, streams and long polls of one client address, so that one client cannot delay others. */
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/**
 * Maximum number of pages that are made or sent at the same time, for one address and for all addresses. The largest pages have
 * about 800 KB.
 */
const mostPages = { ofAddress: 8, ofAll: 80 }
/** Milliseconds that a page waits for the permit of its address, and then for the permit of all addresses. */
const timeoutMs = 10_000
/** Maximum number of streams that are sent to one address at the same time. */
const mostStreams = 4
/** Maximum number of long polls and event streams of one address at the same time. */
const mostWaits = 16

/**
 * Maximum number of ticks of the event loop between two pages while connections arrive. Node accepts one connection in each tick.
 * Without these ticks, each connection of a burst would wait until a page is made.
 */
const maxTicksPerPage = 100

interface ClientUsage {
  readonly pages: Semaphore
  readonly streams: Semaphore
  readonly waits: Semaphore
  /** Number of open responses that use these limits. The usage is deleted when this number is 0. */
  requests: number
}

export class ClientLimits {
  readonly #addressOf: (request: FastifyRequest) => string
  readonly #usages = new Map<string, ClientUsage>()
  /** Allows one page in each tick of the event loop, so that other requests are answered between two pages. */
  readonly #ticks = new Semaphore({ permits: 1 })
  readonly #allPages = new Semaphore({ permits: mostPages.ofAll })
  /** Number of connections accepted so far. */
  #accepted = 0

  /** @param addressOf returns the client address for which a request counts */
  constructor(addressOf: (request: FastifyRequest) => string) {
    this.#addressOf = addressOf
  }

  /** Counts the connections that the server accepts. */
  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /**
   * Waits for the two permits of a page: of its address and of all addresses. They are released when the response closes.
   * @throws HttpError 429 after ten seconds without one of the permits, or when the client has left
   */
  async page(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#usageOf(request, reply).pages.waitFor(reply, timeoutMs)
    await this.#allPages.waitFor(reply, timeoutMs)
    await this.#ticks.run(() => this.#untilAccepted())
  }

  /** Waits one tick, and further ticks while each of them accepts a connection. */
  async #untilAccepted(): Promise<void> {
    for (let tick = 0, before = -1; tick < maxTicksPerPage && before !== this.#accepted; tick++) {
      before = this.#accepted
      await nextTick()
    }
  }

  /**
   * Holds a permit for a stream until its response closes.
   * @throws HttpError 429 when none is free
   */
  stream(request: FastifyRequest, reply: FastifyReply): void {
    this.#usageOf(request, reply).streams.holdFor(reply)
  }

  /**
   * Holds a permit for a long poll until its response closes.
   * @throws HttpError 429 when none is free
   */
  wait(request: FastifyRequest, reply: FastifyReply): void {
    this.#usageOf(request, reply).waits.holdFor(reply)
  }

  /** Finds the usage of the request's address. It is deleted when the last response to this address closes. */
  #usageOf(request: FastifyRequest, reply: FastifyReply): ClientUsage {
    const address = this.#addressOf(request)
    const usage = this.#usages.get(address) ?? newUsage()
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

function newUsage(): ClientUsage {
  return {
    pages: new Semaphore({
      permits: mostPages.ofAddress,
      full: 'Too many pages of your address are being made.',
    }),
    streams: new Semaphore({
      permits: mostStreams,
      full: 'Too many whole lists are being sent to your address.',
    }),
    waits: new Semaphore({
      permits: mostWaits,
      full: 'Too many requests of your address are waiting for changes.',
    }),
    requests: 0,
  }
}
