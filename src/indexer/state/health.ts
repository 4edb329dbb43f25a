/** The state of the indexer with its problems, for the status and the log, and the log of files with damaged gzip streams. */
import type { Logger } from 'pino'
import type { ScanSummary } from '../../catalogue/records.ts'
import type { IndexerState, IndexerStatus } from '../../control-socket/protocol.ts'

/** The state of the indexer while it has no problem. */
type Phase = 'starting' | 'scanning' | 'watching'

/** The fields of the status that this module stores. */
type OwnStatus = Pick<
  IndexerStatus,
  | 'state'
  | 'sinceUs'
  | 'reasons'
  | 'notCurrent'
  | 'pid'
  | 'startedUs'
  | 'version'
  | 'lastScan'
  | 'lastSweepUs'
>

/** The health of the indexer: its phase, and the problems that make it `degraded`. */
export interface Health {
  enter(phase: Phase): void
  /**
   * Sets the message of a problem, by the name of the problem; `undefined` ends it. Logs `degraded` at its beginning and
   * `recovered` at its end.
   * @returns true if this call ended a problem
   */
  report(name: string, message: string | undefined): boolean
  /**
   * The first problem that keeps the catalogue from following the tree: the archive, an area or the database cannot be read or
   * written. Other problems concern single directories, or only delay changes.
   * @param except name of a problem that does not count
   */
  notCurrent(except?: string): string | undefined
  swept(): void
  scanned(summary: ScanSummary): void
  status(now: Omit<IndexerStatus, keyof OwnStatus>): IndexerStatus
}

export function openHealth(deps: {
  readonly logger: Logger
  readonly nowUs: () => number
  readonly version: string
  readonly lastScan: ScanSummary | undefined
}): Health {
  const { logger, nowUs } = deps
  const problems = new Map<string, string>()
  let phase: Phase = 'starting'
  const startedUs = Math.round(nowUs() - process.uptime() * 1e6)
  let sinceUs = nowUs()
  let lastScan = deps.lastScan
  let lastSweepUs: number | undefined
  const state = (): IndexerState => (problems.size > 0 ? 'degraded' : phase)
  const change = (update: () => void): void => {
    const before = state()
    update()
    if (state() !== before) sinceUs = nowUs()
  }
  const notCurrent = (except?: string): string | undefined =>
    Array.from(problems).find(([name]) => name !== except && stopsCatalogue(name))?.[1]
  return {
    enter(next) {
      change(() => (phase = next))
    },
    report(name, message) {
      const before = problems.get(name)
      if (message !== undefined) {
        if (before === undefined) logger.error({ problem: message }, 'degraded')
        change(() => problems.set(name, message))
      } else if (before !== undefined) {
        logger.info({ problem: before }, 'recovered')
        change(() => problems.delete(name))
        return true
      }
      return false
    },
    notCurrent,
    swept: () => {
      lastSweepUs = nowUs()
    },
    scanned: (summary) => {
      lastScan = summary
    },
    status: (now) => ({
      state: state(),
      sinceUs,
      // Two problems may have one cause.
      reasons: [...new Set(problems.values())],
      notCurrent: notCurrent(),
      pid: process.pid,
      startedUs,
      version: deps.version,
      lastScan,
      lastSweepUs,
      ...now,
    }),
  }
}

/** True if the catalogue does not follow the tree while there is the problem. */
function stopsCatalogue(name: string): boolean {
  return ['archive', 'tree', 'database', 'heartbeat'].includes(name) || name.startsWith('area ')
}

/** The fault in the gzip stream of a file. */
export type FileFault = 'incomplete' | 'broken'

/** Maximum number of files whose logged faults are stored, because a damaged disk may have any number of them. */
const mostFiles = 10_000

const messages: Readonly<Record<FileFault, string>> = {
  incomplete: 'gzip stream of a file has no end',
  broken: 'gzip stream of a file is damaged',
}

/**
 * Logs a fault of a file. If the file is read again, the same fault is not logged again, unless `mostFiles` later faults have
 * displaced it.
 */
export type LogFileFault = (path: string, fault: FileFault) => void

export function openFileFaults(logger: Logger): LogFileFault {
  const logged = new Map<string, FileFault>()
  return (path, fault) => {
    if (logged.get(path) === fault) return
    logged.set(path, fault)
    const [oldest] = logged.keys()
    if (logged.size > mostFiles && oldest !== undefined) logged.delete(oldest)
    logger.warn({ path }, messages[fault])
  }
}
