import { execFile } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { isCorruption } from './corruption.ts'

/** What a check of all pages found. */
export interface Verdict {
  /** `undefined` when the database is sound. */
  readonly fault: string | undefined
}

/** `look` at one that is in use, or `seal` a copy that nobody has open, which makes it a single file. */
export type CheckMode = 'look' | 'seal'

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
const program = fileURLToPath(import.meta.url).replace(/(\.[jt]s)$/, '-process$1')

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

/** Checks a database file in this process. */
export function checkFile(path: string, mode: CheckMode): Verdict {
  try {
    const db = new Sqlite(path, { readonly: mode === 'look', fileMustExist: true, timeout: 5000 })
    try {
      if (mode === 'seal') db.pragma('journal_mode = DELETE')
      return { fault: faultOf(db) }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return { fault: error.message }
  }
}

/** Checks all pages, at 200 to 400 MB a second from memory; returns what is wrong with the first that is damaged. */
export function faultOf(db: Database): string | undefined {
  const found = db.pragma('quick_check(1)', { simple: true })
  return found === 'ok' ? undefined : String(found)
}
