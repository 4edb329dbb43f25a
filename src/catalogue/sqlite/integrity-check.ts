import { execFile } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { isCorruption } from './corruption.ts'

/** Result of a check of all pages. */
export interface CheckResult {
  /** `undefined` if the database is sound. */
  readonly fault: string | undefined
}

/** `in-use` opens the database read-only; `closed` is for a copy that no process has open, and makes it a single file. */
export type CheckMode = 'in-use' | 'closed'

export interface Check {
  /** Rejects if the check failed or was stopped. */
  readonly result: Promise<CheckResult>
  stop(): void
}

export interface CheckOptions {
  readonly path: string
  readonly mode: CheckMode
  /** A file up to this size (bytes) is checked in this process. */
  readonly inProcessUpTo: number
}

/** The program beside this file, with the same suffix: `.ts` in tests, `.js` when built. */
const program = fileURLToPath(import.meta.url).replace(/(\.[jt]s)$/, '-process$1')

/**
 * Checks a large database in a child process: a query of SQLite cannot be interrupted from here, and a worker thread would
 * keep this process alive until the check ends.
 */
export function startCheck({ path, mode, inProcessUpTo }: CheckOptions): Check {
  if (statSync(path).size <= inProcessUpTo)
    return {
      result: new Promise((resolve) => {
        resolve(checkFile(path, mode))
      }),
      stop: () => undefined,
    }
  let child: ChildProcess | undefined
  const result = new Promise<CheckResult>((resolve, reject) => {
    const args = [...process.execArgv, program, mode, path]
    child = execFile(process.execPath, args, (error, output) => {
      if (error === null) resolve(JSON.parse(output) as CheckResult)
      else reject(new Error(`${path} could not be checked`, { cause: error }))
    })
  })
  return { result, stop: () => void child?.kill('SIGKILL') }
}

/** Checks a database file in this process. */
export function checkFile(path: string, mode: CheckMode): CheckResult {
  try {
    const db = new Sqlite(path, { readonly: mode === 'in-use', fileMustExist: true, timeout: 5000 })
    try {
      if (mode === 'closed') db.pragma('journal_mode = DELETE')
      return { fault: faultOf(db) }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return { fault: error.message }
  }
}

/** Checks all pages, 200 to 400 MB a second from memory; returns the first fault. */
export function faultOf(db: Database): string | undefined {
  const found = db.pragma('quick_check(1)', { simple: true })
  return found === 'ok' ? undefined : String(found)
}
