import { join } from 'node:path'

/** The command line that starts the program as its users do. */
export function programLine(args: readonly string[]): [command: string, args: string[]] {
  return [process.execPath, [join(process.cwd(), 'dist/cli.js'), ...args]]
}
