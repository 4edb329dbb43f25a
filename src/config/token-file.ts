import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './checks.ts'

/** Longest token (bytes): half the server's limit for all headers of a request. */
const longestToken = 4096

/** The options that name a file with a token. */
type TokenKey = 'admin_token_file' | 'alerts_secret_file'

/**
 * Reads a token; `undefined` when no file is configured.
 * @throws ConfigError when the path is no readable file, or its content cannot be sent as a token
 */
export function readToken(key: TokenKey, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const fault = (problem: string): ConfigError =>
    new ConfigError([{ source: path, key, message: `${key} ${problem}` }])
  let text: string | undefined
  try {
    // Reading a pipe could wait for ever.
    text = statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw fault(`cannot be read: ${code}, set it to a file that this user may read`)
  }
  if (text === undefined) throw fault('must be a file')
  const token = text.trim()
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw fault('must contain a token: one line of printable ASCII without spaces')
  if (token.length > longestToken)
    throw fault(`must contain a token of at most ${longestToken} bytes, found ${token.length}`)
  return token
}
