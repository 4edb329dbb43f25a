/** What the configuration expects of this machine and does not find. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Fault } from '../config/checks.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { OptionKey } from '../config/options.ts'

const { R_OK, W_OK, X_OK } = constants

/** The faults for the user who runs this, each with its remedy. */
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
  // The API only reads a database that is there. The indexer makes the directory of a new one.
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

/** The nearest folder of a path that is there. */
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
