/** Merges defaults, configuration file, environment and flags into one checked configuration. */
import { parse as parsePath, relative, resolve } from 'node:path'
import { inspect } from 'node:util'
import { isServer, urlFault } from '../catalogue/database-url.ts'
import { createLayout, withDefaults } from '../parse/layout.ts'
import { layoutFaults } from '../parse/layout-faults.ts'
import { realPath } from '../runtime/real-path.ts'
import type { Fault } from './checks.ts'
import { ConfigError, originOf, toBaseUrl } from './checks.ts'
import type { Config, OptionKey, OptionValue } from './options.ts'
import { optionKeys, optionOf } from './options.ts'
import type { ConfigSources, Setting } from './sources.ts'
import { propertyName, readSources } from './sources.ts'

export interface LoadedConfig {
  readonly config: Config
  /** The source of each value: `default …`, a file, a variable or a flag. */
  readonly origins: Readonly<Record<OptionKey, string>>
}

/**
 * The configuration while it is loaded. An option with a fault has the value `undefined`, as if it
 * were not set.
 */
export interface DraftConfig {
  readonly values: { -readonly [Key in OptionKey]?: OptionValue<Key> | undefined }
  readonly origins: Record<OptionKey, string>
  readonly faults: Fault[]
}

/**
 * Longest path of a Unix socket (bytes): `sun_path` has 108 bytes with its final zero (unix(7)).
 */
const maxSocketBytes = 107

/** Finds faults outside the values themselves, for example in the files that they name. */
export type FurtherCheck = (
  values: DraftConfig['values'],
  origins: DraftConfig['origins'],
) => readonly Fault[]

/** @throws ConfigError with all faults */
export function loadConfig(sources: ConfigSources, further?: FurtherCheck): LoadedConfig {
  const { values, origins, faults } = draftConfig(sources, further)
  if (faults.length > 0) throw new ConfigError(faults)
  return { config: toConfig(values), origins: Object.freeze(origins) }
}

/** Does the same as `loadConfig`, but returns the faults together with what is right. */
export function draftConfig(sources: ConfigSources, further: FurtherCheck = () => []): DraftConfig {
  const { settings, faults } = readSources(sources)
  const draft = draftOfDefaults(faults)
  for (const setting of settings) apply(setting, draft)
  const given = new Set(settings.map(({ key }) => key))
  refuseMixedEngines(draft)
  checkLayout(draft)
  followLinks(draft)
  if (!given.has('base_url')) checkHostForLinks(draft)
  if (!given.has('control_socket')) deriveControlSocket(draft)
  fitControlSocket(draft, sources.cwd)
  // Of a source that cannot be read nobody knows what it sets, so nothing is missing.
  const isKnown = faults.every(({ key }) => key !== undefined)
  if (isKnown) draft.faults.push(...further(draft.values, draft.origins))
  return draft
}

function draftOfDefaults(faults: readonly Fault[]): DraftConfig {
  const values = Object.fromEntries(optionKeys.map((key) => [key, optionOf(key).default]))
  const origins = Object.fromEntries(optionKeys.map((key) => [key, 'default']))
  return { values, origins: origins as DraftConfig['origins'], faults: [...faults] }
}

function apply(setting: Setting, { values, origins, faults }: DraftConfig): void {
  const { key, source } = setting
  const problem = problemOf(setting)
  if (problem !== undefined) faults.push({ source, key, message: `${key} ${problem}` })
  Object.assign(values, { [key]: problem === undefined ? normalise(setting) : undefined })
  origins[key] = source
}

function problemOf({ key, value }: Setting): string | undefined {
  const { kind, check, expects } = optionOf(key)
  if (value === undefined || !check(value))
    return `must be ${expects}, found ${kind === 'database' ? 'another value' : show(value)}`
  return kind === 'database' && typeof value === 'string' ? urlFault(value) : undefined
}

/** Normalises a checked value: paths become absolute, and base URLs get one form. */
function normalise({ key, value, directory }: Setting): unknown {
  const { kind } = optionOf(key)
  if (kind === 'database' && typeof value === 'string' && isServer(value)) return value
  if ((kind === 'path' || kind === 'database') && typeof value === 'string')
    return resolve(directory, value)
  if (kind === 'url' && typeof value === 'string') return toBaseUrl(value)
  if (kind === 'paths' && Array.isArray(value)) {
    return Object.freeze(value.map((path) => resolve(String(path))))
  }
  if ((kind === 'texts' || kind === 'entries') && Array.isArray(value))
    return Object.freeze([...(value as string[])])
  if (kind === 'table') return Object.freeze({ ...(value as object) })
  return value
}

function checkHostForLinks({ values: { host, port }, origins, faults }: DraftConfig): void {
  origins.base_url = 'default, from host and port'
  if (host === undefined || originOf(host, port ?? 0) !== undefined) return
  const message = `no link can point to ${host}, set base_url to what clients use`
  faults.push({ source: origins.host, key: 'base_url', message })
}

/** Only a server has a standby; its indexer gets requests through the database. */
function refuseMixedEngines({ values, origins, faults }: DraftConfig): void {
  const { database, database_read: read, control_socket: socket } = values
  if (database === undefined) return
  const fault = (key: OptionKey, problem: string): void => {
    faults.push({ source: origins[key], key, message: `${key} ${problem}` })
    values[key] = undefined
  }
  if (isServer(database) && socket !== undefined)
    fault(
      'control_socket',
      'must not be set: the indexer gets requests through the database server',
    )
  if (!isServer(database) && read !== undefined)
    fault('database_read', 'needs a PostgreSQL server as database: remove it, or set database')
}

/** Checks that the lists of the tree make a layout, and that `purged_after_days` has its areas. */
function checkLayout({ values, origins, faults }: DraftConfig): void {
  const { areas, suffixes, exclude, purged_after_days: purged } = values
  const lists = withDefaults({ areas, suffixes, exclude })
  const fault = (key: OptionKey, problem: string): void => {
    faults.push({ source: origins[key], key, message: `${key} ${problem}` })
    values[key] = undefined
  }
  const found = layoutFaults(lists)
  for (const { key, problem } of found) fault(key, problem)
  if (found.length > 0) return
  const names = createLayout(lists).areas
  const other = Object.keys(purged ?? {}).find((name) => !names.includes(name))
  if (other === undefined) return
  const known = names.map((name) => JSON.stringify(name)).join(', ')
  const problem = `must be a table of days by area (${known}), found ${JSON.stringify(other)}`
  fault('purged_after_days', problem)
}

/**
 * Follows symbolic links in the path of the database, so that all commands find the files beside it
 * and the control socket.
 */
function followLinks({ values }: DraftConfig): void {
  const { database } = values
  if (database !== undefined && !isServer(database)) values.database = realPath(database)
}

function deriveControlSocket({ values, origins }: DraftConfig): void {
  if (values.database === undefined || isServer(values.database)) return
  const { dir, name } = parsePath(values.database)
  values.control_socket = resolve(dir, `${name}.sock`)
  origins.control_socket = 'default, from database'
}

function fitControlSocket({ values, origins, faults }: DraftConfig, cwd: string): void {
  const path = values.control_socket
  if (path === undefined) return
  const fault = (problem: string): void => {
    const message = `control_socket ${JSON.stringify(path)} ${problem}, set control_socket to another path`
    faults.push({ source: origins.control_socket, key: 'control_socket', message })
  }
  if (path === values.database) fault('is the database itself')
  const forms = [path, relative(cwd, path) || path]
  const fits = forms.find((form) => Buffer.byteLength(form) <= maxSocketBytes)
  if (fits === undefined) {
    fault(`has ${Buffer.byteLength(path)} bytes and a socket at most ${maxSocketBytes}`)
  }
  values.control_socket = fits
}

function toConfig(values: DraftConfig['values']): Config {
  const entries = optionKeys.map((key) => [propertyName(key), values[key]])
  // The cast is safe, because the type of each value follows from the check that the value has
  // passed.
  return Object.freeze(Object.fromEntries(entries)) as Config
}

/** Formats any value for a message, short and on one line. */
function show(value: unknown): string {
  return inspect(value, {
    depth: 0,
    breakLength: Infinity,
    maxArrayLength: 3,
    maxStringLength: 120,
  })
}
