/** Queues the rescans that an administrator orders, and remembers what they changed. */
import type { Logger } from 'pino'
import type {
  EndedRescan,
  RescanNumbers,
  RescanOrder,
  RescanOutcome,
  RescanTicket,
} from '../control-socket/protocol.ts'
import type { Layout } from '../parse/layout.ts'
import { isWithin } from '../parse/layout.ts'
import type { DeletionGuard } from './guard/deletion-guard.ts'
import type { ScanResult } from './mark/scan-progress.ts'
import type { Scans } from './scans.ts'
import type { IndexerContext } from './state/context.ts'

/** Number of outcomes that are kept for the clients that wait for the end of a rescan. */
const mostOutcomes = 1000

/** Number of rescans that the status describes, and of the directories of each. */
const mostDescribed = 10

interface QueuedRescan {
  readonly number: number
  roots: readonly string[]
  /** Roots in which removals are accepted. An order without `acceptRemovals` never adds to them. */
  accepted: readonly string[]
}

type RescanContext = Pick<IndexerContext, 'layout' | 'logger' | 'onFailure'> & {
  readonly deletionGuard: Pick<DeletionGuard, 'permitWithheld'>
}

/** Runs rescans one at a time; orders that arrive meanwhile are merged into one waiting rescan. */
export class Rescans {
  readonly #context: RescanContext
  readonly #scans: Pick<Scans, 'scan'>
  readonly #outcomes = new Map<number, RescanOutcome>()
  #ended: readonly EndedRescan[] = []
  #last = 0
  #done = 0
  #running: QueuedRescan | undefined
  #waiting: QueuedRescan | undefined

  constructor(context: RescanContext, scans: Pick<Scans, 'scan'>) {
    this.#context = context
    this.#scans = scans
  }

  get numbers(): RescanNumbers {
    return { running: this.#running?.number, waiting: this.#waiting?.number, done: this.#done }
  }

  /** The last rescans that have ended, the newest first. */
  get ended(): readonly EndedRescan[] {
    return this.#ended
  }

  /** Returns the outcome of one of the last thousand rescans that have ended. */
  outcome(number: number): RescanOutcome | undefined {
    return this.#outcomes.get(number)
  }

  /**
   * @returns the number of the rescan, and whether it runs, waits, or was merged with the waiting
   * one
   */
  order({ path, acceptRemovals }: RescanOrder): RescanTicket {
    const roots = this.#context.layout.listedBelow(path ?? '')
    // What is in no area any more is also meant.
    const accepted = acceptRemovals ? [path ?? ''] : []
    if (this.#waiting !== undefined) {
      const waiting = this.#waiting
      waiting.roots = merge(waiting.roots, roots)
      waiting.accepted = merge(waiting.accepted, accepted)
      return { number: waiting.number, place: 'merged' }
    }
    const number = ++this.#last
    this.#waiting = { number, roots, accepted }
    if (this.#running !== undefined) return { number, place: 'waiting' }
    this.#run().catch(this.#context.onFailure)
    return { number, place: 'running' }
  }

  async #run(): Promise<void> {
    const { deletionGuard, layout, logger } = this.#context
    for (let next = this.#waiting; next !== undefined; next = this.#waiting) {
      this.#running = next
      this.#waiting = undefined
      deletionGuard.permitWithheld(next.accepted)
      const result = await this.#scans.scan(next.roots)
      const outcome = outcomeOf(next, result, layout)
      logEnd(logger, next, result, outcome)
      this.#outcomes.set(next.number, outcome)
      this.#outcomes.delete(next.number - mostOutcomes)
      this.#ended = [endedOf(next, result, outcome), ...this.#ended].slice(0, mostDescribed)
      this.#done = next.number
      this.#running = undefined
    }
  }
}

function outcomeOf(
  { roots }: QueuedRescan,
  { summary: { added, modified, removed }, archiveRead, written }: ScanResult,
  layout: Layout,
): RescanOutcome {
  const readsAreas = roots.some(layout.isRoot)
  const problem =
    !archiveRead && readsAreas
      ? 'the archive could not be read'
      : written
        ? null
        : 'some changes could not be written and are tried again'
  return { added, modified, removed, problem }
}

function endedOf(
  { number, roots, accepted }: QueuedRescan,
  { summary: { startedUs, endedUs } }: ScanResult,
  outcome: RescanOutcome,
): EndedRescan {
  const paths = roots.slice(0, mostDescribed).map((root) => (root === '' ? '.' : root))
  const acceptedRemovals = accepted.length > 0
  const ordered = { number, paths, pathCount: roots.length, acceptedRemovals }
  return { ...ordered, startedUs, endedUs, ...outcome }
}

function logEnd(
  logger: Logger,
  { number, roots }: QueuedRescan,
  { summary: { startedUs, endedUs, ...counts } }: ScanResult,
  { problem }: RescanOutcome,
): void {
  const seconds = Math.round((endedUs - startedUs) / 1000) / 1000
  const fields = { rescan: number, paths: roots, ...counts, seconds }
  if (problem === null) logger.info(fields, 'rescan ended')
  else logger.warn(fields, `rescan ended: ${problem}`)
}

/** Returns the union of two lists of roots, without roots that are below another root. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  const all = [...new Set([...a, ...b])]
  return all.filter((root) => !all.some((other) => root !== other && isWithin(root, other)))
}
