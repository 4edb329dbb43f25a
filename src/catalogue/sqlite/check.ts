import { execFile } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkFile } from './check-file.ts'
import type { CheckMode, Verdict } from './check-file.ts'

export interface Check {
  /** Rejects when it could not be checked, or not to the end. */
  readonly verdict: Promise<Verdict>
  stop(): void
}

export interface CheckOptions {
  readonly path: string
  readonly mode: CheckMode
  /** A file up to this size is checked at once. */
  readonly atOnceUpTo: number
}

/** The file beside this one, under whichever suffix this one runs: `.ts` in tests, `.js` when built. */
const program = fileURLToPath(import.meta.url).replace(/check(\.[jt]s)$/, 'check-process$1')

/**
 * Checks a large database in a process of its own: SQLite cannot be interrupted from here, and a thread would keep this
 * process from ending as long as it is at it.
 */
export function startCheck({ path, mode, atOnceUpTo }: CheckOptions): Check {
  if (statSync(path).size <= atOnceUpTo)
    return {
      verdict: new Promise((resolve) => {
        resolve(checkFile(path, mode))
      }),
      stop: () => undefined,
    }
  let child: ChildProcess | undefined
  const verdict = new Promise<Verdict>((resolve, reject) => {
    const args = [...process.execArgv, program, mode, path]
    child = execFile(process.execPath, args, (error, output) => {
      if (error === null) resolve(JSON.parse(output) as Verdict)
      else reject(new Error(`${path} could not be checked`, { cause: error }))
    })
  })
  return { verdict, stop: () => void child?.kill('SIGKILL') }
}
