/** Limits connections: of all clients, of one address, and the requests of one address behind a trusted proxy. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, othersEndSeconds, tooMany } from '../errors.ts'
import { openAddresses } from './addresses.ts'
import { CountByKey } from './count-by-key.ts'
import { watchSlowClients } from './slow-clients.ts'

export interface ClientLimits {
  /** Most connections of one address; behind a trusted proxy, most requests in flight of one address. */
  readonly connectionsPerAddress: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Most connections of all. */
  readonly connections?: number
}

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

export interface ConnectionLimiter {
  /** Counts the connections of a server. */
  watch(server: Server): void
  /** Counts a request until its response is closed; gives the error to answer instead when it is one too many. */
  admit(request: FastifyRequest, reply: FastifyReply): HttpError | undefined
}

/** @param onRejected called once for each connection or request that is rejected */
export function openConnectionLimiter(
  limits: ClientLimits,
  onRejected: (why: Rejection) => void,
): ConnectionLimiter {
  const { connections = mostConnections, connectionsPerAddress, trustedProxies } = limits
  const addresses = openAddresses(trustedProxies)
  const connectionsOf = new CountByKey(connectionsPerAddress)
  const requestsOf = new CountByKey(connectionsPerAddress)
  const rejected = new WeakMap<Socket, 'full' | 'address'>()
  const slowClients = watchSlowClients(() => {
    onRejected('slow')
  })
  let open = 0
  const reject = (socket: Socket, why: 'full' | 'address'): void => {
    rejected.set(socket, why)
    socket.setTimeout(rejectedIdleMs)
    onRejected(why)
  }
  const count = (socket: Socket): void => {
    const peer = socket.remoteAddress ?? ''
    const address = addresses.ofConnection(peer)
    if (open >= connections) reject(socket, 'full')
    else if (address !== undefined && !connectionsOf.add(address)) reject(socket, 'address')
    else {
      open++
      socket.once('close', () => {
        open--
        if (address !== undefined) connectionsOf.remove(address)
      })
      slowClients.watch(socket, addresses.isProxy(peer) ? timeoutMs.proxy : timeoutMs.client)
    }
  }
  return {
    watch(server) {
      server.maxConnections = connections + rejectedAtATime
      server.on('connection', count)
      server.on('drop', () => {
        onRejected('full')
      })
    },
    admit({ raw }, reply) {
      const why = rejected.get(raw.socket)
      if (why !== undefined) {
        reply.header('connection', 'close')
        return connectionRejections[why]()
      }
      const forwarded = raw.headers['x-forwarded-for']
      if (forwarded === undefined) return undefined
      const address = addresses.ofRequest(raw.socket.remoteAddress ?? '', String(forwarded))
      if (address === undefined) return undefined
      if (!requestsOf.add(address)) {
        onRejected('requests')
        return tooMany('Too many requests of your address are under way.')
      }
      reply.raw.once('close', () => {
        requestsOf.remove(address)
      })
      return undefined
    },
  }
}

const connectionRejections = {
  full: () =>
    new HttpError(503, 'Too many connections are open.', {
      'retry-after': String(othersEndSeconds),
    }),
  address: () => tooMany('Too many connections of your address are open.'),
}
