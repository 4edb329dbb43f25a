import { statSync } from 'node:fs'
import { startCheck } from './check.ts'
import type { Check } from './check.ts'

/** While the database is checked the log cannot be reset; this large, the check gives way to what is written. */
const largestLogBytes = 64 * 1024 * 1024
const retryMs = 600_000

/** What became of the check of a database that was too large to be checked before it was opened. */
export interface StartCheckOutcome {
  readonly fault: string | undefined
  /** Why it could not be checked; it is tried again. */
  readonly error: Error | undefined
  readonly tookMs: number
}

/** Checks a database aside while it is already used. */
export interface StartCheck {
  /** What is wrong with the database, once that is known. */
  readonly fault: string | undefined
  /** To be called after a commit. */
  committed(): void
  stop(): void
}

export function openStartCheck(options: {
  readonly path: string
  readonly onEnd: ((outcome: StartCheckOutcome) => void) | undefined
  /** Size of the log (bytes) that makes the check give way. */
  readonly largestLog?: number
}): StartCheck {
  const { path, onEnd, largestLog = largestLogBytes } = options
  let check: Check | undefined
  let timer: NodeJS.Timeout | undefined
  let fault: string | undefined
  let gaveWay = false
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
    gaveWay = false
    check = startCheck({ path, mode: 'look', atOnceUpTo: 0 })
    check.verdict.then(
      (verdict) => {
        end(verdict.fault, undefined)
      },
      (error: unknown) => {
        end(undefined, gaveWay ? new Error('it gave way to writing') : (error as Error))
      },
    )
  }
  begin()
  return {
    get fault() {
      return fault
    },
    committed() {
      if (check === undefined || gaveWay) return
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
      gaveWay = (log?.size ?? 0) > largestLog
      if (gaveWay) check.stop()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      check?.stop()
    },
  }
}
