/**
 * The interface through which the indexer writes the catalogue. Times and directories are written
 * as in `reader.ts`.
 */
import type { Area } from '../../parse/archive-path.ts'
import type { Engine } from '../dialect.ts'
import type { CatalogueSummary } from '../questions/summary.ts'
import type { AsOf, FileIdentity, Head, ScanSummary } from '../records.ts'
import type { Problem } from '../filter.ts'

/**
 * The times and the inode of a directory. If they are others than before, its names may have
 * changed. They are compared only for equality, never for order, because times can be set back, and
 * inode numbers are reused.
 */
export interface DirectoryTimes {
  readonly mtimeUs: number
  readonly ctimeUs: number
  readonly inode: number
}

/** The stamp of a directory: its times, taken before its names were read, and its names. */
export interface DirectoryStamp extends DirectoryTimes {
  /** The sum of the names of all entries (see `sumOfName`). */
  readonly namesSum: number
}

/** A catalogued file, for reconciling its directory. */
export interface KnownFile {
  readonly id: number
  readonly size: number
  readonly mtimeUs: number
  /**
   * The identity of the file that was hashed; `undefined` without a checksum, or with a stale one.
   * The hashed file has the size and mtime of the record.
   */
  readonly hashed: FileIdentity | undefined
}

export interface KnownStamp {
  readonly path: string
  /**
   * `undefined` if the next sweep must read the directory, because it was not read yet, its stamp
   * is not sure yet, or a part of its change was left out.
   */
  readonly stamp: DirectoryStamp | undefined
  /** Time since which removals in the directory are withheld; `undefined` if none are. */
  readonly withheldSinceUs: number | undefined
  /** Time of the last change of files at or below the directory; `undefined` before the first. */
  readonly changedUs: number | undefined
}

export interface KnownDirectory {
  readonly stamp: DirectoryStamp | undefined
  /** True if the directory could not be read at the last attempt. */
  readonly unreadable: boolean
  /** The live files by name, in the order of their names (by bytes); at most `mostKnownFiles`. */
  readonly files: ReadonlyMap<string, KnownFile>
  /**
   * The last name of `files` if further files of the range may follow; `undefined` if `files` has
   * all of them.
   */
  readonly next: string | undefined
}

/**
 * Maximum number of files that one call of `CatalogueWriter.directory` returns: so few that they
 * are garbage before V8 moves them to the part of its heap that it rarely collects.
 */
export const mostKnownFiles = 2000

/** A range of names in a directory, by bytes. */
export interface NameRange {
  /** The range begins after this name. */
  readonly after: string
  /** The last name of the range; `undefined` for the end of the directory. */
  readonly through: string | undefined
}

/** A file to be catalogued. Its name is a RINEX name. */
export interface NewFile {
  readonly name: string
  readonly size: number
  readonly mtimeUs: number
  /**
   * True if the file was accepted after ten minutes (`youngFileMs`) although its gzip stream has no
   * end.
   */
  readonly incomplete?: boolean
  /**
   * Time at which the file arrived, in microseconds since 1970; `undefined` if it was not seen
   * arriving, as a file that a first scan finds.
   */
  readonly arrivalUs?: number | undefined
}

/** Size and mtime of a catalogued file. */
export interface FileFacts {
  readonly id: number
  readonly name: string
  readonly size: number
  readonly mtimeUs: number
  readonly incomplete?: boolean
}

/** A catalogued file that changed on disk. */
export interface ModifiedFile extends FileFacts {
  /**
   * Time at which this version of the file arrived, in microseconds since 1970; `undefined` if it
   * was not seen arriving.
   */
  readonly arrivalUs?: number | undefined
}

/**
 * A file whose content is the same, but whose attributes changed or became known. Its checksum
 * stays valid and gets the new identity.
 */
export interface ReboundFile {
  readonly id: number
  readonly identity: FileIdentity
  /** The ctime in the checksum's identity when the file was compared with it. */
  readonly boundCtimeUs: number
}

/** The entries of a directory that are not catalogued for the same reason. */
export interface DirectoryRejection {
  readonly reason: string
  readonly count: number
  /**
   * The first names, at most `mostRejectedNames`, without dot files; bytes that are not UTF-8 show
   * as U+FFFD. An empty name stands for the directory itself.
   */
  readonly names: readonly string[]
}

/** Maximum number of names that are stored for each directory and reason. */
export const mostRejectedNames = 100

/** The result of reconciling a directory: the differences between disk and catalogue. */
export interface DirectoryChange {
  readonly path: string
  /**
   * True if further parts of the change follow. Then only the files are written, and the directory
   * has no stamp until the last part, so that a sweep reads it again if this process ends before.
   * The last part has all other fields.
   */
  readonly more: boolean
  /**
   * True if the directory no longer exists. Its row stays until the tombstones of its files are
   * purged.
   */
  readonly gone: boolean
  readonly stamp: DirectoryStamp | undefined
  /** Time since which removals in the directory are withheld; `undefined` if none are. */
  readonly withheldSinceUs: number | undefined
  /**
   * Paths of new subdirectories. They are stored in the same transaction, without a stamp, so that
   * a sweep reads them even if this process ends before it has read them.
   */
  readonly directories: readonly string[]
  readonly added: readonly NewFile[]
  /** Files whose size or mtime changed on disk. */
  readonly modified: readonly ModifiedFile[]
  /** Files with changed attributes and a valid checksum. This does not change the record. */
  readonly attributes: readonly ReboundFile[]
  /**
   * Ids of files whose content may differ although size and mtime are the same. Their checksums
   * become stale; the record does not change.
   */
  readonly rehash: readonly number[]
  readonly removed: readonly number[]
  readonly rejections: readonly DirectoryRejection[]
}

/** A file without a valid checksum. */
export interface UnhashedFile {
  readonly id: number
  /** Path relative to the archive root. */
  readonly path: string
  readonly size: number
  readonly mtimeUs: number
  /** Time of the latest change of the file in the catalogue. */
  readonly sinceUs: number
  readonly seq: number
}

/** New and modified files without a checksum, in the order of seq. */
export interface ArrivedUnhashed {
  readonly files: readonly UnhashedFile[]
  /** All files that changed up to this seq are included or need no hashing. */
  readonly throughSeq: number
  /** Upper bound for the number of changes after `throughSeq`. */
  readonly behind: number
}

/** Files whose checksums are stale. */
export interface StaleFiles {
  /**
   * Some of the files that may be hashed now, longest waiting first; `sinceUs` is the time from
   * which the file may be hashed again.
   */
  readonly files: readonly UnhashedFile[]
  /** Number of all files with stale checksums. */
  readonly count: number
}

/** The checksum of a file, and the identity of the file when it was hashed. */
export interface Checksum extends FileIdentity {
  readonly id: number
  readonly sha256: Uint8Array
  /** The problem of the file's gzip stream; `undefined` if it has none. */
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
  /**
   * True if the file had been unchanged for so long that a change during hashing must have changed
   * its ctime. If false, the checksum is stale from the start.
   */
  readonly rested: boolean
}

/** The number of files removed from a directory at one time, with the same end of their data. */
export interface RemovedFiles {
  readonly directory: string
  readonly area: Area
  readonly atUs: number
  /** In seconds since 1970; `undefined` for files of an unspecified period. */
  readonly endSeconds: number | undefined
  /** The highest number of these removals. */
  readonly seq: number
  readonly count: number
}

export interface AppliedChange {
  readonly head: Head
  readonly added: number
  readonly modified: number
  readonly removed: number
  /** Changes that were refused because they are invalid; no part of them was written. */
  readonly refused: readonly RefusedChange[]
}

export interface RefusedChange {
  readonly path: string
  readonly error: Error
}

/** The result of one call of `buildIndexes`. */
export interface BuiltIndexes {
  /** Names of the indexes and counts that were built, for the log; empty if nothing was missing. */
  readonly names: readonly string[]
  /** Number of indexes and counts that are still missing. */
  readonly left: number
}

/** The faults that `check` finds. */
export interface ConsistencyReport {
  /** Counts that differ from the records, one per line; `check --repair` rebuilds them. */
  readonly differences: readonly string[]
  /** Damage of the database itself, one fault per line. */
  readonly damage: readonly string[]
}

/** The result of a backup. */
export type BackupOutcome =
  | { readonly outcome: 'kept'; readonly path: string; readonly bytes: number }
  /** No backup was made, because the newest is recent or no record has changed since. */
  | { readonly outcome: 'unneeded' }
  /** No backup was made, because the free space is less than twice the size of the database. */
  | { readonly outcome: 'no-space'; readonly bytes: number; readonly free: number }

/** What copying a catalogue needs of the database to which it is copied. */
export type CopyTarget = Pick<CatalogueWriter, 'engine' | 'buildIndexes' | 'checkpoint'>

/**
 * The only writer of a catalogue: opening a second writer of the same database throws
 * `AlreadyRunning`.
 */
export interface CatalogueWriter {
  readonly engine: Engine
  /** All known directories that still exist on disk, in no particular order. */
  directories(): Promise<readonly KnownStamp[]>
  /**
   * Stores the version of the rules of names. If it is another one than stored, removes the stamps
   * of all directories with rejected entries in the same transaction, so that the next sweep reads
   * them.
   * @returns the number of these directories
   */
  adoptNameRules(version: number): Promise<number>
  /**
   * One directory with its files in a range of names, by default all; `undefined` for an unknown
   * directory.
   */
  directory(path: string, range?: NameRange): Promise<KnownDirectory | undefined>
  /** The size and mtime that removed files of a directory had, by name. */
  removedVersions(
    path: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<FileFacts, 'size' | 'mtimeUs'>>>
  /** Number of live files in an area. */
  count(area: Area): Promise<number>
  /** The ends of the data of live files (seconds since 1970), by id, as far as known. */
  dataEnds(ids: readonly number[]): Promise<ReadonlyMap<number, number>>
  /**
   * Removals that are numbered above a seq and not older than a time, by directory, time, kind and
   * start of the data. Files that were restored since are not counted.
   */
  removalsAfter(last: { seq: number; us?: number }): Promise<readonly RemovedFiles[]>
  /**
   * Applies changes in one transaction. Refuses the changes that are invalid themselves, and
   * applies the others. Throws if nothing can be written at this moment; then nothing is applied.
   */
  apply(changes: readonly DirectoryChange[]): Promise<AppliedChange>
  head(): Promise<Head>
  /** The last complete scan; `undefined` before the first. */
  lastScan(): Promise<ScanSummary | undefined>
  summary(): Promise<CatalogueSummary>
  /**
   * Purges some of the removals before a time, oldest first, in one short transaction; `more` is
   * true if others may be left. If it is false, also purges the deliveries older than 400 days, and
   * the directories that no longer exist. If a purged file comes back, it gets a new record.
   */
  purgeRemovals(beforeUs: number): Promise<{ readonly more: boolean }>
  /**
   * Finds files without a checksum among those that are new or modified after a seq; by default
   * after the seq that `keepChecksums` stored. If no seq is stored, no file counts as new.
   */
  arrivedUnhashed(since: number | undefined): Promise<ArrivedUnhashed>
  /**
   * Finds some of the files without a checksum below an id, highest id first; repeat with `next`
   * until it is `undefined`.
   */
  unhashedBelow(
    id: number,
  ): Promise<{ readonly files: readonly UnhashedFile[]; readonly next: number | undefined }>
  /**
   * Stores the checksums of files that are unchanged since they were hashed, and the seq up to
   * which new files are done. Also stores whether they are incomplete. The `seq` of the records
   * stays.
   */
  keepChecksums(checksums: readonly Checksum[], throughSeq: number): Promise<void>
  /** Finds files with stale checksums that may be hashed at this time. */
  staleChecksums(nowUs: number): Promise<StaleFiles>
  /**
   * Marks checksums as stale: they are not shown, and their files are hashed again from `fromUs`
   * on. A checksum that is stale already only gets this new time.
   */
  hashAgain(ids: readonly number[], fromUs: number): Promise<void>
  /** Stores that the catalogue equals the tree as it was at a time. */
  setAsOf(asOf: AsOf): Promise<void>
  /** Stores the summary of a complete scan. */
  scanned(scan: ScanSummary): Promise<void>
  /**
   * Drops the indexes that a first scan does not need, and stops updating the counts that it does
   * not need, if there is no file yet. Queries that need them throw `NotBuilt` until `buildIndexes`
   * has built them.
   */
  deferIndexes(): Promise<void>
  /**
   * Builds missing indexes and counts: the next one in its own transaction, or all at once if there
   * are few files. Call it until `left` is 0. Each takes a few seconds per million files.
   */
  buildIndexes(): Promise<BuiltIndexes>
  /**
   * Recomputes the numbers of files and of checksums from the records; counts that are not built
   * yet stay empty.
   */
  repairCounts(): Promise<void>
  /**
   * Makes a backup, unless there is a recent one, no record has changed since the newest, or the
   * disk has too little space. The backup replaces the catalogue if it becomes corrupt or is
   * missing. Only one backup may be in progress; writing continues meanwhile.
   */
  backup(options: { readonly ifOlderThanMs: number }): Promise<BackupOutcome>
  /**
   * Checkpoints the WAL into the database file, and aborts a backup in progress. The process must
   * then end with `process.exit` (docs/decisions/0001).
   */
  checkpoint(): Promise<void>
  /**
   * Closes the database and releases the write lock. This may remove the `-wal` and `-shm` files,
   * so readers that run as another user may lose access.
   */
  close(): void
}
