/** The writing side of the seam: what an indexer knows, applies and keeps; times and directories as in `catalogue.ts`. */
import type { Area } from '../parse/archive-path.ts'
import type { ParsedName } from '../parse/types.ts'
import type { CatalogueSummary, FileIdentity, Head, ScanSummary } from './records.ts'
import type { Problem } from './filter.ts'

/**
 * What tells whether a directory's names may have changed since they were read. Compared for inequality
 * only: times can be set back, and an inode can be used again.
 */
export interface DirectoryStamp {
  readonly mtimeUs: number
  readonly ctimeUs: number
  readonly inode: number
}

/** A file as the catalogue knows it while its directory is reconciled. */
export interface KnownFile {
  readonly id: number
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /**
   * The file that its checksum is bound to; `undefined` without a checksum, or with a stale one. `unbound` for a checksum
   * of an older release, of which size and mtime alone are known: those of the record.
   */
  readonly hashed: FileIdentity | 'unbound' | undefined
}

export interface KnownStamp {
  readonly path: string
  /** `undefined` when the last look was too close to a change to be sure of it. */
  readonly stamp: DirectoryStamp | undefined
  /** Since when removals in it are held back; `undefined` when none are. */
  readonly withheldSinceUs: number | undefined
}

export interface KnownDirectory {
  readonly stamp: DirectoryStamp | undefined
  /** The live files by name. */
  readonly files: ReadonlyMap<string, KnownFile>
}

/** A file to be catalogued. Size and mtime are absent when only its name was read. */
export interface NewFile {
  readonly name: string
  readonly parsed: ParsedName
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /** It was taken after a long wait although its gzip stream has no end. */
  readonly incomplete?: boolean
}

/** Size and mtime of a file that is in the catalogue. */
export interface FileFacts {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly mtimeUs: number
  readonly incomplete?: boolean
}

/** A file whose attributes changed, or are known for the first time: its checksum holds and is bound to it as it is now. */
export interface ReboundFile {
  readonly id: number
  readonly identity: FileIdentity
  /** The ctime that the checksum was bound to when the file was compared; `undefined` for an unbound one. */
  readonly boundCtimeUs: number | undefined
}

/** What one directory's entries are not catalogued for. */
export interface DirectoryRejection {
  readonly reason: string
  readonly count: number
  /**
   * The first of them, at most `mostRejectedNames`, without dot files; bytes that are not UTF-8 show as U+FFFD. An empty name
   * stands for the directory itself.
   */
  readonly names: readonly string[]
}

/** Names that are kept of the entries of a directory that are rejected for one reason. */
export const mostRejectedNames = 100

/** What differs between a directory on disk and in the catalogue: the outcome of reconciling it. */
export interface DirectoryChange {
  readonly path: string
  /** The directory is gone from disk: nothing below it stays known once its files are removed. */
  readonly gone: boolean
  readonly stamp: DirectoryStamp | undefined
  /** Since when removals in it are held back; `undefined` when none are. */
  readonly withheldSinceUs: number | undefined
  /**
   * Paths of the directories below it that were not known. They become known with it, without a stamp, so that a
   * sweep comes to them even if this process ends before it has read them.
   */
  readonly directories: readonly string[]
  /** Whether the files were seen arriving, or found by a scan. */
  readonly arrived: boolean
  readonly added: readonly NewFile[]
  /** Files whose size or mtime changed on disk. */
  readonly modified: readonly FileFacts[]
  /** Files whose size and mtime are known for the first time, which is no change. */
  readonly filled: readonly FileFacts[]
  /** Files whose checksum holds although their attributes changed. No change of the record. */
  readonly attributes: readonly ReboundFile[]
  /**
   * Ids of files whose bytes may be others although size and mtime are the same: their checksums become stale. No change
   * of the record.
   */
  readonly rehash: readonly number[]
  readonly removed: readonly number[]
  readonly rejections: readonly DirectoryRejection[]
  /** `undefined` when nothing can be said of it: it stays as it was. */
  readonly misplaced: number | undefined
}

/** A file without a checksum of what it is now. */
export interface UnhashedFile {
  readonly id: number
  /** Below the archive root. */
  readonly path: string
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /** Since when the catalogue has it as it is. */
  readonly sinceUs: number
  readonly seq: number
}

/** Files that arrived or changed, in the order of their changes. */
export interface ArrivedUnhashed {
  readonly files: readonly UnhashedFile[]
  /** All that changed up to this number is among them or needs nothing. */
  readonly throughSeq: number
  /** How many changes follow it, at most. */
  readonly behind: number
  /** Of a small catalogue that is gone through for the first time: the number up to which its files were there before. */
  readonly olderSeq: number | undefined
}

/** Files whose checksums are stale. */
export interface StaleFiles {
  /** Some of those that may be hashed now, longest stale first; `sinceUs` is since when. */
  readonly files: readonly UnhashedFile[]
  /** How many there are in all. */
  readonly count: number
}

/** The checksum of a file, and which file that was when it was read. */
export interface Checksum extends FileIdentity {
  readonly id: number
  readonly sha256: Uint8Array
  /** What is wrong with its gzip stream. */
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
  /**
   * Whether the file had been left alone for so long that a change while it was read must have moved its ctime. Without
   * that the checksum is stale from the beginning.
   */
  readonly rested: boolean
}

/** So many files of an area were removed at a time. */
export interface RemovedFiles {
  readonly area: Area
  readonly atUs: number
  readonly count: number
}

export interface AppliedChange {
  readonly head: Head
  readonly added: number
  readonly modified: number
  readonly removed: number
  /** Directories of which the change cannot be written, whatever comes with it; nothing of it was. */
  readonly refused: readonly RefusedChange[]
}

export interface RefusedChange {
  readonly path: string
  readonly error: Error
}

/** What one call of `buildIndexes` made. */
export interface BuiltIndexes {
  /** Names for the log; none when nothing was missing. */
  readonly names: readonly string[]
  /** How many are still missing. */
  readonly left: number
}

/** What became of a backup. */
export type BackupOutcome =
  | { readonly outcome: 'kept'; readonly path: string; readonly bytes: number }
  /** There is one that is young enough, or nothing has changed since. */
  | { readonly outcome: 'unneeded' }
  /** There is not twice its size free. */
  | { readonly outcome: 'no-room'; readonly bytes: number; readonly free: number }

/** The only writer of a catalogue: opening a second one on the same database throws `AlreadyRunning`. */
export interface CatalogueWriter {
  /** Every directory known, in no particular order. */
  directories(): Promise<readonly KnownStamp[]>
  /** What is known of one directory; `undefined` when that is nothing. */
  directory(path: string): Promise<KnownDirectory | undefined>
  /** How many live files an area has. */
  count(area: Area): Promise<number>
  /** What was removed since a time and has not come back, by the moment of its removal. */
  removedSince(us: number): Promise<readonly RemovedFiles[]>
  /**
   * Applies what was reconciled in one transaction: all of it but what it refuses or, when it throws, nothing. It
   * throws when nothing can be written at this moment, and refuses the change of a directory that is at fault itself.
   */
  apply(changes: readonly DirectoryChange[]): Promise<AppliedChange>
  summary(): Promise<CatalogueSummary>
  /**
   * Forgets some of the removals before a time, oldest first, and says whether there are more: one call is one
   * short transaction. A file that comes back after that is a new record.
   */
  purgeRemovals(beforeUs: number): Promise<{ readonly more: boolean }>
  /**
   * Looks for files without a checksum among those that arrived or changed after a number; without one, after what
   * `keepChecksums` remembers. Where that is nothing, all files of a catalogue of at most 1,000 count as arrived, and none of a larger
   * one.
   */
  arrivedUnhashed(since: number | undefined): Promise<ArrivedUnhashed>
  /** Looks for some among all files below an id, highest first; goes on with `next` until there is none. */
  unhashedBelow(
    id: number,
  ): Promise<{ readonly files: readonly UnhashedFile[]; readonly next: number | undefined }>
  /**
   * Keeps the checksums of files that are still as they were read, and remembers up to which number those that arrived
   * were gone through. No change of any record: `seq` stays.
   */
  keepChecksums(checksums: readonly Checksum[], throughSeq: number): Promise<void>
  /** Finds files whose checksums are stale and that may be hashed at this time. */
  staleChecksums(nowUs: number): Promise<StaleFiles>
  /**
   * Makes checksums stale: they are not shown, and their files are hashed again from a time on. A checksum that is stale
   * already waits until then.
   */
  hashAgain(ids: readonly number[], fromUs: number): Promise<void>
  /** Remembers a complete scan. */
  scanned(scan: ScanSummary): Promise<void>
  /**
   * Drops, if there is no file yet, the indexes and counts that a first scan does without. What needs one of them throws
   * `NotBuilt` until `buildIndexes` has made it.
   */
  deferIndexes(): Promise<void>
  /**
   * Makes what is missing of them: the next one in a transaction of its own, or all at once where there are few files.
   * To be called until none is left. A few seconds for each million files and index.
   */
  buildIndexes(): Promise<BuiltIndexes>
  /** Counts anew from the records all that is kept beside them. */
  repairCounts(): Promise<void>
  /**
   * Keeps a copy of the catalogue that replaces it should it be ruined, if there is none younger and something has changed
   * since. One at a time; what is written meanwhile is not held up.
   */
  backup(options: { readonly ifOlderThanMs: number }): Promise<BackupOutcome>
  /** Brings the database file up to date. The process must then end by `process.exit`, see docs/decisions. */
  checkpoint(): Promise<void>
  /** Gives up the database and the right to write. Readers of another user may be locked out by it. */
  close(): void
}

/** Another process is the writer of this database. */
export class AlreadyRunning extends Error {
  readonly code = 'ALREADY_RUNNING'
}

/** The database was found damaged or is not where it was. The process must end: the next one starts with another. */
export class CatalogueRuined extends Error {
  readonly code = 'CATALOGUE_RUINED'
}

/** A database file that this program must not touch, or cannot; the message names it and the remedy. */
export class UnusableDatabase extends Error {
  readonly code = 'UNUSABLE_DATABASE'
}
