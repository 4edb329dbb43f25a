/** What one client may have under way at a time, so that it holds up nobody else. */
import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Semaphore } from '../http/semaphore.ts'

/** Pages that are made and sent at a time: of one address, and of all. The largest have some 800 KB. */
const mostPages = { ofAddress: 8, ofAll: 80 }
/** So long a page waits for its turn. */
const timeoutMs = 10_000
/** Whole lists that are streamed to one address at a time. */
const mostStreams = 4
/** Waiting polls and event streams of one address. */
const mostWaits = 16

/**
 * One connection is accepted in each turn of the event loop: while they arrive, at most so many turns pass between two pages, or a
 * burst of connections would wait for a page each.
 */
const mostTurnsPerPage = 100

interface ClientUsage {
  readonly pages: Semaphore
  readonly streams: Semaphore
  readonly waits: Semaphore
  /** Requests that have a part of it, or wait for one. */
  requests: number
}

export class ClientLimits {
  readonly #addressOf: (request: FastifyRequest) => string
  readonly #shares = new Map<string, ClientUsage>()
  /** At most one page is made in a turn of the event loop, so that whatever else has come is answered between two of them. */
  readonly #turns = new Semaphore({ permits: 1 })
  readonly #allPages = new Semaphore({ permits: mostPages.ofAll })
  /** Connections accepted so far. */
  #accepted = 0

  /** @param addressOf whom a request counts for */
  constructor(addressOf: (request: FastifyRequest) => string) {
    this.#addressOf = addressOf
  }

  /** Follows the connections of a server. */
  watch(server: Server): void {
    server.on('connection', () => {
      this.#accepted++
    })
  }

  /**
   * Before a page is made; it counts until it is sent or its client has gone.
   * @throws HttpError 429 when it was not its turn within ten seconds
   */
  async page(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { usage, ends } = this.#enter(request, reply)
    for (const pages of [usage.pages, this.#allPages]) {
      await pages.acquireFor(reply, timeoutMs)
      ends.push(() => {
        pages.release()
      })
    }
    await this.#turns.run(() => this.#untilAccepted())
  }

  /** Waits for the next turn, and further while each accepts a connection. */
  async #untilAccepted(): Promise<void> {
    for (let turn = 0, before = -1; turn < mostTurnsPerPage && before !== this.#accepted; turn++) {
      before = this.#accepted
      await nextTurn()
    }
  }

  /** @throws HttpError 429 */
  stream(request: FastifyRequest, reply: FastifyReply): void {
    const { usage, ends } = this.#enter(request, reply)
    hold(usage.streams, ends)
  }

  /** @throws HttpError 429 */
  wait(request: FastifyRequest, reply: FastifyReply): void {
    const { usage, ends } = this.#enter(request, reply)
    hold(usage.waits, ends)
  }

  /** The share of a request's address, which is kept as long as it has requests, and what is done when the response is closed. */
  #enter(
    request: FastifyRequest,
    reply: FastifyReply,
  ): { usage: ClientUsage; ends: (() => void)[] } {
    const address = this.#addressOf(request)
    const usage = this.#shares.get(address) ?? newUsage()
    const ends: (() => void)[] = []
    // Its client has left: nothing is sent, and it closes no second time.
    if (reply.raw.destroyed) return { usage: newUsage(), ends }
    this.#shares.set(address, usage)
    usage.requests++
    reply.raw.once('close', () => {
      for (const end of ends) end()
      if (--usage.requests === 0) this.#shares.delete(address)
    })
    return { usage, ends }
  }
}

function hold(semaphore: Semaphore, ends: (() => void)[]): void {
  semaphore.acquireNow()
  ends.push(() => {
    semaphore.release()
  })
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
