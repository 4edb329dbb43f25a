/** Checks of option values, from which their types follow; faults; forms of hosts, networks and base URLs. Pure. */
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** A fault in the configuration. */
export interface Fault {
  /** The file, environment variable or flag with the value; `default` when no source sets it. */
  readonly source: string
  /** The option, or the unknown name; `undefined` when the whole source is unusable. */
  readonly key: string | undefined
  /** Names the key, the fault and the remedy. */
  readonly message: string
}

/** The configuration cannot be used. Contains all faults; the message has one line for each. */
export class ConfigError extends Error {
  readonly code = 'BAD_CONFIGURATION'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const lines = faults.map((fault) => `\n  ${faultLine(fault)}`)
    super(`bad configuration:${lines.join('')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** The faults that reading a file finds. */
export function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

export function faultLine({ source, message }: Fault): string {
  return `${source}: ${message}`
}

export type Check<T> = (value: unknown) => value is T

/** The type of the values that a check accepts. */
export type Checked<C> = C extends Check<infer T> ? T : never

/** @param accepts a pattern or a function that the text must satisfy */
export function text(accepts: RegExp | ((text: string) => boolean) = () => true): Check<string> {
  const test = accepts instanceof RegExp ? (value: string) => accepts.test(value) : accepts
  return (value): value is string => typeof value === 'string' && test(value)
}

/** A whole number between both limits, inclusive. */
export function integer(least: number, most: number): Check<number> {
  return (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

export function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return (value): value is T => words.some((word) => word === value)
}

export function list<T>(of: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((one) => of(one))
}

/** For an option that need not be set. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}

/** The forms of "every address" after normalisation by the URL parser. */
const wildcards = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

const hostName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

const authority = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Whether a server can listen on it: an address without brackets, or a name. */
export function isHost(host: string): boolean {
  // A name that ends in a number must be an IPv4 address: the URL parser knows all its forms.
  return isIP(host) !== 0 || (hostName.test(host) && URL.canParse(`http://${host}`))
}

/** Whether a text is an address, or a network as address and prefix length. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}

/**
 * The origin of links to this host; `undefined` when a client could not follow them: a wildcard, or an address with a
 * zone, which URLs cannot contain.
 */
export function originOf(host: string, port: number): string | undefined {
  const text = `http://${authority(host)}:${port}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return wildcards.has(url.hostname) ? undefined : url.origin
}

/** An absolute http or https URL to which paths can be appended. */
export function isBaseUrl(text: string): boolean {
  // The parser would drop white space and replace backslashes; such URLs are invalid here.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** An absolute URL that messages may be sent to: https, or http to this host; without user. */
export function isWebhookUrl(text: string): boolean {
  if (/\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isLocal = /^(?:localhost|\[::1\]|127\.[\d.]+)$/.test(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal)
  return isSafe && username === '' && password === ''
}

/** Normalises a base URL: ASCII, host in lower case, no default port, no slash at its end. */
export function toBaseUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}

/**
 * The beginning of every link, before the dataset prefix.
 * @param actualPort the port that the server listens on, which differs from the configured one when that is 0
 */
export function baseUrlFor(
  config: { readonly baseUrl: string | undefined; readonly host: string },
  actualPort: number,
): string {
  const base = config.baseUrl ?? originOf(config.host, actualPort)
  if (base === undefined) throw new Error(`no link can point to ${config.host}: set base_url`)
  return base
}
