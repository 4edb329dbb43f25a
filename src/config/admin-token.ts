import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import type { Fault } from './config-error.ts'

/** Half of what the server takes of all headers of a request together, see api/http-server.ts. */
const longestToken = 4096

/**
 * Reads the token by which administrators are known; `undefined` when no file is configured.
 * @throws ConfigError when the file is missing, none, unreadable or no token that can be sent
 */
export function readAdminToken(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const fault = (problem: string): ConfigError =>
    new ConfigError([
      { source: path, key: 'admin_token_file', message: `admin_token_file ${problem}` },
    ])
  let text: string | undefined
  try {
    // A pipe would be waited for without end.
    text = statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw fault(`cannot be read: ${code}, name a file that this user may read`)
  }
  if (text === undefined) throw fault('must be a file, found something else')
  const token = text.trim()
  // What cannot be sent in a header would be a token that never fits.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw fault('must hold a token: one line of printable ASCII without spaces')
  if (token.length > longestToken)
    throw fault(`must hold a token of at most ${longestToken} bytes, found ${token.length}`)
  return token
}

/** What is wrong with the file, for those who only want to know that. */
export function tokenFaults(path: string | undefined): readonly Fault[] {
  try {
    readAdminToken(path)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
