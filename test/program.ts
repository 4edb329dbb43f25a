import { join } from 'node:path'

/**
 * The command line that starts the program as its users do. The test runner puts hooks into every Node process that a test
 * starts, by NODE_OPTIONS; with them the start of one takes several times as long.
 */
export function programLine(args: readonly string[]): [command: string, args: string[]] {
  const cli = join(process.cwd(), 'dist/cli.js')
  return ['env', ['-u', 'NODE_OPTIONS', process.execPath, cli, ...args]]
}
