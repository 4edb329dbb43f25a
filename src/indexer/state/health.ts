/** The state of the indexer with its problems, for the status and the log. */
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

/**
 * What stops the catalogue from following the tree: the archive, an area or the database cannot be
 * read or written.
 */
const stopping = ['archive', 'tree', 'database', 'server', 'as of'] as const
type Stopping = (typeof stopping)[number] | `area ${string}`

/** What concerns single files, directories or file systems, or only delays changes. */
type Lesser =
  | 'watching'
  | 'checksums'
  | 'stored checksums'
  | `removals ${string}`
  | `entries ${string}`
  | `directory ${string}`
  | `times ${number}`

/** What a problem is about; there is one problem of each name at a time. */
export type ProblemName = Stopping | Lesser

function isStopping(name: ProblemName): boolean {
  return stopping.some((each) => each === name) || name.startsWith('area ')
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
  readonly #problems = new Map<ProblemName, IndexerProblem>()
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
  report(name: ProblemName, problem: IndexerProblem | undefined): boolean {
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
   * The text of the first problem that stops the catalogue from following the tree.
   * @param except name of a problem that does not count
   */
  notCurrent(except?: ProblemName): string | undefined {
    const problems = Array.from(this.#problems)
    return problems.find(([name]) => name !== except && isStopping(name))?.[1].text
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
