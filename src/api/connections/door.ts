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
}

const connections = 2048

/** Connections beyond that are told so, up to this number; the rest are closed without a word. */
const refusedAtATime = 256

/**
 * Time in which a client must get on with reading. One that takes 20 KB/s makes room in its kernel's buffer up to 7 s apart.
 * A proxy reads in larger bursts, and looks after its own clients.
 */
const patienceMs = { client: 8000, proxy: 60_000 }

export interface Door {
  /** Whether a request may go on; one that may not has been answered. */
  admits(request: IncomingMessage, response: ServerResponse): boolean
}

/** Stands between the server's socket and its HTTP. */
export function guardDoor(server: Server, limits: ClientLimits): Door {
  const addresses = openAddresses(limits.trustedProxies)
  const byConnection = openShares(limits.connectionsPerAddress)
  const byRequest = openShares(limits.connectionsPerAddress)
  const underWay = followConnections(server)
  const slowReaders = endSlowReaders()
  let open = 0
  const enter = (socket: Socket): string | undefined => {
    const peer = socket.remoteAddress ?? ''
    const address = addresses.ofConnection(peer)
    if (open >= connections) return refusals.full
    if (address !== undefined && !byConnection.take(address)) return refusals.address
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
  // Node's own listener, which begins to speak HTTP, comes after ours, and only for those who get in.
  const [speakHttp] = server.listeners('connection')
  server.removeAllListeners('connection').on('connection', (socket) => {
    const refusal = enter(socket)
    if (refusal === undefined) speakHttp?.call(server, socket)
    else refuseConnection(socket, refusal)
  })
  return {
    admits(request, response) {
      const { socket, headers } = request
      underWay.began(socket, response)
      const forwarded = headers['x-forwarded-for']
      if (forwarded === undefined) return true
      const address = addresses.ofRequest(socket.remoteAddress ?? '', String(forwarded))
      if (address === undefined) return true
      if (!byRequest.take(address)) {
        refuseRequest(response)
        return false
      }
      response.once('close', () => {
        byRequest.release(address)
      })
      return true
    },
  }
}
