/** Whose connections and requests are counted together (pure). */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

export interface Addresses {
  /** Whom a connection counts for; nobody for a proxy. */
  ofConnection(peer: string): string | undefined
  /** Whom a request counts for that a proxy passes on; nobody when it does not say, or is none of ours. */
  ofRequest(peer: string, forwardedFor: string): string | undefined
  isProxy(peer: string): boolean
  /** Whether a peer is this machine itself, where a proxy may run. */
  isLoopback(peer: string): boolean
}

/** @param trustedProxies addresses and networks, such as `10.0.0.0/8` */
export function openAddresses(trustedProxies: readonly string[]): Addresses {
  const trusted = new BlockList()
  for (const network of trustedProxies) addNetwork(trusted, network)
  const isProxy = (peer: string): boolean => {
    const address = plain(peer)
    return trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return {
    isProxy,
    isLoopback: (peer) => /^127\.|^::1$/.test(plain(peer)),
    ofConnection(peer) {
      return isProxy(peer) ? undefined : group(plain(peer))
    },
    ofRequest(peer, forwardedFor) {
      if (!isProxy(peer)) return undefined
      // Each proxy adds whom it got the request from on the right. What stands left of the first that is none of ours
      // was written by anybody.
      let client: string | undefined
      for (const entry of forwardedFor.split(',').reverse()) {
        const address = plain(entry.trim())
        if (isIP(address) === 0) break
        client = address
        if (!isProxy(address)) break
      }
      return client === undefined ? undefined : group(client)
    },
  }
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(prefix), family)
}

/** An address without the port that some proxies add, and IPv4 as such where a socket for both has it inside of IPv6. */
function plain(text: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
}

/** One client has a whole /64 of IPv6. */
function group(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().replace(/%.*/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0')
  const words = [...left, ...zeros, ...right].slice(0, 4)
  return `${words.map((word) => Number.parseInt(word, 16).toString(16)).join(':')}::/64`
}
