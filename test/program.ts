import { join } from 'node:path'

/** The command line with which users start the program. */
export function programLine(args: readonly string[]): [command: string, args: string[]] {
  return [process.execPath, [join(process.cwd(), 'dist/cli.js'), ...args]]
}
