import { readFileSync } from 'node:fs'
import { ConfigError } from './config/config-error.ts'

/**
 * Reads the token by which administrators are known; `undefined` when no file is configured.
 * @throws ConfigError when the file is missing, unreadable or no token
 */
export function readAdminToken(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const fault = (problem: string): ConfigError =>
    new ConfigError([
      { source: path, key: 'admin_token_file', message: `admin_token_file ${problem}` },
    ])
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw fault(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
  }
  const token = text.trim()
  // What cannot be sent in a header would be a token that never fits.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw fault('must hold a token: one line of printable ASCII without spaces')
  return token
}
