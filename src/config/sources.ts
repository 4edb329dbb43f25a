/**
 * Names of options, and their unchecked values in the configuration file, the environment and the
 * flags.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { closest } from '../runtime/closest-name.ts'
import type { Fault } from './checks.ts'
import type { Config, OptionKey, OptionKind } from './options.ts'
import { optionKeys, optionOf } from './options.ts'

const variablePrefix = 'RINEX_CATALOGUE_'

/** The variable with the path of the configuration file. It is not an option itself. */
export const fileVariable = `${variablePrefix}CONFIG`

/** Returns the environment variable of an option: `base_url` becomes `RINEX_CATALOGUE_BASE_URL`. */
export function variableName(key: string): string {
  return variablePrefix + key.toUpperCase()
}

/** Returns the flag of an option: `base_url` becomes `--base-url`. */
export function flagName(key: OptionKey): string {
  return `--${key.replaceAll('_', '-')}`
}

/** Returns the name of an option as a property of `Config`: `base_url` becomes `baseUrl`. */
export function propertyName(key: OptionKey): keyof Config {
  const name = key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return name as keyof Config
}

/** Values of the flags, by the names of the options in `Config`. */
export type Flags = { readonly [Name in keyof Config]?: string | undefined }

export interface ConfigSources {
  /** The configuration file that the flag `--config` names. */
  readonly file?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Flags
  /** The working directory. */
  readonly cwd: string
}

/** An unchecked value of an option, and its source. */
export interface Setting {
  readonly key: OptionKey
  readonly value: unknown
  readonly source: string
  /** The directory from which relative paths start. */
  readonly directory: string
}

interface Reading {
  readonly settings: Setting[]
  readonly faults: Fault[]
}

/**
 * Reads all settings, lowest precedence first. If an option has several settings, the last one
 * wins.
 */
export function readSources({ file, env, flags, cwd }: ConfigSources): Reading {
  const reading: Reading = { settings: [], faults: [] }
  const named = file ?? env[fileVariable]
  if (named !== undefined) readConfigFile(resolve(cwd, named), reading)
  readEnvironment(env, cwd, reading)
  readFlags(flags, cwd, reading)
  return reading
}

function readConfigFile(file: string, { settings, faults }: Reading): void {
  try {
    // Invalid UTF-8 is an error, because it would silently change paths; a byte order mark is
    // dropped.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
    // An integer that a double cannot hold exactly becomes a bigint and fails its check; it would
    // be a syntax error otherwise.
    const table = parse(text, { integersAsBigInt: 'asNeeded' })
    for (const [name, value] of Object.entries(table)) {
      const key = optionKeys.find((known) => known === name)
      if (key === undefined) faults.push(unknownName(file, name, optionKeys))
      else settings.push({ key, value, source: file, directory: dirname(file) })
    }
  } catch (error) {
    faults.push({ source: file, key: undefined, message: unusable(error) })
  }
}

function unusable(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  if (!(error instanceof TomlError)) return `cannot be read, use a readable file: ${reason}`
  // The further lines of the message show the position in the text.
  const [summary] = reason.split('\n')
  return `line ${error.line}, column ${error.column}: ${summary ?? reason}`
}

function readEnvironment(
  env: ConfigSources['env'],
  cwd: string,
  { settings, faults }: Reading,
): void {
  const variables = new Map(optionKeys.map((key) => [variableName(key), key]))
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(variablePrefix) || name === fileVariable || text === undefined) continue
    const key = variables.get(name)
    if (key === undefined) {
      faults.push(unknownName(name, name, [...variables.keys(), fileVariable]))
    } else {
      const value = fromText(optionOf(key).kind, text)
      settings.push({ key, value, source: name, directory: cwd })
    }
  }
}

function readFlags(flags: Flags, cwd: string, { settings }: Reading): void {
  for (const key of optionKeys) {
    const { kind, flag } = optionOf(key)
    const text = flags[propertyName(key)]
    // A flag of a command, like --problems, may have the name of an option without a flag.
    if (flag === undefined || text === undefined) continue
    settings.push({ key, value: fromText(kind, text), source: flagName(key), directory: cwd })
  }
}

/** Reads a value from text. Text that is not a number stays text; the check then reports it. */
function fromText(kind: OptionKind, text: string): unknown {
  switch (kind) {
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'paths':
    case 'texts':
      return text === '' ? [] : text.split(',').map((item) => item.trim())
    case 'entries':
      return text.split(',').map((item) => item.trim())
    case 'table':
      return tableFrom(text)
    case 'text':
    case 'path':
    case 'url':
    case 'database':
      return text
  }
}

/** Reads `nrt=3,obs=30`. Text of another form stays text; the check then reports it. */
function tableFrom(text: string): unknown {
  if (text === '') return {}
  const pairs = text.split(',').map((item) => /^ *([\w./-]+) *= *(\d+) *$/.exec(item))
  if (pairs.includes(null)) return text
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], Number(pair?.[2])]))
}

function unknownName(source: string, name: string, known: readonly string[]): Fault {
  const meant = closest(name, known)
  const remedy = meant === undefined ? 'remove it' : `did you mean ${meant}?`
  return { source, key: name, message: `unknown option ${JSON.stringify(name)}, ${remedy}` }
}
