import type { Logger } from 'pino'
import type { ScanSummary } from '../catalogue/records.ts'
import type { IndexerState, IndexerStatus } from '../control/protocol.ts'

/** What the indexer is doing when nothing is wrong. */
type Phase = 'starting' | 'scanning' | 'watching'

/** The part of the status that is kept here. */
type Kept = Pick<
  IndexerStatus,
  'state' | 'sinceUs' | 'reasons' | 'pid' | 'version' | 'lastScan' | 'lastSweepUs'
>

/** The account of how the indexer is: its phase, and the troubles that make it `degraded`. */
export interface Condition {
  enter(phase: Phase): void
  /**
   * Says what is wrong under a name, or, with `undefined`, that it is well again. Each is logged once.
   * @returns whether that ended a trouble
   */
  trouble(name: string, words: string | undefined): boolean
  swept(): void
  scanned(summary: ScanSummary): void
  status(now: Omit<IndexerStatus, keyof Kept>): IndexerStatus
}

export function openCondition(deps: {
  readonly logger: Logger
  readonly nowUs: () => number
  readonly version: string
  readonly lastScan: ScanSummary | undefined
}): Condition {
  const { logger, nowUs } = deps
  const troubles = new Map<string, string>()
  let phase: Phase = 'starting'
  let sinceUs = nowUs()
  let lastScan = deps.lastScan
  let lastSweepUs: number | undefined
  const state = (): IndexerState => (troubles.size > 0 ? 'degraded' : phase)
  const change = (work: () => void): void => {
    const before = state()
    work()
    if (state() !== before) sinceUs = nowUs()
  }
  return {
    enter(next) {
      change(() => (phase = next))
    },
    trouble(name, words) {
      const before = troubles.get(name)
      if (words !== undefined) {
        if (before === undefined) logger.error({ trouble: words }, 'degraded')
        change(() => troubles.set(name, words))
      } else if (before !== undefined) {
        logger.info({ trouble: before }, 'well again')
        change(() => troubles.delete(name))
        return true
      }
      return false
    },
    swept: () => {
      lastSweepUs = nowUs()
    },
    scanned: (summary) => {
      lastScan = summary
    },
    status: (now) => ({
      state: state(),
      sinceUs,
      reasons: [...troubles.values()],
      pid: process.pid,
      version: deps.version,
      lastScan,
      lastSweepUs,
      ...now,
    }),
  }
}
