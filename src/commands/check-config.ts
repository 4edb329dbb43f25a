/** The command `check-config`: prints the effective configuration, and checks that this user can use what it names. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { stringify } from 'smol-toml'
import { baseUrlFor, ConfigError } from '../config/checks.ts'
import type { Fault } from '../config/checks.ts'
import type { LoadedConfig } from '../config/load.ts'
import { propertyName } from '../config/sources.ts'
import { optionKeys, optionOf } from '../config/options.ts'
import type { Config, OptionKey } from '../config/options.ts'
import { print } from '../runtime/program.ts'

/**
 * Prints the effective configuration in the form of a configuration file, with the source of each value, and then checks this
 * machine.
 * @throws ConfigError with all faults that `machineFaults` finds
 */
export async function checkConfig(loaded: LoadedConfig): Promise<number> {
  const { config, origins } = loaded
  const values = { ...config, baseUrl: knownBaseUrl(config) }
  for (const key of optionKeys) {
    const value = values[propertyName(key)]
    const line =
      value === undefined
        ? `# ${key} has no value`
        : optionOf(key).isSecret === true
          ? `# ${key} has a value that is not shown`
          : stringify({ [key]: value }).trim()
    await print(`${line} # from ${origins[key]}`)
  }
  const faults = machineFaults(loaded)
  if (faults.length > 0) throw new ConfigError(faults)
  return 0
}

/**
 * Returns the configured base URL, or else the one that follows from host and port. Without a configured base URL and with port
 * 0, the base URL is known only when the API listens, so the result is `undefined`.
 */
function knownBaseUrl(config: Config): string | undefined {
  return config.baseUrl ?? (config.port === 0 ? undefined : baseUrlFor(config, config.port))
}

const { R_OK, W_OK, X_OK } = constants

/**
 * Finds files and directories that this user cannot use as the configuration needs them, and a base URL with the dataset prefix.
 */
export function machineFaults({ config, origins }: LoadedConfig): readonly Fault[] {
  const faults: Fault[] = []
  const add = (key: OptionKey, problem: string): void => {
    faults.push({ source: origins[key], key, message: `${key} ${problem}` })
  }
  const addDirectoryFault = (key: OptionKey, path: string, mode: number): void => {
    const problem = directoryProblem(path, mode)
    if (problem !== undefined) add(key, `${JSON.stringify(path)} ${problem}`)
  }
  addDirectoryFault('archive', config.archive, R_OK | X_OK)
  for (const path of config.linkedDirectories)
    addDirectoryFault('linked_directories', path, R_OK | X_OK)
  // A database that can be read needs no more than search permission for its directory. Otherwise the indexer must be able to
  // create the database, so the nearest existing directory must also be writable.
  const hasDatabase = allows(config.database, R_OK)
  const databaseMode = hasDatabase ? X_OK : W_OK | X_OK
  addDirectoryFault('database', nearestDirectory(config.database), databaseMode)
  if (dirname(config.controlSocket) !== dirname(config.database))
    addDirectoryFault('control_socket', dirname(config.controlSocket), X_OK)
  if (exists(config.controlSocket) && !allows(config.controlSocket, R_OK | W_OK))
    add('control_socket', 'may not be used by this user, add it to the group of the service')
  const { baseUrl, datasetPrefix } = config
  if (baseUrl !== undefined && new URL(baseUrl).pathname.endsWith(`/${datasetPrefix}`))
    add(
      'base_url',
      `ends with dataset_prefix ${datasetPrefix}, which every link repeats: remove it here`,
    )
  return faults
}

/** Returns the nearest directory of a path that exists. */
function nearestDirectory(path: string): string {
  const folder = dirname(path)
  return exists(folder) || folder === path ? folder : nearestDirectory(folder)
}

function directoryProblem(path: string, mode: number): string | undefined {
  if (!exists(path)) return 'is not there or cannot be reached by this user'
  if (!statSync(path).isDirectory()) return 'is not a directory'
  if (allows(path, mode)) return undefined
  return `may not be ${(mode & W_OK) === 0 ? 'read' : 'written'} by this user`
}

function exists(path: string): boolean {
  return allows(path, constants.F_OK)
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
