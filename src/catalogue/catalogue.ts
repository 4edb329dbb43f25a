/**
 * The seam between what is known about the archive tree and everything that uses it: the indexer writes
 * through `CatalogueWriter`, the API reads through `CatalogueReader`. Engines live in folders beside this
 * file and are reached through `open*` functions only. All methods return promises, so that an engine may be
 * a server elsewhere.
 *
 * Times ending in `Us` are microseconds since 1970-01-01T00:00:00Z, held exactly by a double until 2255.
 * A directory is named by its path below the archive root, without slashes at its ends: `obs/2026/001`.
 */
import type { Area } from '../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion, ParsedName } from '../parse/types.ts'
import type { FileFilter, Ordering } from './filter.ts'

/** One catalogued file. */
export interface FileRecord {
  /** Unique, grows with time, never reused. */
  readonly id: number
  readonly directory: string
  readonly name: string
  readonly createdUs: number
  /** Equal to `createdUs` until size or mtime change on disk, then later than it. */
  readonly modifiedUs: number
  /** Bytes; `undefined` until the file was looked at. */
  readonly size: number | undefined
  /** Modification time of the file; `undefined` until the file was looked at. */
  readonly mtimeUs: number | undefined
  /** Number of the latest change of this record. */
  readonly seq: number
}

/** SHA-256 of a record's file. */
export interface Hashed {
  /** 32 bytes; `undefined` while nobody has read the file as the record has it. */
  readonly sha256: Uint8Array | undefined
}

export type FoundFile = FileRecord & Hashed

/** What lists tell of a file. */
export type ListedFile = Pick<FileRecord, 'id' | 'directory' | 'name' | 'createdUs' | 'modifiedUs'>

/** Where the catalogue stands: two answers with the same head show the same state. */
export interface Head {
  /** Names this database; another value means that the catalogue was rebuilt. */
  readonly epoch: string
  /** Number of the latest change. */
  readonly seq: number
}

export interface PageQuery {
  /** At least 1. */
  readonly limit: number
  /** At least 0; past the end gives no records. */
  readonly offset: number
  /** Without one, all live records. */
  readonly filter?: FileFilter
  /** Without one, highest id first. */
  readonly ordering?: Ordering
}

/** A page of the list and the count, both of the moment `head`. */
export interface Page {
  readonly head: Head
  /** All live records that match, not only those of this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
}

export interface ChunkQuery {
  /** Only ids below it. */
  readonly before: number
  /** At least 1. */
  readonly limit: number
  readonly filter?: FileFilter
}

/** A part of the list, highest id first, and the database it is from. */
export interface RecordChunk {
  readonly epoch: string
  readonly records: readonly ListedFile[]
  /** `before` of the next chunk; `undefined` at the end of the list. A chunk may be empty before that. */
  readonly next: number | undefined
}

/** What the live files of a station are, by what their names tell. */
export interface StationSummary {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  /** UTC days since 1970-01-01 on which the earliest and the latest data start. */
  readonly firstDay: number
  readonly lastDay: number
  readonly files: number
  readonly byArea: Readonly<Partial<Record<Area, number>>>
  readonly byType: Readonly<Partial<Record<FileType, number>>>
  readonly byDuration: Readonly<Partial<Record<FileDuration, number>>>
  readonly byVersion: Readonly<Partial<Record<FileVersion, number>>>
}

export interface StationsQuery {
  readonly limit: number
  readonly offset: number
  readonly countries?: readonly string[]
  /** Only their files are counted, and stations without such files are left out. */
  readonly areas?: readonly Area[]
}

/** Stations in the order of their codes. */
export interface StationsPage {
  readonly head: Head
  readonly count: number
  readonly stations: readonly StationSummary[]
}

/** `created` and `modified`: the record is live; a file that came back counts as created. */
export type ChangeKind = 'created' | 'modified' | 'removed'

/** The latest change of a file. */
export interface Change {
  readonly seq: number
  readonly change: ChangeKind
  /** When the catalogue learned of it. */
  readonly atUs: number
  /** Of a removed file: as it last was. */
  readonly record: FileRecord
}

/** Only changes of files that match every list; one that is left out matches all. */
export interface ChangeFilters {
  /** Station codes in upper case: those of 4 characters match both forms of names, those of 9 that code alone. */
  readonly stations?: readonly string[]
  readonly areas?: readonly Area[]
  readonly types?: readonly FileType[]
  readonly durations?: readonly FileDuration[]
  readonly versions?: readonly FileVersion[]
}

export interface ChangesQuery {
  /** The number after which changes are wanted. */
  readonly since: number
  /** At least 1. */
  readonly limit: number
  readonly filters: ChangeFilters
}

/** Changes in the order of their numbers, all of the moment `head`. */
export interface ChangesPage {
  readonly head: Head
  /**
   * Removals up to this number may be forgotten: who knows of no later one must start again with the whole list.
   * The page is empty then, and also for a number that was never given.
   */
  readonly forgottenSeq: number
  readonly changes: readonly Change[]
  /**
   * All that matched up to this number is in the page. Where filters match little it may lie before the head
   * although the page is not full: one look is kept short.
   */
  readonly throughSeq: number
}

/** Checksums of a part of a directory's files, in the order of their names. */
export interface ChecksumChunk {
  readonly files: readonly (Hashed & { readonly name: string })[]
  /** The name after which the next chunk begins; `undefined` at the end. */
  readonly next: string | undefined
}

/** What a directory lists, as a whole. */
export interface DirectoryState {
  readonly epoch: string
  /** Another one when anything that is listed, or its size or time, is another. */
  readonly version: string
  /** When that was last so; `undefined` where nothing was ever listed. */
  readonly changedUs: number | undefined
}

export interface EntriesQuery {
  /** Of a directory; empty for the root. */
  readonly path: string
  /** Where the piece before ended: its `next`. Empty for the first. */
  readonly after: string
  /** At least 1. */
  readonly limit: number
}

/** A piece of what a directory holds. */
export interface Entries<T> {
  readonly entries: readonly T[]
  /** `after` of the next piece; `undefined` at the end. */
  readonly next: string | undefined
}

/** A directory with catalogued files in it or anywhere below it. */
export interface Subdirectory {
  readonly name: string
  /** When anything in it or below it last changed. */
  readonly changedUs: number | undefined
}

/** What a listing tells of a file. */
export type FileEntry = Pick<FileRecord, 'name' | 'size' | 'mtimeUs'>

/** What the catalogue can say of itself without its indexer. */
export interface CatalogueSummary {
  readonly head: Head
  readonly areas: Readonly<Record<Area, { files: number; directories: number }>>
  /** Files whose name tells another date than their directory. */
  readonly misplaced: number
  /** Files that were listed although their gzip stream has no end. */
  readonly incomplete: RejectionCount
  readonly checksums: {
    /** Files that have one. */
    readonly files: number
    /** Those of them whose gzip stream does not inflate to its end. */
    readonly broken: RejectionCount
  }
  /** Names and entries that are not catalogued, by reason, most frequent first. */
  readonly rejected: readonly RejectionCount[]
  /** End of the last complete scan of the tree; `undefined` before the first. */
  readonly lastScan: ScanSummary | undefined
}

export interface RejectionCount {
  readonly reason: string
  readonly count: number
  /** A few paths below the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly examples: readonly string[]
}

/** What one complete scan of the tree found. */
export interface ScanSummary {
  readonly startedUs: number
  readonly endedUs: number
  readonly directories: number
  /** Regular files met, catalogued or not. */
  readonly files: number
  readonly added: number
  readonly modified: number
  readonly removed: number
}

/**
 * Reads the catalogue. Every method may throw `CatalogueUnavailable` (no database yet, or one that this
 * program cannot read) and works again by itself once there is one.
 */
export interface CatalogueReader {
  head(): Promise<Head>
  page(query: PageQuery): Promise<Page>
  /** The live record of that id. */
  record(id: number): Promise<FileRecord | undefined>
  /** The live record of a file by its exact path. */
  file(directory: string, name: string): Promise<FoundFile | undefined>
  /**
   * The checksums of a directory's files, of those behind a name; `undefined` for a directory that is not known. Each
   * chunk is of its own moment.
   */
  checksums(directory: string, after: string): Promise<ChecksumChunk | undefined>
  /**
   * The list in pieces: asked again with `next` until there is none it gives all of it, without holding the database
   * in between.
   */
  records(query: ChunkQuery): Promise<RecordChunk>
  stations(query: StationsQuery): Promise<StationsPage>
  /** Of a code of 4 characters: both forms of names together. `undefined` when no file is live. */
  station(
    code: string,
  ): Promise<{ readonly head: Head; readonly station: StationSummary | undefined }>
  changes(query: ChangesQuery): Promise<ChangesPage>
  /** `undefined` for a directory that neither holds catalogued files nor is on disk. The root is always there. */
  directory(path: string): Promise<DirectoryState | undefined>
  /** A piece of the directories right below one, without those that hold nothing; in no order to rely on. */
  subdirectories(query: EntriesQuery): Promise<Entries<Subdirectory>>
  /** A piece of the live files of a directory, by name. */
  filesIn(query: EntriesQuery): Promise<Entries<FileEntry>>
  summary(): Promise<CatalogueSummary>
  close(): void
}

/** There is no catalogue to read at this moment; the message is for the log, not for clients. */
export class CatalogueUnavailable extends Error {
  readonly code = 'CATALOGUE_UNAVAILABLE'
}

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
}

export interface KnownStamp {
  readonly path: string
  /** `undefined` when the last look was too close to a change to be sure of it. */
  readonly stamp: DirectoryStamp | undefined
  /** Since when removals in it are held back; `undefined` when none are. */
  readonly heldSinceUs: number | undefined
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

/** What one directory's entries are not catalogued for. */
export interface DirectoryRejection {
  readonly reason: string
  readonly count: number
  readonly example: string
}

/** What differs between a directory on disk and in the catalogue: the outcome of reconciling it. */
export interface DirectoryChange {
  readonly path: string
  /** The directory is gone from disk: nothing below it stays known once its files are removed. */
  readonly gone: boolean
  readonly stamp: DirectoryStamp | undefined
  /** Since when removals in it are held back; `undefined` when none are. */
  readonly heldSinceUs: number | undefined
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
}

/** What a file was when it was read. */
export interface Checksum {
  readonly id: number
  readonly size: number
  readonly mtimeUs: number
  readonly sha256: Uint8Array
  /** Whether its gzip stream does not inflate to its end. */
  readonly broken: boolean
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
  forgetRemovals(beforeUs: number): Promise<{ readonly more: boolean }>
  /**
   * Looks for files without a checksum among those that arrived or changed after a number; without one, after what
   * `keepChecksums` remembers, and from now on where that is nothing.
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
  /** Remembers a complete scan. */
  scanned(scan: ScanSummary): Promise<void>
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
