/** The installed program: its folder, its version and its output. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json: a parent of `src/`, of `dist/` and of the compiled tests. */
export const packageRoot = nearestPackage(import.meta.dirname)

function nearestPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : nearestPackage(dirname(folder))
}

/** The release of this program, from package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}

/** The flag with which no signal opens Node's debugger; child processes need it too. */
export const noDebugger = '--disable-sigusr1'

/** By default Node lets garbage grow with the memory of the machine. */
export const littleGarbage = '--max-semi-space-size=8'

/** Returns the version of the program and of the Node that runs it. */
export function versionLine(): string {
  return `${packageVersion()} (Node ${process.versions.node})`
}

/**
 * Writes a line to standard output; if its reader is slow, waits until the reader has caught up.
 */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

/**
 * Ends the process silently when the reader of its output has ended, as in `… | head`. After
 * another error of standard output, prints the error and exits with 1.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`standard output: ${error.message}\n`)
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  // Errors of standard error are ignored, because there is no other place to report them.
  process.stderr.on('error', () => {})
}
