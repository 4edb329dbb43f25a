/**
 * Finds the client address for which a connection or a request counts in the limits: an IPv4
 * address, or an IPv6 network with a /64 prefix. Behind a trusted proxy, it is the address in the
 * header `X-Forwarded-For`. Pure.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

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

  /**
   * Returns the client of a request that a trusted proxy forwards; `undefined` if the header names
   * no client or the peer is not trusted.
   */
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

/**
 * Removes a port that some proxies add, and unwraps IPv4-mapped IPv6 addresses
 * (`::ffff:192.0.2.1`).
 */
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
