/** Where this program is installed, and which release of it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json: one above `src/` as well as one above `dist/`. */
export const packageRoot = fileURLToPath(new URL('..', import.meta.url))

/** The version in package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
