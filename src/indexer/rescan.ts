import type { Logger } from 'pino'
import type { RescanNumbers, RescanOrder, RescanPlace } from '../control/protocol.ts'
import { areas } from '../parse/archive-path.ts'
import type { ScanResult } from './reconcile-loop.ts'

/** Runs rescans one at a time; orders that arrive meanwhile are merged into one waiting rescan. */
export interface Rescans {
  /** @returns the number of the rescan, and whether it runs, waits, or was merged with the waiting one */
  order(order: RescanOrder): { number: number; place: RescanPlace }
  readonly numbers: RescanNumbers
}

export interface RescansDeps {
  readonly scan: (roots: readonly string[], full: boolean) => Promise<ScanResult>
  readonly acceptRemovals: (roots: readonly string[]) => void
  readonly logger: Logger
  /** Called when a scan fails. */
  readonly onFailure: (error: unknown) => void
}

interface QueuedRescan {
  readonly number: number
  roots: readonly string[]
  full: boolean
  /** Roots in which removals are accepted. An order without `acceptRemovals` never adds to them. */
  accepted: readonly string[]
}

export function openRescans(deps: RescansDeps): Rescans {
  let last = 0
  let running: QueuedRescan | undefined
  let waiting: QueuedRescan | undefined
  let done = 0
  const run = async (): Promise<void> => {
    for (let next = waiting; next !== undefined; next = waiting) {
      running = next
      waiting = undefined
      deps.acceptRemovals(next.accepted)
      logEnd(deps.logger, next, await deps.scan(next.roots, next.full))
      done = next.number
      running = undefined
    }
  }
  return {
    order({ path, full, acceptRemovals }) {
      const roots = path === undefined ? areas : [path]
      const accepted = acceptRemovals ? roots : []
      if (waiting !== undefined) {
        waiting.roots = merge(waiting.roots, roots)
        waiting.full ||= full
        waiting.accepted = merge(waiting.accepted, accepted)
        return { number: waiting.number, place: 'merged' }
      }
      waiting = { number: ++last, roots, full, accepted }
      if (running !== undefined) return { number: last, place: 'waiting' }
      run().catch(deps.onFailure)
      return { number: last, place: 'running' }
    },
    get numbers() {
      return { running: running?.number, waiting: waiting?.number, done }
    },
  }
}

function logEnd(logger: Logger, { number, roots, full }: QueuedRescan, result: ScanResult): void {
  const { startedUs, endedUs, ...counts } = result.summary
  const seconds = Math.round((endedUs - startedUs) / 1000) / 1000
  const fields = { rescan: number, paths: roots, full, ...counts, seconds }
  if (!result.archiveRead && roots.some((root) => areas.some((area) => area === root)))
    logger.warn(fields, 'rescan ended: the archive could not be read')
  else if (!result.written)
    logger.warn(fields, 'rescan ended: some changes could not be written and are tried again')
  else logger.info(fields, 'rescan ended')
}

/** The union of both, without roots below another root. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  const all = [...new Set([...a, ...b])]
  return all.filter((root) => !all.some((other) => root.startsWith(`${other}/`)))
}
