/**
 * The protocol of the indexer's control socket. Each request and each answer is a JSON object on
 * one line. The only access control is the file permissions of the socket.
 */
import type { ScanSummary } from '../catalogue/records.ts'

/** Clients use `stopped` if no indexer listens; the indexer never sends it. */
export type IndexerState = 'starting' | 'scanning' | 'watching' | 'degraded' | 'stopped'

/** A cause of the state `degraded`. */
export interface IndexerProblem {
  /** A sentence without a full stop. */
  readonly text: string
  /** What the operator can do: a sentence, with code in backticks. */
  readonly advice: string
}

/** The current state of the indexer. */
export interface IndexerStatus {
  readonly state: IndexerState
  /** Time at which this state began. */
  readonly sinceUs: number
  readonly problems: readonly IndexerProblem[]
  /** The text of the first problem for which the catalogue does not follow the tree. */
  readonly notCurrent: string | undefined
  readonly pid: number
  /** Start of the process. */
  readonly startedUs: number
  readonly version: string
  /** `undefined` if only one indexer can write the database, because it is a file. */
  readonly hosts?: IndexerHosts
  /** The progress of the running scan. */
  readonly scan: ScanProgress | undefined
  /** The last complete scan, by this process or an earlier one. */
  readonly lastScan: ScanSummary | undefined
  readonly lastSweepUs: number | undefined
  /** Number of directories in the queue of the reconcile loop. */
  readonly dirtyDirectories: number
  readonly watching: WatchCounts
  /** Number of files that are not complete yet. */
  readonly settlingFiles: number
  /**
   * Number of removed files that stay listed because the deletion guard withholds their removal.
   */
  readonly withheldRemovals: number
  readonly rescans: RescanNumbers
  /** The last rescans of this process that have ended, the newest first. */
  readonly endedRescans: readonly EndedRescan[]
  /** `undefined` if files are not hashed. */
  readonly hashing: HashingStatus | undefined
}

/** The hosts of the indexers of a database on a server. */
interface IndexerHosts {
  readonly active: string
  /** Those that wait to take over. */
  readonly waiting: readonly string[]
}

/** An incomplete or unreadable file: it is not listed, or listed with its earlier content. */
export interface SettlingFile {
  /** Path relative to the archive root. */
  readonly path: string
  /** The gzip stream has no end yet, or the file is unreadable. */
  readonly reason: 'no-end-yet' | 'unreadable'
  /** Time since which the indexer has seen the file unchanged. */
  readonly sinceUs: number
}

/** The status if an indexer may run but does not answer; the indexer never sends it. */
export interface UnknownStatus {
  readonly state: 'unknown'
  /** May be shown to clients, because it contains no paths. */
  readonly reason: string
}

export interface HashingStatus {
  /** True if old files are hashed too. */
  readonly all: boolean
  /** True if old files with a checksum are read again for their facts. */
  readonly allFacts: boolean
  /**
   * Upper bound for the number of files to be hashed: changes in the queue, and stale checksums.
   */
  readonly behind: number
}

export interface WatchCounts {
  readonly directories: number
  /** The kernel's limit for this user; `null` if unknown. */
  readonly limit: number | null
  /** Number of overflows of the kernel's event queue. */
  readonly overflows: number
}

/** The numbers of rescans. Each indexer process numbers its rescans from 1. */
export interface RescanNumbers {
  readonly running: number | undefined
  readonly waiting: number | undefined
  /** Number of the last rescan that has ended; 0 if none has. */
  readonly done: number
}

export interface RescanOrder {
  /** Path of a directory relative to the archive root; `undefined` for the whole tree. */
  readonly path: string | undefined
  /** True to apply the removals that the deletion guard withholds. */
  readonly acceptRemovals: boolean
}

/** What a rescan that has ended has changed. */
export interface RescanOutcome {
  readonly added: number
  readonly modified: number
  readonly removed: number
  /** What the rescan could not do; `null` if it did everything. */
  readonly problem: string | null
}

/** A rescan that has ended: what was ordered, and what came of it. */
export interface EndedRescan extends RescanOutcome, Pick<ScanSummary, 'startedUs' | 'endedUs'> {
  readonly number: number
  /** The directories that were ordered: at most ten of them, and the number of all. */
  readonly paths: readonly string[]
  readonly pathCount: number
  readonly acceptedRemovals: boolean
}

/** `unsure`: the file cannot be checked or catalogued at this moment. */
export type RegisterAnswer =
  | { readonly outcome: 'created' | 'known'; readonly id: number }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unsure' }

export interface ScanProgress {
  readonly startedUs: number
  readonly directoriesDone: number
  /** Directories found so far; grows while directories are read. */
  readonly directoriesFound: number
  readonly files: number
  /** Share of the tree that is done, 0 to 1. */
  readonly done: number
  /** Files per second since the start. */
  readonly rate: number
  /** `undefined` while there is no estimate. */
  readonly secondsLeft: number | undefined
}

export type ControlRequest =
  | { readonly command: 'status' }
  | { readonly command: 'settling' }
  | { readonly command: 'metrics' }
  | ({ readonly command: 'rescan' } & RescanOrder)
  | { readonly command: 'outcome'; readonly rescan: number }
  | { readonly command: 'register'; readonly path: string }
  | { readonly command: 'repair' }

/** The type of the result of each command. */
export interface ControlResults {
  readonly status: IndexerStatus
  /** At most 1,000 files, longest unchanged first. */
  readonly settling: readonly SettlingFile[]
  /** The metrics of the indexer in the text format of Prometheus. */
  readonly metrics: string
  readonly rescan: RescanAnswer
  /** `null` while the rescan has not ended, and if a thousand others have ended since. */
  readonly outcome: RescanOutcome | null
  readonly register: RegisterAnswer
  /** The counts were recomputed from the records. */
  readonly repair: { readonly outcome: 'repaired' }
}

export interface RescanTicket {
  readonly number: number
  /** The rescan runs, waits for another one to end, or was merged into one that waits. */
  readonly place: 'running' | 'waiting' | 'merged'
}

/** `missing`: neither the archive nor the catalogue has the directory, so there is no rescan. */
export type RescanAnswer = RescanTicket | { readonly place: 'missing' }

export type ControlCommand = keyof ControlResults

export type ControlAnswer<Command extends ControlCommand = ControlCommand> =
  | { readonly ok: true; readonly result: ControlResults[Command] }
  /** `failed`: the request is valid, and may succeed later. */
  | { readonly ok: false; readonly error: string; readonly failed?: true }

/** No answer: the indexer does not run, or cannot be reached. */
export class IndexerUnreachable extends Error {
  readonly code = 'INDEXER_UNREACHABLE'
}

/** No indexer runs: the cause of an `IndexerUnreachable`. */
export class NoIndexer extends Error {}

/** The indexer rejected a request; the message is the indexer's. */
export class RequestRejected extends Error {
  readonly code = 'REQUEST_REJECTED'
  /** True if the request is valid, but failed and may succeed later. */
  readonly failed: boolean

  constructor(message: string, { failed = false } = {}) {
    super(message)
    this.failed = failed
  }
}
