/** Where this program is installed, and which release of it. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json, above `src/`, above `dist/` and above what the tests are compiled to. */
export const packageRoot = nearestPackage(import.meta.dirname)

function nearestPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : nearestPackage(dirname(folder))
}

/** The version in package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
