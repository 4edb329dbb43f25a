import { statSync } from 'node:fs'
import { startCheck } from './integrity-check.ts'
import type { Check } from './integrity-check.ts'

/** While the database is checked the log cannot be reset; this large, the check is aborted. */
const largestLogBytes = 64 * 1024 * 1024
const retryMs = 600_000

/** What became of the check of a database that was too large to be checked before it was opened. */
export interface StartupCheckOutcome {
  readonly fault: string | undefined
  /** Why it could not be checked; it is tried again. */
  readonly error: Error | undefined
  readonly tookMs: number
}

/** Checks a database aside while it is already used. */
export interface StartupCheck {
  /** What is wrong with the database, once that is known. */
  readonly fault: string | undefined
  /** To be called after a commit. */
  committed(): void
  stop(): void
}

export function openStartupCheck(options: {
  readonly path: string
  readonly onEnd: ((outcome: StartupCheckOutcome) => void) | undefined
  /** Size of the log (bytes) that aborts the check. */
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
