/** Checks that this user can use what the configuration names, as a command needs it. */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isServer, serverName } from '../../catalogue/database-url.ts'
import { UnusableDatabase } from '../../catalogue/errors.ts'
import type { CheckedCommand } from '../../config/command-options.ts'
import type { DraftConfig } from '../../config/load.ts'
import type { OptionKey } from '../../config/options.ts'
import { realPath } from '../../runtime/real-path.ts'
import type { Finding } from './place-check.ts'

type Outcome = Omit<Finding, 'key'>

const good = (words: string): Outcome => ({ words, level: 'good' })
const bad = (words: string): Outcome => ({ words, level: 'fault' })

const { F_OK, R_OK, W_OK, X_OK } = constants

/**
 * Checks the archive, the linked directories, and the files of database and control socket with
 * their directories. The indexer writes the last two; the API reads them, and waits while they are
 * not there. A directory that systemd makes may be missing: before the first start of the indexer
 * it is not there.
 * @param madeBySystemd the directories that systemd makes at the start of the indexer, see
 * `unitDirectories`
 */
export function checkMachine(
  { archive, linked_directories: linked = [], database, control_socket: socket }: Values,
  command: CheckedCommand,
  madeBySystemd: readonly string[],
): readonly Finding[] {
  const writes = command !== 'serve'
  const findings: Finding[] = []
  const add = (key: OptionKey, path: string, { words, level }: Outcome): void => {
    findings.push({ key, words: `${JSON.stringify(path)} ${words}`, level })
  }
  const checkOwn = (path: string, ifMissing: (path: string) => Outcome): Outcome => {
    if (exists(path)) return checkDirectory(path, writes ? W_OK | X_OK : X_OK)
    if (!madeBySystemd.includes(realPath(path))) return ifMissing(path)
    return good('is not there yet: systemd makes it when the indexer starts')
  }
  if (archive !== undefined) add('archive', archive, checkDirectory(archive, R_OK | X_OK))
  for (const path of linked) add('linked_directories', path, checkDirectory(path, R_OK | X_OK))
  if (database !== undefined && !isServer(database)) {
    const folder = dirname(database)
    add('database', folder, checkOwn(folder, writes ? checkCreation : notThere))
    if (exists(database)) add('database', database, checkAccess(database, writes ? W_OK : R_OK))
  }
  if (socket !== undefined) {
    const folder = dirname(socket)
    if (database === undefined || folder !== dirname(database))
      add('control_socket', folder, checkOwn(folder, notThere))
    if (exists(socket)) add('control_socket', socket, checkAccess(socket, R_OK | W_OK))
  }
  return findings
}

/**
 * Connects to the servers of the database as the command would: the indexer writes on one, the API
 * reads from it or its standby.
 * @returns the findings, and what the servers are
 */
export async function checkServers(
  { database, database_read: read, database_password_file: passwordFile }: Values,
  command: CheckedCommand,
): Promise<{ readonly findings: readonly Finding[]; readonly engines: readonly string[] }> {
  if (database === undefined || !isServer(database)) return { findings: [], engines: [] }
  const { inspectServer } = await import('../../catalogue/postgres/schema.ts')
  const findings: Finding[] = []
  const engines = new Set<string>()
  const inspect = async (key: OptionKey, url: string, writes: boolean): Promise<void> => {
    try {
      const { version, schema } = await inspectServer({ url, passwordFile }, { writes })
      engines.add(
        `PostgreSQL ${version}, ${schema === undefined ? 'no tables yet' : `schema ${schema}`}`,
      )
      const words = `${serverName(url)} may be ${writes ? 'written' : 'read'}`
      findings.push({ key, words, level: 'good' })
    } catch (error) {
      if (!(error instanceof UnusableDatabase)) throw error
      findings.push({ key, words: error.message, level: 'fault' })
    }
  }
  await inspect('database', database, command !== 'serve')
  if (read !== undefined && command !== 'index') await inspect('database_read', read, false)
  return { findings, engines: [...engines] }
}

type Values = DraftConfig['values']

/**
 * The command that a user without a wish can run: a user who can read a database may be that of the
 * API. Without an archive it is the demo.
 */
export function usualCommand({ archive, database }: Values): CheckedCommand {
  return archive !== undefined && database !== undefined && allows(database, R_OK)
    ? 'serve'
    : 'start'
}

function checkDirectory(path: string, mode: number): Outcome {
  if (!exists(path)) return notThere()
  if (!statSync(path).isDirectory()) return bad('is not a directory')
  return checkAccess(path, mode)
}

function checkAccess(path: string, mode: number): Outcome {
  const use = (mode & W_OK) !== 0 ? 'written' : (mode & R_OK) !== 0 ? 'read' : 'entered'
  if (allows(path, mode)) return good(`may be ${use}`)
  return bad(`may not be ${use} by this user: correct its owner, group or mode`)
}

/** Checks a directory that this user has to make. */
function checkCreation(path: string): Outcome {
  const parent = dirname(path)
  if (!exists(parent) && parent !== path) return checkCreation(parent)
  return checkDirectory(parent, W_OK | X_OK).level === 'fault'
    ? bad(`is not there, and this user cannot make it in ${JSON.stringify(parent)}`)
    : good('is not there yet: this user can make it')
}

function notThere(): Outcome {
  return bad('is not there or cannot be reached by this user')
}

function exists(path: string): boolean {
  return allows(path, F_OK)
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
