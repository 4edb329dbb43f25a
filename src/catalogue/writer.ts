/** The interface through which the indexer writes the catalogue; times and directories as in `reader.ts`. */
import type { Area } from '../parse/archive-path.ts'
import type { ParsedName } from '../parse/types.ts'
import type { CatalogueSummary, FileIdentity, Head, ScanSummary } from './records.ts'
import type { Problem } from './filter.ts'

/**
 * The stamp of a directory: if it differs, names may have changed since they were read. Compared only for inequality, because times
 * can be set back, and inode numbers are reused.
 */
export interface DirectoryStamp {
  readonly mtimeUs: number
  readonly ctimeUs: number
  readonly inode: number
}

/** A catalogued file, for reconciling its directory. */
export interface KnownFile {
  readonly id: number
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /**
   * The identity of the file that was hashed; `undefined` without a checksum, or with a stale one. `unbound` for a checksum of an
   * older release, for which only size and mtime are known: those of the record.
   */
  readonly hashed: FileIdentity | 'unbound' | undefined
}

export interface KnownStamp {
  readonly path: string
  /** `undefined` if the directory was read too soon after a change for a reliable stamp. */
  readonly stamp: DirectoryStamp | undefined
  /** Time since which removals in it are withheld; `undefined` if there are none. */
  readonly withheldSinceUs: number | undefined
}

export interface KnownDirectory {
  readonly stamp: DirectoryStamp | undefined
  /** Whether it was recorded as unreadable when it was read last. */
  readonly unreadable: boolean
  /** The live files by name. */
  readonly files: ReadonlyMap<string, KnownFile>
}

/** A file to be catalogued. Without size and mtime if only its name was read. */
export interface NewFile {
  readonly name: string
  readonly parsed: ParsedName
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /** It was accepted after the settling time although its gzip stream has no end. */
  readonly incomplete?: boolean
}

/** Size and mtime of a catalogued file. */
export interface FileFacts {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly mtimeUs: number
  readonly incomplete?: boolean
}

/** A file with changed or newly known attributes: its checksum is valid and gets the new identity. */
export interface ReboundFile {
  readonly id: number
  readonly identity: FileIdentity
  /** The ctime of the checksum's identity when the file was compared; `undefined` for an unbound checksum. */
  readonly boundCtimeUs: number | undefined
}

/** The entries of a directory that are not catalogued for one reason. */
export interface DirectoryRejection {
  readonly reason: string
  readonly count: number
  /**
   * The first names, at most `mostRejectedNames`, without dot files; bytes that are not UTF-8 show as U+FFFD. An empty name is the
   * directory itself.
   */
  readonly names: readonly string[]
}

/** Maximum names that are stored for each directory and reason. */
export const mostRejectedNames = 100

/** The result of reconciling a directory: the differences between disk and catalogue. */
export interface DirectoryChange {
  readonly path: string
  /** The directory no longer exists: it leaves the catalogue when its files are removed. */
  readonly gone: boolean
  readonly stamp: DirectoryStamp | undefined
  /** Time since which removals in it are withheld; `undefined` if there are none. */
  readonly withheldSinceUs: number | undefined
  /**
   * Paths of new subdirectories. They are stored with it, without a stamp, so that a sweep reads them even if this process ends
   * before it has read them.
   */
  readonly directories: readonly string[]
  /** Whether the files were detected as they arrived, or found by a scan. */
  readonly arrived: boolean
  readonly added: readonly NewFile[]
  /** Files whose size or mtime changed on disk. */
  readonly modified: readonly FileFacts[]
  /** Files whose size and mtime are newly known; not a change of the record. */
  readonly filled: readonly FileFacts[]
  /** Files with changed attributes and a valid checksum; not a change of the record. */
  readonly attributes: readonly ReboundFile[]
  /**
   * Ids of files whose content may differ although size and mtime are the same: their checksums become stale. Not a change of the
   * record.
   */
  readonly rehash: readonly number[]
  readonly removed: readonly number[]
  readonly rejections: readonly DirectoryRejection[]
  /** `undefined` if unknown: the stored value stays. */
  readonly misplaced: number | undefined
}

/** A file without a valid checksum. */
export interface UnhashedFile {
  readonly id: number
  /** Below the archive root. */
  readonly path: string
  readonly size: number | undefined
  readonly mtimeUs: number | undefined
  /** Time of its latest change in the catalogue. */
  readonly sinceUs: number
  readonly seq: number
}

/** New and modified files, in the order of seq. */
export interface ArrivedUnhashed {
  readonly files: readonly UnhashedFile[]
  /** All changes up to this seq are included or need no hashing. */
  readonly throughSeq: number
  /** Upper bound of the changes after it. */
  readonly behind: number
  /** For the first pass through a small catalogue: the seq up to which its files existed before. */
  readonly olderSeq: number | undefined
}

/** Files whose checksums are stale. */
export interface StaleFiles {
  /** Some files that may be hashed now, longest stale first; `sinceUs` is the start of that. */
  readonly files: readonly UnhashedFile[]
  /** Count of all. */
  readonly count: number
}

/** The checksum of a file, and the identity of the file when it was hashed. */
export interface Checksum extends FileIdentity {
  readonly id: number
  readonly sha256: Uint8Array
  /** The problem of its gzip stream. */
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
  /**
   * Whether the file was unchanged for so long that a change during hashing must have changed its ctime. Otherwise the checksum is
   * stale from the start.
   */
  readonly rested: boolean
}

/** Removals of an area at a time. */
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
  /** Directories with an invalid change; no part of it was written. */
  readonly refused: readonly RefusedChange[]
}

export interface RefusedChange {
  readonly path: string
  readonly error: Error
}

/** The result of one call of `buildIndexes`. */
export interface BuiltIndexes {
  /** Names for the log; empty if nothing was missing. */
  readonly names: readonly string[]
  /** Count of the missing ones. */
  readonly left: number
}

/** The result of a backup. */
export type BackupOutcome =
  | { readonly outcome: 'kept'; readonly path: string; readonly bytes: number }
  /** There is a recent one, or nothing has changed since the last. */
  | { readonly outcome: 'unneeded' }
  /** Less free space than twice the size of the database. */
  | { readonly outcome: 'no-space'; readonly bytes: number; readonly free: number }

/** The only writer of a catalogue: opening a second writer of the same database throws `AlreadyRunning`. */
export interface CatalogueWriter {
  /** All directories, in no particular order. */
  directories(): Promise<readonly KnownStamp[]>
  /** One directory with its files; `undefined` for an unknown one. */
  directory(path: string): Promise<KnownDirectory | undefined>
  /** Count of the live files of an area. */
  count(area: Area): Promise<number>
  /** Removals since a time, without restored files, by time. */
  removedSince(us: number): Promise<readonly RemovedFiles[]>
  /**
   * Applies changes in one transaction. Rejects the changes that are invalid themselves, and applies the others. Throws if nothing
   * can be written at this moment; then nothing is applied.
   */
  apply(changes: readonly DirectoryChange[]): Promise<AppliedChange>
  summary(): Promise<CatalogueSummary>
  /**
   * Purges some of the removals before a time, oldest first, in one short transaction. Returns whether there are more. A file that
   * is restored after that is a new record.
   */
  purgeRemovals(beforeUs: number): Promise<{ readonly more: boolean }>
  /**
   * Finds files without a checksum among those that are new or modified after a seq; by default after the seq that `keepChecksums`
   * stored. Without a stored seq, all files of a catalogue of at most 1,000 count as new, and no files of a larger one.
   */
  arrivedUnhashed(since: number | undefined): Promise<ArrivedUnhashed>
  /** Finds some among all files below an id, highest first; repeat with `next` until it is `undefined`. */
  unhashedBelow(
    id: number,
  ): Promise<{ readonly files: readonly UnhashedFile[]; readonly next: number | undefined }>
  /**
   * Stores the checksums of files that are unchanged since they were hashed, and the seq up to which new files are done. Not a
   * change of any record: `seq` stays.
   */
  keepChecksums(checksums: readonly Checksum[], throughSeq: number): Promise<void>
  /** Finds files with stale checksums that may be hashed at this time. */
  staleChecksums(nowUs: number): Promise<StaleFiles>
  /**
   * Marks checksums as stale: they are not shown, and their files are hashed again from a time on. Also delays checksums that are
   * stale already.
   */
  hashAgain(ids: readonly number[], fromUs: number): Promise<void>
  /** Stores a complete scan. */
  scanned(scan: ScanSummary): Promise<void>
  /**
   * Drops the indexes and counts that a first scan does not need, if there is no file yet. Queries that need them throw `NotBuilt`
   * until `buildIndexes` has built them.
   */
  deferIndexes(): Promise<void>
  /**
   * Builds missing indexes and counts: the next one in its own transaction, or all at once if there are few files. Call it until
   * `left` is 0. Each takes a few seconds per million files.
   */
  buildIndexes(): Promise<BuiltIndexes>
  /** Recomputes all counts from the records. */
  repairCounts(): Promise<void>
  /**
   * Makes a backup, which replaces the catalogue if it becomes corrupt; unless there is a recent one, or nothing has changed since.
   * One at a time; writing continues meanwhile.
   */
  backup(options: { readonly ifOlderThanMs: number }): Promise<BackupOutcome>
  /** Checkpoints the WAL into the database file. The process must then end with `process.exit`, see docs/decisions. */
  checkpoint(): Promise<void>
  /** Closes the database and releases the write lock. Readers of another user may lose access. */
  close(): void
}

/** Another process is the writer of this database. */
export class AlreadyRunning extends Error {
  readonly code = 'ALREADY_RUNNING'
}

/** The database is corrupt, or was moved. The process must end; the next one starts with a backup or a new database. */
export class CatalogueCorrupt extends Error {
  readonly code = 'CATALOGUE_CORRUPT'
}

/** A database file that this program must not change, or cannot; the message names it and the remedy. */
export class UnusableDatabase extends Error {
  readonly code = 'UNUSABLE_DATABASE'
}
