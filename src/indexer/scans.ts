/** Runs the scans of the archive one at a time, and queues the rescans that an administrator orders. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ScanSummary } from '../catalogue/records.ts'
import type { CatalogueWriter } from '../catalogue/writer.ts'
import type {
  RescanNumbers,
  RescanOrder,
  RescanOutcome,
  RescanPlace,
} from '../control-socket/protocol.ts'
import { areas } from '../parse/archive-path.ts'
import { failureFields } from '../runtime/logger.ts'
import type { IndexerMetrics } from './state/metrics.ts'
import type { Health } from './state/health.ts'
import type { Beat } from './state/heartbeat.ts'
import type { ReconcileLoop, ScanResult } from './reconcile-loop.ts'

/** Time between two attempts to scan the whole archive, if it could not be read or written completely. */
const retryMs = 5000

/** A scan could not read the archive or write all changes, or the indexer has a problem after the only scan of `index --once`. */
export class IncompleteScan extends Error {
  readonly code = 'INCOMPLETE_SCAN'
}

export interface ScansDeps {
  readonly writer: CatalogueWriter
  readonly logger: Logger
  readonly health: Health
  readonly metrics: Pick<IndexerMetrics, 'fullyRead'>
  readonly beat: Beat
  readonly reconcileLoop: ReconcileLoop
  /** Absolute path of the archive root. */
  readonly archive: string
}

/** Runs scans one at a time and stores the summary of each complete scan of the whole archive. */
export interface Scans {
  /** @param full true reads sizes and times in all directories; false reads only names in cold directories */
  readonly scan: (roots: readonly string[], full: boolean) => Promise<ScanResult>
  /**
   * Scans the whole archive. If the archive cannot be read, or some changes cannot be written, tries again when `patient`.
   * @throws IncompleteScan when not `patient`
   */
  scanAll(patient: boolean): Promise<ScanSummary>
}

export function openScans(deps: ScansDeps): Scans {
  const { writer, logger, health, metrics, beat, reconcileLoop, archive } = deps
  let previous: Promise<unknown> = Promise.resolve()
  const scanNow = async (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    health.enter('scanning')
    const result = await reconcileLoop.scan(roots, full ? 'facts' : 'auto')
    if (isComplete(result) && areas.every((area) => roots.includes(area))) {
      health.scanned(result.summary)
      health.report('archive', undefined)
      if (full) metrics.fullyRead()
      await writer.scanned(result.summary).catch((error: unknown) => {
        // The records are written. If no earlier summary is stored either, the next start scans again.
        logger.error(failureFields(error), 'the summary of the scan cannot be stored')
      })
      await beat(result.summary.startedUs, 0)
    }
    health.enter('watching')
    return result
  }
  const scan = (roots: readonly string[], full: boolean): Promise<ScanResult> => {
    const next = previous.then(() => scanNow(roots, full))
    previous = next.catch(() => undefined)
    return next
  }
  return {
    scan,
    async scanAll(patient) {
      for (;;) {
        const result = await scan(areas, false)
        if (isComplete(result)) return result.summary
        const problem = result.archiveRead
          ? 'some changes could not be written'
          : `${archive} contains no readable obs/ or nrt/: mount the archive, or set archive to its path`
        health.report('archive', problem)
        if (!patient) throw new IncompleteScan(problem)
        await delay(retryMs, undefined, { ref: false })
      }
    },
  }
}

function isComplete({ archiveRead, written }: ScanResult): boolean {
  return archiveRead && written
}

/** Runs rescans one at a time; orders that arrive meanwhile are merged into one waiting rescan. */
export interface Rescans {
  /** @returns the number of the rescan, and whether it runs, waits, or was merged with the waiting one */
  order(order: RescanOrder): { number: number; place: RescanPlace }
  readonly numbers: RescanNumbers
  /** Returns the outcome of one of the last thousand rescans that have ended. */
  outcome(number: number): RescanOutcome | undefined
}

/** Number of outcomes that are kept for the clients that wait for the end of a rescan. */
const mostOutcomes = 1000

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
  const outcomes = new Map<number, RescanOutcome>()
  const run = async (): Promise<void> => {
    for (let next = waiting; next !== undefined; next = waiting) {
      running = next
      waiting = undefined
      deps.acceptRemovals(next.accepted)
      const result = await deps.scan(next.roots, next.full)
      const outcome = outcomeOf(next, result)
      logEnd(deps.logger, next, result, outcome)
      outcomes.set(next.number, outcome)
      outcomes.delete(next.number - mostOutcomes)
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
    outcome: (number) => outcomes.get(number),
  }
}

function outcomeOf(
  { roots }: QueuedRescan,
  { summary: { added, modified, removed }, archiveRead, written }: ScanResult,
): RescanOutcome {
  const readsAreas = roots.some((root) => areas.some((area) => area === root))
  const problem =
    !archiveRead && readsAreas
      ? 'the archive could not be read'
      : written
        ? null
        : 'some changes could not be written and are tried again'
  return { added, modified, removed, problem }
}

function logEnd(
  logger: Logger,
  { number, roots, full }: QueuedRescan,
  { summary: { startedUs, endedUs, ...counts } }: ScanResult,
  { problem }: RescanOutcome,
): void {
  const seconds = Math.round((endedUs - startedUs) / 1000) / 1000
  const fields = { rescan: number, paths: roots, full, ...counts, seconds }
  if (problem === null) logger.info(fields, 'rescan ended')
  else logger.warn(fields, `rescan ended: ${problem}`)
}

/** Returns the union of two lists of roots, without roots that are below another root. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  const all = [...new Set([...a, ...b])]
  return all.filter((root) => !all.some((other) => root.startsWith(`${other}/`)))
}
