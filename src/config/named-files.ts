/**
 * Reads the files with the token of administrators and the password of the database, and checks
 * all files that options name, so that their faults are reported together with those of the
 * options.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Fault } from './checks.ts'
import { ConfigError, faultsOf } from './checks.ts'
import type { CheckedCommand } from './command-options.ts'
import { readExpectedFile } from './expected-file.ts'
import type { DraftConfig, FurtherCheck } from './load.ts'
import { readStationsFile } from './stations-file.ts'

/** Checks the file that the indexer reads at its start, that of `database_password_file`. */
const checkIndexerFiles: FurtherCheck = (values) =>
  faultsOf(() => readToken('database_password_file', values.database_password_file))

/** Checks the files that the API reads as well: token, expected series, places of stations. */
export const checkAllFiles: FurtherCheck = (values, origins) => [
  ...checkIndexerFiles(values, origins),
  ...faultsOf(() => readToken('admin_token_file', values.admin_token_file)),
  ...faultsOf(() => readExpectedFile(values.expected_file)),
  ...faultsOf(() => readStationsFile(values.stations_file)),
]

/** What must hold before a daemon starts, besides the form of its values. */
export const daemonChecks: Readonly<Record<CheckedCommand, FurtherCheck>> = {
  index: (values, origins) => [...needArchive(origins), ...checkIndexerFiles(values, origins)],
  serve: (values, origins) => [...needArchive(origins), ...checkAllFiles(values, origins)],
  // Without an archive, `start` makes a demo with a database of its own. It must not fill another.
  start: (values, origins) => [
    ...(origins.database === 'default' ? [] : needArchive(origins)),
    ...checkAllFiles(values, origins),
  ],
}

function needArchive({ archive }: DraftConfig['origins']): readonly Fault[] {
  const message = 'archive must be set to the directory that holds obs/ and nrt/'
  return archive === 'default' ? [{ source: archive, key: 'archive', message }] : []
}

/** Maximum length of a token (bytes): half the server's limit for all headers of a request. */
const longestToken = 4096

/** Options that name a file with a token; a password is one too. */
type TokenKey = 'admin_token_file' | 'database_password_file'

/**
 * Reads a token; returns `undefined` if no file is configured.
 * @throws ConfigError if the path is not a readable file, or if its content cannot be sent as a
 * token
 */
export function readToken(key: TokenKey, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const fault = (problem: string): ConfigError =>
    new ConfigError([{ source: path, key, message: `${key} ${problem}` }])
  let text: string | undefined
  try {
    // Only a regular file is read, because reading a pipe could wait for ever.
    text = statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw fault(`cannot be read: ${code}, set it to a file that this user may read`)
  }
  if (text === undefined) throw fault('must be a file')
  const token = text.trim()
  // A bearer token has no spaces, and only ASCII is safe in a header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw fault('must contain a token: one line of printable ASCII without spaces')
  if (token.length > longestToken)
    throw fault(`must contain a token of at most ${longestToken} bytes, found ${token.length}`)
  return token
}
