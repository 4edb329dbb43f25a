/**
 * Checks option values; the types of the options follow from these checks. Defines the faults of a
 * configuration, and the forms of hosts, networks and base URLs. No I/O.
 */
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** A fault in the configuration. */
export interface Fault {
  /**
   * The file, environment variable or flag that sets the value; for a fault inside a file that an
   * option names, this file. If nothing sets the value, a text that begins with `default`.
   */
  readonly source: string
  /** The option, or the unknown name; `undefined` if the whole source is unusable. */
  readonly key: string | undefined
  /** Names the key, the fault and the remedy. */
  readonly message: string
}

/**
 * The configuration cannot be used. The error contains all faults; its message has one line for
 * each.
 */
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

/** Calls a function that reads a file, and returns the faults that it finds. */
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

/** Accepts a whole number from `least` to `most`. */
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

/** Accepts a table of numbers by name. */
export function numbersByName(
  accepts: Check<number>,
): Check<Readonly<Partial<Record<string, number>>>> {
  return (value): value is Readonly<Partial<Record<string, number>>> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(accepts)
}

/** Accepts `undefined` as well, for an option that need not be set. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value)
}

/** Hosts that stand for every address, as the URL parser writes them. */
const wildcards = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]'])

const hostName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

const authority = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** True if a server can listen on this host: an address without brackets, or a name. */
export function isHost(host: string): boolean {
  // The URL parser rejects a name that ends in a number, unless the name is a form of an IPv4
  // address.
  return isIP(host) !== 0 || (hostName.test(host) && URL.canParse(`http://${host}`))
}

/** True if a text is an address, or a network written as address and prefix length. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}

/**
 * Returns the origin of links to this host; `undefined` if no client could follow them, because the
 * host is a wildcard or an address with a zone, which URLs cannot contain.
 */
export function originOf(host: string, port: number): string | undefined {
  const text = `http://${authority(host)}:${port}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return wildcards.has(url.hostname) ? undefined : url.origin
}

/** True for an absolute http or https URL to which paths can be appended. */
export function isBaseUrl(text: string): boolean {
  // The parser would drop white space and replace backslashes, so this check rejects such URLs.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** True for a line of text that pages show: at most 200 characters, no control character. */
export function isLine(text: string): boolean {
  return text.trim() !== '' && text.length <= 200 && !/\p{Cc}/u.test(text)
}

/** True for an http or https URL with `{code}`, the place of a station code, after its host. */
export function isStationLink(text: string): boolean {
  const filled = text.replaceAll('{code}', 'GRAZ00AUT')
  if (filled === text || text.length > 500 || !/^https?:\/\/[^\s\\]+$/i.test(filled)) return false
  if (!URL.canParse(filled)) return false
  const { username, password, hostname } = new URL(filled)
  return username === '' && password === '' && !/graz00aut/i.test(hostname)
}

/** Normalises a base URL: ASCII, host in lower case, no default port, no slash at its end. */
export function toBaseUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '')
}

/**
 * Returns the beginning of every link, before the dataset prefix.
 * @param actualPort the port on which the server listens; it differs from the configured port if
 * that is 0
 */
export function baseUrlFor(
  config: { readonly baseUrl: string | undefined; readonly host: string },
  actualPort: number,
): string {
  const base = config.baseUrl ?? originOf(config.host, actualPort)
  if (base === undefined) throw new Error(`no link can point to ${config.host}: set base_url`)
  return base
}
