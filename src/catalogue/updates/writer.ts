/**
 * The interface through which the indexer writes the catalogue. Times and directories are written
 * as in `records.ts`.
 */
import type { Layout, LayoutLists } from '../../parse/layout.ts'
import type { FlagName } from '../../rinex/facts.ts'
import type { Engine } from '../dialect.ts'
import type { CatalogueSummary } from '../questions/summary.ts'
import type { Head, ScanSummary, StoredAsOf } from '../records.ts'
import type { AppliedChange, DirectoryChange, FileFacts } from './change.ts'
import type { ArrivedUnhashed, StaleFiles, UnhashedFile } from './checksum-queue.ts'
import type { Checksum } from './checksum-rows.ts'
import type { BuiltIndexes } from './indexes.ts'
import type { DirectoryPage, KnownDirectory, KnownStamp, NameRange, RemovedFiles } from './known.ts'

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
  // What is known

  /** The known directories that still exist on disk, in the order of their ids; by default all. */
  directories(page?: DirectoryPage): Promise<readonly KnownStamp[]>
  /**
   * Stores the version of the rules of names. If it is another one than stored, removes the stamps
   * of all directories with rejected entries in the same transaction, so that the next sweep reads
   * them, and judges misplaced files again.
   * @returns the number of these directories
   */
  adoptNameRules(version: number, layout: Layout): Promise<number>
  /** Decides for each area whether its paths are dates, so that files may be misplaced in it. */
  judgePaths(): Promise<void>
  /**
   * Stores the layout of the tree. If it is another one than stored, makes the records those of
   * this layout in the same transaction (see adopt-layout.ts); counts that this leaves out are
   * built by `buildIndexes`.
   * @returns true if the records were those of another one
   */
  adoptLayout(lists: LayoutLists): Promise<boolean>
  /**
   * One directory with its files in a range of names, by default all; `undefined` for an unknown
   * directory.
   */
  directory(path: string, range?: NameRange): Promise<KnownDirectory | undefined>
  /**
   * Those of some directories of which nothing is known: neither files nor a stamp, nor rejected
   * entries.
   */
  emptyAmong(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** The size and mtime that removed files of a directory had, by name. */
  removedVersions(
    path: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<FileFacts, 'size' | 'mtimeUs'>>>
  /** Number of live files in an area, by default in all. */
  count(area?: string): Promise<number>
  /** The ends of the data of live files (seconds since 1970), by id, as far as known. */
  dataEnds(ids: readonly number[]): Promise<ReadonlyMap<number, number>>
  /**
   * Removals that are numbered above a seq and not older than a time, by directory, time, kind and
   * start of the data. Files that were restored since are not counted.
   */
  removalsAfter(last: { seq: number; us?: number }): Promise<readonly RemovedFiles[]>
  // Changes

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
  // Checksums

  /**
   * Finds files without a checksum among those that are new or modified after a seq; by default
   * after the seq that `keepChecksums` stored. If no seq is stored, no file counts as new.
   */
  arrivedUnhashed(since: number | undefined): Promise<ArrivedUnhashed>
  /**
   * Finds some of the files without a checksum or MD5, or with `facts` also without facts, below an
   * id, highest id first; repeat with `next` until it is `undefined`.
   */
  unhashedBelow(
    id: number,
    facts: boolean,
  ): Promise<{ readonly files: readonly UnhashedFile[]; readonly next: number | undefined }>
  /**
   * Stores the checksums and facts of files that are unchanged since they were read, and the seq up
   * to which new files are done. Also stores what follows from them: whether the files are
   * incomplete or damaged. The `seq` of the records stays.
   */
  keepChecksums(checksums: readonly Checksum[], throughSeq: number): Promise<void>
  /**
   * Makes files damaged by these flags and no others. Judges some of the flagged files above an id;
   * repeat with the id that it returns until that is `undefined`. Does nothing if these flags were
   * adopted before.
   */
  adoptDamagedBy(flags: readonly FlagName[], after: number): Promise<number | undefined>
  /** Finds files with stale checksums that may be hashed at this time. */
  staleChecksums(nowUs: number): Promise<StaleFiles>
  /**
   * Marks checksums as stale: they are not shown, and their files are hashed again from `fromUs`
   * on. A checksum that is stale already only gets this new time.
   */
  hashAgain(ids: readonly number[], fromUs: number): Promise<void>
  // The catalogue itself

  /** Stores that the catalogue equals the tree as it was at a time. */
  setAsOf(asOf: StoredAsOf): Promise<void>
  /** Stores the summary of a complete scan. */
  scanned(scan: ScanSummary): Promise<void>
  // Indexes and counts

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
  // Backup and end

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
