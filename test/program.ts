import { join } from 'node:path'

/** The reason of a daemon's failure: its error output is one JSON line. */
export function failureReason(stderr: string): string {
  const { level, msg, reason } = JSON.parse(stderr) as Record<string, string>
  return level === 'fatal' && msg === 'start failed' ? (reason ?? stderr) : stderr
}

/**
 * What a process with an environment of its own still has of ours: the cache that halves the work
 * of a start (`all.js`), and `npm run coverage`.
 */
export const kept: Readonly<Record<string, string>> = Object.fromEntries(
  ['NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
)

/** Begins a command line that has nothing else of our environment, as the runner's hooks. */
export const bare = ['env', '-i', ...Object.entries(kept).map((each) => each.join('='))] as const

/** The command line with which users start the program. */
export function programLine(args: readonly string[]): [command: string, args: string[]] {
  return [process.execPath, [join(process.cwd(), 'src/cli.js'), ...args]]
}
