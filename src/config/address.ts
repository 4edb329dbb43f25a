/** Hosts to listen on and the base URL of every link. Pure. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Spellings of "every address" after the URL parser has brought them to one form. */
const wildcards = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

const hostName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

const authority = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Whether one can listen on it: an address without brackets, or a name. */
export function isHost(host: string): boolean {
  // A name that ends in a number must be an IPv4 address: the URL parser knows the odd spellings of those.
  return isIP(host) !== 0 || (hostName.test(host) && URL.canParse(`http://${host}`))
}

/** Whether it is an address, or a network in the form of an address and the length of its prefix. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}

/**
 * What links begin with when they point to this host; `undefined` when no client could follow them: a wildcard,
 * or an address with a zone, which URLs cannot hold.
 */
export function originOf(host: string, port: number): string | undefined {
  const text = `http://${authority(host)}:${port}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return wildcards.has(url.hostname) ? undefined : url.origin
}

/** An absolute http or https URL to which paths can be appended. */
export function isBaseUrl(text: string): boolean {
  // The parser drops white space and turns backslashes round: what it would have to repair is refused.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** The one spelling of a base URL, in ASCII: host in lower case, no default port, no slash at its end. */
export function toBaseUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}

/**
 * What every link begins with, before the dataset prefix.
 * @param actualPort the port that was got, which is not the configured one when that is 0
 */
export function baseUrlFor(
  config: { readonly baseUrl: string | undefined; readonly host: string },
  actualPort: number,
): string {
  const base = config.baseUrl ?? originOf(config.host, actualPort)
  if (base === undefined) throw new Error(`no link can point to ${config.host}: set base_url`)
  return base
}
