/**
 * The state of the indexer with its problems, for the status and the log, and the log of files with
 * damaged gzip streams.
 */
import type { Logger } from 'pino'
import type { ScanSummary } from '../../catalogue/records.ts'
import type { IndexerProblem, IndexerState, IndexerStatus } from '../../control-socket/protocol.ts'
import type { Clock } from '../../runtime/clock.ts'

/** The state of the indexer while it has no problem. */
type Phase = 'starting' | 'scanning' | 'watching'

/** The fields of the status that this module stores. */
type OwnStatus = Pick<
  IndexerStatus,
  | 'state'
  | 'sinceUs'
  | 'problems'
  | 'notCurrent'
  | 'pid'
  | 'startedUs'
  | 'version'
  | 'lastScan'
  | 'lastSweepUs'
>

interface HealthParts {
  readonly logger: Logger
  readonly nowUs: Clock
  readonly version: string
}

/** A problem of the database. */
export function databaseProblem(text: string): IndexerProblem {
  const advice =
    'Check the free space for the database, and the permissions of its directory or its server; the indexer tries again by itself.'
  return { text, advice }
}

/** The health of the indexer: its phase, and the problems that make it `degraded`. */
export class Health {
  readonly #parts: HealthParts
  readonly #startedUs: number
  readonly #problems = new Map<string, IndexerProblem>()
  #phase: Phase = 'starting'
  #sinceUs: number
  #lastScan: ScanSummary | undefined
  #lastSweepUs: number | undefined

  constructor(parts: HealthParts & { readonly lastScan: ScanSummary | undefined }) {
    this.#parts = parts
    this.#lastScan = parts.lastScan
    this.#sinceUs = parts.nowUs()
    this.#startedUs = Math.round(this.#sinceUs - process.uptime() * 1e6)
  }

  /** The last complete scan, by this process or an earlier one. */
  get lastScan(): ScanSummary | undefined {
    return this.#lastScan
  }

  get #state(): IndexerState {
    return this.#problems.size > 0 ? 'degraded' : this.#phase
  }

  #change(update: () => void): void {
    const before = this.#state
    update()
    if (this.#state !== before) this.#sinceUs = this.#parts.nowUs()
  }

  enter(phase: Phase): void {
    this.#change(() => (this.#phase = phase))
  }

  /**
   * Sets a problem by its name; `undefined` ends it. Logs `degraded` at its beginning and
   * `recovered` at its end.
   * @returns true if this call ended a problem
   */
  report(name: string, problem: IndexerProblem | undefined): boolean {
    const before = this.#problems.get(name)
    if (problem !== undefined) {
      if (before === undefined) this.#parts.logger.error({ problem: problem.text }, 'degraded')
      this.#change(() => this.#problems.set(name, problem))
    } else if (before !== undefined) {
      this.#parts.logger.info({ problem: before.text }, 'recovered')
      this.#change(() => this.#problems.delete(name))
      return true
    }
    return false
  }

  /**
   * The text of the first problem that keeps the catalogue from following the tree: the archive, an
   * area or the database cannot be read or written. Other problems concern single directories, or
   * only delay changes.
   * @param except name of a problem that does not count
   */
  notCurrent(except?: string): string | undefined {
    const problems = Array.from(this.#problems)
    return problems.find(([name]) => name !== except && stopsCatalogue(name))?.[1].text
  }

  swept(): void {
    this.#lastSweepUs = this.#parts.nowUs()
  }

  scanned(summary: ScanSummary): void {
    this.#lastScan = summary
  }

  status(now: Omit<IndexerStatus, keyof OwnStatus>): IndexerStatus {
    // Two problems may have one cause.
    const byText = new Map(Array.from(this.#problems.values(), (each) => [each.text, each]))
    return {
      state: this.#state,
      sinceUs: this.#sinceUs,
      problems: [...byText.values()],
      notCurrent: this.notCurrent(),
      pid: process.pid,
      startedUs: this.#startedUs,
      version: this.#parts.version,
      lastScan: this.#lastScan,
      lastSweepUs: this.#lastSweepUs,
      ...now,
    }
  }
}

/** True if the catalogue does not follow the tree while there is the problem. */
function stopsCatalogue(name: string): boolean {
  return (
    ['archive', 'tree', 'database', 'server', 'as of'].includes(name) || name.startsWith('area ')
  )
}

/** The fault in the gzip stream of a file. */
export type FileFault = 'incomplete' | 'broken'

/**
 * Maximum number of files whose logged faults are stored, because a damaged disk may have any
 * number of them.
 */
const mostFiles = 10_000

const messages: Readonly<Record<FileFault, string>> = {
  incomplete: 'gzip stream of a file has no end',
  broken: 'gzip stream of a file is damaged',
}

/** Logs the faults of files. */
export class FileFaults {
  readonly #logger: Logger
  readonly #logged = new Map<string, FileFault>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Logs a fault of a file. If the file is read again, the same fault is not logged again, unless
   * `mostFiles` later faults have displaced it.
   */
  log(path: string, fault: FileFault): void {
    if (this.#logged.get(path) === fault) return
    this.#logged.set(path, fault)
    const [oldest] = this.#logged.keys()
    if (this.#logged.size > mostFiles && oldest !== undefined) this.#logged.delete(oldest)
    this.#logger.warn({ path }, messages[fault])
  }
}
