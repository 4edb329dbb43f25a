/** Counts the progress and the result of one scan. */
import type { ScanSummary } from '../catalogue/records.ts'
import type { AppliedChange } from '../catalogue/writer.ts'
import type { ScanProgress } from '../control-socket/protocol.ts'
import type { WalkStep } from './tree/walk.ts'

/** Counts the directories, files and changes of one scan so far. */
export interface Scan {
  /** Counts a directory of the walk. */
  step(step: WalkStep): void
  /** Counts the changes of a transaction. */
  applied(change: AppliedChange): void
  /** Stores that a transaction has failed; its directories are tried again later. */
  failed(): void
  /** True if the walk has read at least one area (`obs` or `nrt`); false for a walk that begins below an area. */
  readonly archiveRead: boolean
  /** False if a transaction has failed. Changes that the catalogue refused do not count. */
  readonly written: boolean
  /** Returns true if the walk has visited this directory. */
  visited(path: string): boolean
  progress(): ScanProgress
  summary(endedUs: number): ScanSummary
}

export function openScan(startedUs: number): Scan {
  const startedMs = performance.now()
  const visited = new Set<string>()
  const counts = { files: 0, added: 0, modified: 0, removed: 0 }
  let pending = 0
  let failed = false
  let areasRead = 0
  let done = 0
  return {
    step(step) {
      visited.add(step.snapshot.path)
      if (step.snapshot.outcome === 'read' && !step.snapshot.path.includes('/')) areasRead++
      pending = step.pending
      done = step.done
      counts.files += step.snapshot.names.length
      for (const { reason, count } of step.snapshot.rejections)
        if (!notFiles.has(reason)) counts.files += count
    },
    applied(change) {
      counts.added += change.added
      counts.modified += change.modified
      counts.removed += change.removed
    },
    failed() {
      failed = true
    },
    get archiveRead() {
      return areasRead > 0
    },
    get written() {
      return !failed
    },
    visited: (path) => visited.has(path),
    progress() {
      const seconds = (performance.now() - startedMs) / 1000
      return {
        startedUs,
        directoriesDone: visited.size,
        directoriesFound: visited.size + pending,
        files: counts.files,
        done,
        rate: seconds > 0 ? counts.files / seconds : 0,
        secondsLeft: done > 0.01 ? (seconds * (1 - done)) / done : undefined,
      }
    },
    summary: (endedUs) => ({ startedUs, endedUs, directories: visited.size, ...counts }),
  }
}

/** Reasons for the rejection of entries that are not files. Entries with these reasons do not count as files. */
const notFiles = new Set([
  'symlink',
  'not-a-file',
  'bad-directory-name',
  'too-deep',
  'unreadable-directory',
])
