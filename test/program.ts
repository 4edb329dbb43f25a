import { join } from 'node:path'

/** The reason of a daemon's failure: its error output is one JSON line. */
export function failureReason(stderr: string): string {
  const { level, msg, reason } = JSON.parse(stderr) as Record<string, string>
  return level === 'fatal' && msg === 'start failed' ? (reason ?? stderr) : stderr
}

/** The command line with which users start the program. */
export function programLine(args: readonly string[]): [command: string, args: string[]] {
  return [process.execPath, [join(process.cwd(), 'src/cli.js'), ...args]]
}
