/** The folder and version of the installed program. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json: a parent of `src/`, of `dist/` and of the compiled tests. */
export const packageRoot = nearestPackage(import.meta.dirname)

function nearestPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : nearestPackage(dirname(folder))
}

/** The version in package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}

/** The version of the program, and of the Node that runs it. */
export function versionLine(): string {
  return `${packageVersion()} (Node ${process.versions.node})`
}
