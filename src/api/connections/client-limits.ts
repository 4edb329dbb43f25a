/** Limits the concurrent pages, streams and long polls of one client address, so that it cannot delay others. */
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/** Concurrent pages of one address, and of all addresses. The largest pages have some 800 KB. */
const mostPages = { ofAddress: 8, ofAll: 80 }
/** A page waits this long for a permit. */
const timeoutMs = 10_000
/** Concurrent streams of one address. */
const mostStreams = 4
/** Concurrent long polls and event streams of one address. */
const mostWaits = 16

/**
 * Node accepts one connection in each tick of the event loop. While connections arrive, up to this many ticks pass between two
 * pages; otherwise each connection of a burst would wait for one page.
 */
const maxTicksPerPage = 100

interface ClientUsage {
  readonly pages: Semaphore
  readonly streams: Semaphore
  readonly waits: Semaphore
  /** Requests that hold a permit or wait for one. */
  requests: number
}

export class ClientLimits {
  readonly #addressOf: (request: FastifyRequest) => string
  readonly #usages = new Map<string, ClientUsage>()
  /** Allows one page in each tick of the event loop, so that other requests are answered between two pages. */
  readonly #ticks = new Semaphore({ permits: 1 })
  readonly #allPages = new Semaphore({ permits: mostPages.ofAll })
  /** Connections accepted so far. */
  #accepted = 0

  /** @param addressOf the client address that a request counts for */
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
   * Waits for a permit to make a page. The permit is released when the response closes.
   * @throws HttpError 429 after ten seconds without a permit
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

  /** @throws HttpError 429 */
  stream(request: FastifyRequest, reply: FastifyReply): void {
    this.#usageOf(request, reply).streams.holdFor(reply)
  }

  /** @throws HttpError 429 */
  wait(request: FastifyRequest, reply: FastifyReply): void {
    this.#usageOf(request, reply).waits.holdFor(reply)
  }

  /** The usage of the request's address. It is forgotten when the last of its responses closes. */
  #usageOf(request: FastifyRequest, reply: FastifyReply): ClientUsage {
    const address = this.#addressOf(request)
    const usage = this.#usages.get(address) ?? newUsage()
    // The client has left: `close` was already emitted and will not come again.
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
