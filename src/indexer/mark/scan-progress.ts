/** Counts the progress and the result of one scan. */
import type { ScanSummary } from '../../catalogue/records.ts'
import type { AppliedChange } from '../../catalogue/updates/change.ts'
import type { ScanProgress } from '../../control-socket/protocol.ts'
import type { WalkStep } from '../read/walk.ts'
import type { Moment } from '../state/as-of.ts'

export interface ScanResult {
  readonly summary: ScanSummary
  readonly started: Moment
  /** True if the scan has read at least one area; false for a scan below the areas. */
  readonly archiveRead: boolean
  /**
   * False if a transaction has failed; its changes are tried again. Changes that the catalogue
   * refused do not count.
   */
  readonly written: boolean
}

/** Counts the directories, files and changes of one scan so far. */
export class Scan {
  readonly #started: Moment
  readonly #isArea: (path: string) => boolean
  readonly #startedMs = performance.now()
  #directories = 0
  readonly #counts = { files: 0, added: 0, modified: 0, removed: 0 }
  #pending = 0
  #done = 0
  #archiveRead = false
  #written = true

  /** @param isArea true for the path of an area */
  constructor(started: Moment, isArea: (path: string) => boolean) {
    this.#started = started
    this.#isArea = isArea
  }

  /** Counts a directory of the walk. */
  step({ snapshot, pending, done }: WalkStep): void {
    this.#directories++
    if (snapshot.outcome === 'read' && this.#isArea(snapshot.path)) this.#archiveRead = true
    this.#pending = pending
    this.#done = done
    this.#counts.files += snapshot.names.length
    for (const { reason, count } of snapshot.rejections)
      if (!notFiles.has(reason)) this.#counts.files += count
  }

  /** Counts the changes of a transaction. */
  applied({ added, modified, removed }: AppliedChange): void {
    this.#counts.added += added
    this.#counts.modified += modified
    this.#counts.removed += removed
  }

  /** Stores that a transaction has failed. */
  failed(): void {
    this.#written = false
  }

  progress(): ScanProgress {
    const seconds = (performance.now() - this.#startedMs) / 1000
    const { files } = this.#counts
    const done = this.#done
    return {
      startedUs: this.#started.us,
      directoriesDone: this.#directories,
      directoriesFound: this.#directories + this.#pending,
      files,
      done,
      rate: seconds > 0 ? files / seconds : 0,
      secondsLeft: done > 0.01 ? (seconds * (1 - done)) / done : undefined,
    }
  }

  result(endedUs: number): ScanResult {
    const directories = this.#directories
    return {
      summary: { startedUs: this.#started.us, endedUs, directories, ...this.#counts },
      started: this.#started,
      archiveRead: this.#archiveRead,
      written: this.#written,
    }
  }
}

/**
 * Reasons for the rejection of entries that are not files. Entries with these reasons do not count
 * as files.
 */
const notFiles = new Set([
  'symlink',
  'not-a-file',
  'excluded',
  'bad-directory-name',
  'too-deep',
  'unreadable-directory',
])
