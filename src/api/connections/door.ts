/** Who gets in: so many connections, so many of an address, and behind a proxy so many requests of an address. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { openAddresses } from './addresses.ts'
import { refusals, refuseConnection, refuseRequest } from './refusals.ts'
import { openShares } from './shares.ts'
import { endSlowReaders } from './slow-readers.ts'
import { followConnections } from './under-way.ts'

export interface ClientLimits {
  /** Most connections of one address; behind a trusted proxy, most requests under way of one address. */
  readonly connectionsPerAddress: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Most connections of all. */
  readonly connections?: number
}

const mostConnections = 2048

/** Connections beyond that are told so, up to this number; the rest are closed without a word. */
const refusedAtATime = 256

/**
 * Time in which a client must get on with reading. What a line brings arrives in small pieces, however slow it is. On this
 * machine itself the kernel of a client that takes little at a time asks for more when it has room for 300 KB, so that
 * 60 KB a second are needed there. A proxy reads in larger bursts, and looks after its own clients.
 */
const patienceMs = { client: 5000, proxy: 60_000 }

/**
 * Why somebody was turned away: no connection was left, or none, or no request, for the address; or slow reading ended
 * the connection.
 */
export type TurnedAway = 'full' | 'address' | 'requests' | 'slow'

export interface Door {
  /** Lets a request go on, at once or after others of its connection; one that may not is answered. */
  admit(request: IncomingMessage, response: ServerResponse, goOn: () => void): void
}

/** Stands between the server's socket and its HTTP. @param tell is told of each that is turned away */
export function guardDoor(
  server: Server,
  limits: ClientLimits,
  tell: (why: TurnedAway) => void,
): Door {
  const { connections = mostConnections } = limits
  const addresses = openAddresses(limits.trustedProxies)
  const byConnection = openShares(limits.connectionsPerAddress)
  const byRequest = openShares(limits.connectionsPerAddress)
  const underWay = followConnections(server)
  const slowReaders = endSlowReaders(() => {
    tell('slow')
  })
  let open = 0
  const enter = (socket: Socket): 'full' | 'address' | undefined => {
    const peer = socket.remoteAddress ?? ''
    const address = addresses.ofConnection(peer)
    if (open >= connections) return 'full'
    if (address !== undefined && !byConnection.take(address)) return 'address'
    open++
    socket.once('close', () => {
      open--
      if (address !== undefined) byConnection.release(address)
    })
    underWay.connected(socket)
    slowReaders.watch(socket, addresses.isProxy(peer) ? patienceMs.proxy : patienceMs.client)
    return undefined
  }
  server.maxConnections = connections + refusedAtATime
  server.on('drop', () => {
    tell('full')
  })
  // Node's own listener, which begins to speak HTTP, comes after ours, and only for those who get in.
  const [speakHttp] = server.listeners('connection')
  server.removeAllListeners('connection').on('connection', (socket) => {
    const refusal = enter(socket)
    if (refusal === undefined) {
      speakHttp?.call(server, socket)
      return
    }
    tell(refusal)
    refuseConnection(socket, refusals[refusal])
  })
  const isAdmitted = ({ socket, headers }: IncomingMessage, response: ServerResponse): boolean => {
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return true
    const address = addresses.ofRequest(socket.remoteAddress ?? '', String(forwarded))
    if (address === undefined) return true
    if (!byRequest.take(address)) {
      tell('requests')
      refuseRequest(response)
      return false
    }
    response.once('close', () => {
      byRequest.release(address)
    })
    return true
  }
  return {
    admit(request, response, goOn) {
      underWay.began(request.socket, response, () => {
        if (isAdmitted(request, response)) goOn()
      })
    },
  }
}
