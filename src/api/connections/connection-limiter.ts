/** Limits connections: of all clients, of one address, and the requests of one address behind a trusted proxy. */
import type { ConnectionLimits } from '../http/settings.ts'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, othersEndSeconds, tooMany } from '../http/errors.ts'
import { openAddresses } from './addresses.ts'
import type { Addresses } from './addresses.ts'
import { watchSlowClients } from './slow-clients.ts'
import type { SlowClients } from './slow-clients.ts'

const mostConnections = 2048

/** Connections beyond that whose first request is answered with the reason; the rest are closed without an answer. */
const rejectedAtATime = 256

/** A rejected connection that sends no request is closed after this time. */
const rejectedIdleMs = 1000

/**
 * Time in which a client must get on with reading. What a line brings arrives in small pieces, however slow it is. On this
 * machine itself the kernel of a client that takes little at a time asks for more when it has room for 300 KB, so that
 * 60 KB a second are needed there. A proxy reads in larger bursts, and looks after its own clients.
 */
const timeoutMs = { client: 5000, proxy: 60_000 }

/**
 * Why a client was rejected: no connection was left, or none, or no request, for its address; or slow reading ended the
 * connection.
 */
export type Rejection = 'full' | 'address' | 'requests' | 'slow'

const connectionRejections = {
  full: () =>
    new HttpError(503, 'Too many connections are open.', {
      'retry-after': String(othersEndSeconds),
    }),
  address: () => tooMany('Too many connections of your address are open.'),
}

export class ConnectionLimiter {
  readonly #most: number
  readonly #addresses: Addresses
  readonly #connectionsOf: CountByKey
  readonly #requestsOf: CountByKey
  readonly #slowClients: SlowClients
  readonly #onRejected: (why: Rejection) => void
  readonly #onUntrusted: () => void
  readonly #rejected = new WeakMap<Socket, 'full' | 'address'>()
  #open = 0
  #toldUntrusted = false

  /**
   * @param on.rejected called once for each connection or request that is rejected
   * @param on.untrusted called once when a proxy on this machine passes requests on and is none that is trusted, so that all
   * its clients count as one
   */
  constructor(
    limits: ConnectionLimits,
    on: { readonly rejected: (why: Rejection) => void; readonly untrusted: () => void },
  ) {
    const { connections = mostConnections, connectionsPerAddress, trustedProxies } = limits
    this.#most = connections
    this.#addresses = openAddresses(trustedProxies)
    this.#connectionsOf = new CountByKey(connectionsPerAddress)
    this.#requestsOf = new CountByKey(connectionsPerAddress)
    this.#onRejected = on.rejected
    this.#onUntrusted = on.untrusted
    this.#slowClients = watchSlowClients(() => {
      on.rejected('slow')
    })
  }

  /** Counts the connections of a server. */
  watch(server: Server): void {
    server.maxConnections = this.#most + rejectedAtATime
    server.on('connection', (socket) => {
      this.#count(socket)
    })
    server.on('drop', () => {
      this.#onRejected('full')
    })
  }

  /** Counts a request until its response is closed; gives the error to answer instead when it is one too many. */
  check({ raw }: FastifyRequest, reply: FastifyReply): HttpError | undefined {
    const why = this.#rejected.get(raw.socket)
    if (why !== undefined) {
      reply.header('connection', 'close')
      return connectionRejections[why]()
    }
    const forwarded = raw.headers['x-forwarded-for']
    if (forwarded === undefined) return undefined
    const peer = raw.socket.remoteAddress ?? ''
    if (
      !this.#toldUntrusted &&
      this.#addresses.isLoopback(peer) &&
      !this.#addresses.isProxy(peer)
    ) {
      this.#toldUntrusted = true
      this.#onUntrusted()
    }
    const address = this.#addresses.ofRequest(peer, String(forwarded))
    if (address === undefined) return undefined
    if (!this.#requestsOf.add(address)) {
      this.#onRejected('requests')
      return tooMany('Too many requests of your address are under way.')
    }
    reply.raw.once('close', () => {
      this.#requestsOf.remove(address)
    })
    return undefined
  }

  /** Whom a request counts for. */
  addressOf({ raw }: FastifyRequest): string {
    const peer = raw.socket.remoteAddress ?? ''
    const forwarded = raw.headers['x-forwarded-for']
    const client =
      forwarded === undefined ? undefined : this.#addresses.ofRequest(peer, String(forwarded))
    return client ?? this.#addresses.ofConnection(peer) ?? peer
  }

  #count(socket: Socket): void {
    const peer = socket.remoteAddress ?? ''
    const address = this.#addresses.ofConnection(peer)
    if (this.#open >= this.#most) this.#reject(socket, 'full')
    else if (address !== undefined && !this.#connectionsOf.add(address))
      this.#reject(socket, 'address')
    else {
      this.#open++
      socket.once('close', () => {
        this.#open--
        if (address !== undefined) this.#connectionsOf.remove(address)
      })
      const isProxy = this.#addresses.isProxy(peer)
      this.#slowClients.watch(socket, isProxy ? timeoutMs.proxy : timeoutMs.client)
    }
  }

  /** The first request of the connection is answered with the reason, see `check`. */
  #reject(socket: Socket, why: 'full' | 'address'): void {
    this.#rejected.set(socket, why)
    socket.setTimeout(rejectedIdleMs)
    this.#onRejected(why)
  }
}

/** Counts by key, up to a limit for each: the connections of each address. */
export class CountByKey {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Adds one; false, and no change, when the key is at its limit. */
  add(key: string): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#most) return false
    this.#counts.set(key, count + 1)
    return true
  }

  remove(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}
