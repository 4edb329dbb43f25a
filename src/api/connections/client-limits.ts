/**
 * Limits the concurrent pages, streams and long polls of one client address, so that one client
 * cannot delay others.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Requester, RequestLimits } from '../http/context.ts'
import { tooMany } from '../http/errors.ts'
import { Semaphore } from '../http/semaphore.ts'
import type { Server } from 'node:http'
import { setImmediate as nextTick } from 'node:timers/promises'
import { FairQueue } from '../../runtime/fair-queue.ts'

/** Limits of one address. The largest pages have about 800 KB. */
const limits = {
  pages: { permits: 8, full: 'Too many pages of your address are being made.' },
  streams: { permits: 4, full: 'Too many whole lists are being sent to your address.' },
  waits: { permits: 16, full: 'Too many requests of your address are waiting for changes.' },
}
/** Maximum number of pages that are made or sent at the same time to all addresses. */
const mostPages = 80
/**
 * Milliseconds that a page waits for both permits together: that of its address and that of all
 * addresses. The idle timeout of connections is longer (http-server.ts), so that the client gets
 * the 429.
 */
const timeoutMs = 10_000

/** What one address uses of its limits. */
class ClientUsage {
  readonly pages = new Semaphore(limits.pages)
  readonly streams = new Semaphore(limits.streams)
  readonly waits = new Semaphore(limits.waits)
  /** Number of open responses that use these limits. The usage is deleted when this number is 0. */
  requests = 0
}

export class ClientLimits implements RequestLimits {
  readonly #addressOf: (request: FastifyRequest) => string
  readonly #usages = new Map<string, ClientUsage>()
  readonly #turns: Turns
  readonly #allPages = new Semaphore({ permits: mostPages })
  readonly #waitMs: number

  /**
   * @param addressOf returns the client address for which a request counts
   * @param waitMs milliseconds that a page waits for its permits
   */
  constructor(addressOf: (request: FastifyRequest) => string, turns: Turns, waitMs = timeoutMs) {
    this.#addressOf = addressOf
    this.#turns = turns
    this.#waitMs = waitMs
  }

  /**
   * Waits for the two permits of a page, of its address and of all addresses.
   * @throws HttpError 429 after ten seconds without both permits, or when the client has left
   */
  async page(request: FastifyRequest, reply: FastifyReply): Promise<Requester> {
    const endMs = performance.now() + this.#waitMs
    await this.#usageOf(request, reply).pages.waitFor(reply, this.#waitMs)
    await this.#allPages.waitFor(reply, endMs - performance.now())
    const requester = this.#requester(request, reply)
    await requester.turn()
    return requester
  }

  stream(request: FastifyRequest, reply: FastifyReply): Requester {
    this.#usageOf(request, reply).streams.holdFor(reply)
    return this.#requester(request, reply)
  }

  wait(request: FastifyRequest, reply: FastifyReply): Requester {
    this.#usageOf(request, reply).waits.holdFor(reply)
    return this.#requester(request, reply)
  }

  #requester(request: FastifyRequest, reply: FastifyReply): Requester {
    const client = this.#addressOf(request)
    return {
      client,
      signal: request.signal,
      turn: async () => {
        await this.#turns.take(client)
        if (reply.raw.destroyed) throw tooMany('The client has left.')
      },
    }
  }

  /**
   * Finds the usage of the request's address. It is deleted when the last response to this address
   * closes.
   */
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

/**
 * Maximum number of ticks of the event loop between two turns while connections arrive. Node
 * accepts one connection in each tick. Without these ticks, each connection of a burst would wait
 * for a piece of work.
 */
const maxTicksPerTurn = 100

export class Turns {
  /** Functions that begin the turns, by client address. The addresses take turns too. */
  readonly #waiting = new FairQueue<() => void>()
  #isRunning = false
  /** Number of connections accepted so far. */
  #accepted = 0

  /** Counts the connections that the server accepts. */
  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /**
   * Resolves in a tick of the event loop in which no other turn begins. What the caller does before
   * it waits again is its turn.
   * @param address of the client for which the turn counts
   */
  take(address: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(address, resolve)
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (;;) {
      await this.#untilAccepted()
      const begin = this.#waiting.shift()
      if (begin === undefined) break
      begin()
    }
    this.#isRunning = false
  }

  /** Waits one tick, and further ticks while each of them accepts a connection. */
  async #untilAccepted(): Promise<void> {
    for (let tick = 0, before = -1; tick < maxTicksPerTurn && before !== this.#accepted; tick++) {
      before = this.#accepted
      await nextTick()
    }
  }
}
