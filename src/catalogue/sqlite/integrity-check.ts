/**
 * Checks all pages of a database. A large database is checked in a child process, which also runs this file. It is no worker
 * thread, because SQLite cannot interrupt this query: a thread would keep the indexer alive until the check ends, while a child
 * process can be killed.
 */
import { execFile } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'
import { errorCode } from '../../runtime/error-code.ts'

/** Maximum time of a check in a child process, in milliseconds. */
const maxMs = 600_000

/** True for errors which say that a file is not an SQLite database, or is damaged. */
export function isCorruption(error: unknown): error is Error {
  const code = errorCode(error)
  return /^SQLITE_(NOTADB|CORRUPT)/.test(code)
}

/** Creates an error for which `isCorruption` is true. */
export function corruption(fault: string): Error {
  return new Sqlite.SqliteError(fault, 'SQLITE_CORRUPT')
}

/** Checks all pages and returns the first fault, or `undefined`. Checks 200 to 400 MB per second if they are in memory. */
export function faultOf(db: Database): string | undefined {
  const found = db.pragma('quick_check(1)', { simple: true })
  return found === 'ok' ? undefined : String(found).replace('*** in database main ***\n', '')
}

/**
 * `in-use` opens the database read-only. `closed` is for a copy that no process has open; it ends the WAL mode, so that the copy
 * is a single file.
 */
export type CheckMode = 'in-use' | 'closed'

/**
 * Checks a database file. @returns its fault, `undefined` for a sound one
 * @param options.inProcessUpTo a file up to this size (bytes) is checked in this process
 * @throws if the check could not be made, or was aborted
 */
export async function checkFile(
  path: string,
  options: {
    readonly mode: CheckMode
    readonly inProcessUpTo: number
    readonly signal: AbortSignal
  },
): Promise<string | undefined> {
  const { mode, inProcessUpTo, signal } = options
  signal.throwIfAborted()
  if (statSync(path).size <= inProcessUpTo) return checkHere(path, mode)
  const args = [...process.execArgv, import.meta.filename, mode, path]
  const limits = { signal, timeout: maxMs, killSignal: 'SIGKILL' } as const
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, limits)
    return stdout === '' ? undefined : stdout
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(`${path} could not be checked`, { cause: error })
  }
}

function checkHere(path: string, mode: CheckMode): string | undefined {
  try {
    const db = new Sqlite(path, { readonly: mode === 'in-use', fileMustExist: true, timeout: 5000 })
    try {
      if (mode === 'closed') db.pragma('journal_mode = DELETE')
      return faultOf(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isCorruption(error)) throw error
    return error.message
  }
}

/** The result of checking a database that was too large to be checked before it was opened. */
export interface StartupCheckOutcome {
  readonly fault: string | undefined
  /** The reason why the check could not be made. */
  readonly error: Error | undefined
  readonly tookMs: number
}

/**
 * Starts checking a database while it is in use.
 * @returns a function that returns the fault after the check has found one, otherwise `undefined`
 */
export function startupCheck(
  path: string,
  signal: AbortSignal,
  onEnd?: (outcome: StartupCheckOutcome) => void,
): () => string | undefined {
  const startedMs = performance.now()
  let fault: string | undefined
  const end = (error?: Error): void => {
    const tookMs = Math.round(performance.now() - startedMs)
    if (!signal.aborted) onEnd?.({ fault, error, tookMs })
  }
  checkFile(path, { mode: 'in-use', inProcessUpTo: 0, signal }).then((found) => {
    fault = found
    end()
  }, end)
  return () => fault
}

/**
 * Reads the whole file once, so that it is in the page cache. The check itself reads pages in random order, which takes many
 * times as long from a disk, and the WAL cannot be reset during the check, so the check should be short. Only a process that
 * does not have the database open may call this function, because closing any descriptor of a file drops the locks of the
 * process on that file.
 */
function readAhead(path: string): void {
  const file = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  while (readSync(file, buffer) > 0);
  closeSync(file)
}

/** The child process. Its arguments are `MODE FILE`; it prints the fault. */
if (process.argv[1] === import.meta.filename) {
  const [, , mode, path = ''] = process.argv
  readAhead(path)
  process.stdout.write(checkHere(path, mode as CheckMode) ?? '')
}
