/**
 * What the indexer says and is asked over its control socket: one JSON object a line, each request answered
 * by one line. The socket's file permissions are its only guard.
 */
import type { ScanSummary } from '../catalogue/records.ts'

/** `stopped` is what a client concludes when nobody is there; the indexer never says it. */
export type IndexerState = 'starting' | 'scanning' | 'watching' | 'degraded' | 'stopped'

/** What the indexer is doing at this moment. */
export interface IndexerStatus {
  readonly state: IndexerState
  /** When this state began. */
  readonly sinceUs: number
  /** Why the state is `degraded`, in words an operator can act on. */
  readonly reasons: readonly string[]
  readonly pid: number
  readonly version: string
  /** The scan that is running. */
  readonly scan: ScanProgress | undefined
  /** The last complete scan, by this process or an earlier one. */
  readonly lastScan: ScanSummary | undefined
  readonly lastSweepUs: number | undefined
  /** Directories waiting to be reconciled. */
  readonly dirtyDirectories: number
  readonly watching: WatchCounts
  /** Files that are not complete yet. */
  readonly settlingFiles: number
  /** Files that are gone from disk and stay listed because too many went at once. */
  readonly withheldRemovals: number
  readonly rescans: RescanNumbers
  /** `undefined` when files are not hashed. */
  readonly hashing: HashingStatus | undefined
}

/** A file that is not complete yet, and so is not listed, or not as it is now. */
export interface SettlingFile {
  /** Below the archive root. */
  readonly path: string
  /** Its gzip stream has no end yet, or it cannot be read. */
  readonly reason: 'no-end-yet' | 'unreadable'
  /** Since when it has been as it is. */
  readonly sinceUs: number
}

/** What a client has where there may be an indexer that cannot be asked; the indexer never says it. */
export interface UnknownStatus {
  readonly state: 'unknown'
  /** For everybody: it names no path. */
  readonly reason: string
}

export interface HashingStatus {
  /** Whether old files are hashed too. */
  readonly all: boolean
  /** Files that are to be hashed, at most: changes that were not gone through yet, and stale checksums. */
  readonly behind: number
}

export interface WatchCounts {
  readonly directories: number
  /** What the kernel allows this user; `null` when it does not tell. */
  readonly limit: number | null
  /** How often more events came than the kernel keeps. */
  readonly overflows: number
}

/** Rescans are numbered from 1 in each process. */
export interface RescanNumbers {
  readonly running: number | undefined
  readonly waiting: number | undefined
  /** The last that has ended; 0 when none has. */
  readonly done: number
}

export interface RescanOrder {
  /** A directory below the archive root; the whole tree when there is none. */
  readonly path: string | undefined
  /** Look at the size and mtime of every file too. */
  readonly full: boolean
  /** Believe the removals that are held back. */
  readonly acceptRemovals: boolean
}

/** It runs already, it waits for another to end, or it has become part of one that waits. */
export type RescanPlace = 'running' | 'waiting' | 'merged'

/** `unsure`: the file cannot be looked at, or not be brought into the catalogue, at this moment. */
export type RegisterAnswer =
  | { readonly outcome: 'created' | 'known'; readonly id: number }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unsure' }

export interface ScanProgress {
  readonly startedUs: number
  readonly directoriesDone: number
  /** Directories found so far, done or not; grows while directories are read. */
  readonly directoriesFound: number
  readonly files: number
  /** Share of the tree that is done, 0 to 1. */
  readonly done: number
  /** Files a second since the start. */
  readonly rate: number
  /** `undefined` while nothing can be said. */
  readonly secondsLeft: number | undefined
}

export type ControlRequest =
  | { readonly command: 'status' }
  | { readonly command: 'settling' }
  | ({ readonly command: 'rescan' } & RescanOrder)
  | { readonly command: 'register'; readonly path: string }
  | { readonly command: 'repair' }

/** What each command is answered with. */
export interface ControlResults {
  readonly status: IndexerStatus
  /** Longest as they are first, at most 1,000. */
  readonly settling: readonly SettlingFile[]
  readonly rescan: RescanAnswer
  readonly register: RegisterAnswer
  readonly repair: RepairAnswer
}

/** The counts were made anew from the records. */
export interface RepairAnswer {
  readonly outcome: 'repaired'
}

export interface RescanTicket {
  readonly number: number
  readonly place: RescanPlace
}

/** `nowhere`: there is no such directory, neither in the archive nor in the catalogue, and nothing was ordered. */
export type RescanAnswer = RescanTicket | { readonly place: 'missing' }

export type ControlCommand = keyof ControlResults

export type ControlAnswer<Command extends ControlCommand = ControlCommand> =
  | { readonly ok: true; readonly result: ControlResults[Command] }
  /** `failed`: nothing is wrong with the request, and it may be done another time. */
  | { readonly ok: false; readonly error: string; readonly failed?: true }

/** Nobody answers on the control socket: the indexer does not run, or is not reachable from here. */
export class IndexerAway extends Error {
  readonly code = 'INDEXER_AWAY'
}

/** The indexer does not do what it was asked to; the message is its own. */
export class IndexerRefused extends Error {
  readonly code = 'INDEXER_REFUSED'
  /** Whether it would, and cannot. */
  readonly failed: boolean

  constructor(message: string, { failed = false } = {}) {
    super(message)
    this.failed = failed
  }
}
