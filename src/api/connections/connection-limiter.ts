/**
 * Limits connections, in total and by address: more are closed at once. Behind a trusted proxy it
 * limits the requests of each client.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpError } from '../http/errors.ts'
import { tooMany } from '../http/errors.ts'
import type { ConnectionLimits } from '../http/settings.ts'

const mostConnections = 2048

/** Too many connections in total, or too many connections or requests of the address. */
export const rejections = ['full', 'address', 'requests'] as const
type ConnectionRejection = (typeof rejections)[number]

export class ConnectionLimiter {
  readonly #most: number
  readonly #addresses: Addresses
  readonly #connectionsOf: CountByKey
  readonly #requestsOf: CountByKey
  readonly #onRejected: (why: ConnectionRejection) => void
  readonly #onUntrusted: () => void
  #reportedUntrusted = false

  /** @param on `untrusted` is called once, when a proxy on this machine is not trusted */
  constructor(
    limits: ConnectionLimits,
    on: { readonly rejected: (why: ConnectionRejection) => void; readonly untrusted: () => void },
  ) {
    const { connections = mostConnections, connectionsPerAddress, trustedProxies } = limits
    this.#most = connections
    this.#addresses = new Addresses(trustedProxies)
    this.#connectionsOf = new CountByKey(connectionsPerAddress)
    this.#requestsOf = new CountByKey(connectionsPerAddress)
    this.#onRejected = on.rejected
    this.#onUntrusted = on.untrusted
  }

  watch(server: Server): void {
    server.maxConnections = this.#most
    server.on('connection', (socket) => {
      this.#count(socket)
    })
    server.on('drop', () => {
      this.#onRejected('full')
    })
  }

  /**
   * Returns the error for a client with too many requests. Requests of a trusted proxy count for
   * the client's address, until their response closes.
   */
  check({ raw }: FastifyRequest, reply: FastifyReply): HttpError | undefined {
    const { forwarded, peer } = originOf(raw)
    if (forwarded === undefined) return undefined
    const isUntrusted = this.#addresses.isLoopback(peer) && !this.#addresses.isProxy(peer)
    if (isUntrusted && !this.#reportedUntrusted) {
      this.#reportedUntrusted = true
      this.#onUntrusted()
    }
    const address = this.#addresses.ofRequest(peer, forwarded)
    if (address === undefined) return undefined
    if (!this.#requestsOf.add(address)) {
      this.#onRejected('requests')
      return tooMany('Too many requests of your address are in progress.')
    }
    reply.raw.once('close', () => {
      this.#requestsOf.remove(address)
    })
    return undefined
  }

  /** Returns the client address for which a request counts. */
  addressOf({ raw }: Pick<FastifyRequest, 'raw'>): string {
    const { forwarded, peer } = originOf(raw)
    const client = forwarded === undefined ? undefined : this.#addresses.ofRequest(peer, forwarded)
    return client ?? this.#addresses.ofConnection(peer) ?? peer
  }

  #count(socket: Socket): void {
    const address = this.#addresses.ofConnection(socket.remoteAddress ?? '')
    if (address === undefined) return
    if (this.#connectionsOf.add(address))
      socket.once('close', () => {
        this.#connectionsOf.remove(address)
      })
    else {
      this.#onRejected('address')
      socket.destroy()
    }
  }
}

function originOf({ headers, socket }: IncomingMessage) {
  const forwarded = headers['x-forwarded-for']
  return { forwarded: forwarded?.toString(), peer: socket.remoteAddress ?? '' }
}

/** Counts by key, with the same limit for each key. */
class CountByKey {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Adds one. Returns false and changes nothing when the key is at its limit. */
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

export class Addresses {
  readonly #trusted = new BlockList()

  /** @param trustedProxies addresses and networks, such as `10.0.0.0/8` */
  constructor(trustedProxies: readonly string[]) {
    for (const network of trustedProxies) addSubnet(this.#trusted, network)
  }

  isProxy(peer: string): boolean {
    const address = plain(peer)
    return this.#trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }

  /** True if the peer runs on this machine, as a local proxy does. */
  isLoopback(peer: string): boolean {
    return /^127\.|^::1$/.test(plain(peer))
  }

  /** Returns the client for which a connection counts; `undefined` for a trusted proxy. */
  ofConnection(peer: string): string | undefined {
    return this.isProxy(peer) ? undefined : group(plain(peer))
  }

  /** The client of a forwarded request; `undefined` without one or without a trusted proxy. */
  ofRequest(peer: string, forwardedFor: string): string | undefined {
    if (!this.isProxy(peer)) return undefined
    // Each proxy appends the address of its peer on the right, so the entries are read from right
    // to left. Entries to the left of the first address that is not a trusted proxy can be forged.
    let client: string | undefined
    for (const entry of forwardedFor.split(',').reverse()) {
      const address = plain(entry.trim())
      if (isIP(address) === 0) break
      client = address
      if (!this.isProxy(address)) break
    }
    return client === undefined ? undefined : group(client)
  }
}

function addSubnet(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(prefix), family)
}

/** Removes the port that some proxies add, and unwraps `::ffff:192.0.2.1`. */
function plain(text: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
}

/** Groups IPv6 addresses by /64, because one client usually has a whole /64. */
function group(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().replace(/%.*/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0')
  const words = [...left, ...zeros, ...right].slice(0, 4)
  return `${words.map((word) => Number.parseInt(word, 16).toString(16)).join(':')}::/64`
}
