import { statSync } from 'node:fs'
import { startCheck } from './integrity-check.ts'
import type { Check } from './integrity-check.ts'

/** During the check the WAL cannot be reset; at this size the check is aborted. */
const largestLogBytes = 64 * 1024 * 1024
const retryMs = 600_000

/** The result of checking a database that was too large to be checked before it was opened. */
export interface StartupCheckOutcome {
  readonly fault: string | undefined
  /** Why the check failed; it is repeated. */
  readonly error: Error | undefined
  readonly tookMs: number
}

/** Checks a database in a separate process while it is in use. */
export interface StartupCheck {
  /** The fault of the database, as soon as it is known. */
  readonly fault: string | undefined
  /** Call after each commit. */
  committed(): void
  stop(): void
}

export function openStartupCheck(options: {
  readonly path: string
  readonly onEnd: ((outcome: StartupCheckOutcome) => void) | undefined
  /** Size of the WAL in bytes that aborts the check. */
  readonly largestLog?: number
}): StartupCheck {
  const { path, onEnd, largestLog = largestLogBytes } = options
  let check: Check | undefined
  let timer: NodeJS.Timeout | undefined
  let fault: string | undefined
  let aborted = false
  let stopped = false
  const begin = (): void => {
    const startedMs = performance.now()
    const end = (found: string | undefined, error: Error | undefined): void => {
      check = undefined
      if (stopped) return
      fault = found
      if (error !== undefined) timer = setTimeout(begin, retryMs).unref()
      onEnd?.({ fault, error, tookMs: Math.round(performance.now() - startedMs) })
    }
    aborted = false
    check = startCheck({ path, mode: 'in-use', inProcessUpTo: 0 })
    check.result.then(
      (result) => {
        end(result.fault, undefined)
      },
      (error: unknown) => {
        end(
          undefined,
          aborted ? new Error('integrity check aborted: the WAL grew too large') : (error as Error),
        )
      },
    )
  }
  begin()
  return {
    get fault() {
      return fault
    },
    committed() {
      if (check === undefined || aborted) return
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
      aborted = (log?.size ?? 0) > largestLog
      if (aborted) check.stop()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      check?.stop()
    },
  }
}
