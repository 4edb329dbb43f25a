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
import type { FileDuration, FileType, FileVersion } from '../parse/types.ts'
import { problems } from './filter.ts'
import type { FileFilter, OrderKey, OrderStep, Ordering, Problem } from './filter.ts'

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

/** The file on disk that a checksum was made of: sizes in bytes, the rest as `stat` tells it (see `identity.ts`). */
export interface FileIdentity {
  readonly inode: number
  readonly size: number
  readonly mtimeUs: number
  readonly ctimeUs: number
  /** Hard links. */
  readonly links: number
  /** Type and permissions. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** A record found by its path. */
export interface FoundFile extends FileRecord, Hashed {
  /** Whether the deletion guard withholds removals in its directory: it may be missing on disk and not be gone. */
  readonly isWithheld: boolean
  /**
   * The file that the checksum was made of. `undefined` without a checksum, and for one of an older release whose file
   * the indexer has not looked at since: only its size and mtime are known then, which are those of the record.
   */
  readonly identity: FileIdentity | undefined
}

/** What is known of a file besides its record; it may change without a change of the record. */
export interface FileDetails extends Hashed, Pick<FileRecord, 'size' | 'mtimeUs'> {
  /** The first that applies, in the order of `problems`. */
  readonly problem: Problem | undefined
}

/** What lists tell of a file. */
export type ListedFile = Pick<
  FileRecord,
  'id' | 'directory' | 'name' | 'createdUs' | 'modifiedUs'
> & {
  /** Where the query asked for it. */
  readonly details?: FileDetails
}

/** Where the catalogue stands: two answers with the same head show the same state. */
export interface Head {
  /** Names this database; another value means that the catalogue was rebuilt. */
  readonly epoch: string
  /** Number of the latest change. */
  readonly seq: number
  /** Grows when the details of a file change without a change of its record: for answers that show or filter by them. */
  readonly detailsSeq: number
}

export interface PageQuery extends WithDetails {
  /** At least 1. */
  readonly limit: number
  /** At least 0; past the end gives no records. */
  readonly offset: number
  /** Without one, all live records. */
  readonly filter?: FileFilter
  /** Without one, highest id first. */
  readonly ordering?: Ordering
}

interface WithDetails {
  /** Whether records come with their details. */
  readonly details?: boolean
}

/** A page of the list and the count, both of the moment `head`. */
export interface Page {
  readonly head: Head
  /** All live records that match, not only those of this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
}

export interface ChunkQuery extends WithDetails {
  /** Where the list goes on; without one, at its beginning. */
  readonly after?: ChunkPlace
  /** At least 1. */
  readonly limit: number
  readonly filter?: FileFilter
  /** By what never changes of a record, highest id first without one. */
  readonly ordering?: ChunkOrdering
}

export interface ChunkOrdering extends OrderStep {
  readonly key: Exclude<OrderKey, 'modified'>
}

/** Behind the record with this id, and the key by which the list is sorted: a time in its unit, a name in lower case. */
export interface ChunkPlace {
  readonly id: number
  readonly key: number | string
}

/** A part of the list, and the database it is from. */
export interface RecordChunk {
  readonly epoch: string
  readonly records: readonly ListedFile[]
  /** `after` of the next chunk; `undefined` at the end of the list. A chunk may be empty before that. */
  readonly next: ChunkPlace | undefined
}

/** What the live files of a station are, by what their names tell. */
export interface StationSummary {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  /** All codes whose files are counted, in their order. */
  readonly codes: readonly string[]
  /** UTC days since 1970-01-01 on which the earliest and the latest data start. */
  readonly firstDay: number
  readonly lastDay: number
  readonly files: number
  readonly byArea: Readonly<Partial<Record<Area, number>>>
  readonly byType: Readonly<Partial<Record<FileType, number>>>
  readonly byDuration: Readonly<Partial<Record<FileDuration, number>>>
  readonly byVersion: Readonly<Partial<Record<FileVersion, number>>>
}

export const stationOrderKeys = [
  'code',
  'country',
  'count',
  'first_data_date',
  'last_data_date',
] as const

export interface StationOrdering {
  readonly key: (typeof stationOrderKeys)[number]
  readonly descending: boolean
}

export interface StationsQuery {
  readonly limit: number
  readonly offset: number
  readonly countries?: readonly string[]
  /** In upper case: a part of one of its codes. */
  readonly search?: string
  /** Equal ones by code; without it by code. Stations without a country come last. */
  readonly ordering?: StationOrdering
  /** Only their files are counted, and stations without such files are left out. */
  readonly areas?: readonly Area[]
}

/** One a site: a short code is counted with the one long code that begins with it, where there is just one. */
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
  readonly record: ListedFile
}

/** What of a filter holds of a file for as long as it has its name and path, so that it holds of removed files too. */
export type ChangeFilters = Omit<
  FileFilter,
  'created' | 'modified' | 'idAbove' | 'idBelow' | 'problems'
>

/** A removed file has no checksum and no problem. */
export interface ChangesQuery extends WithDetails {
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

/** A file in the list of a directory's checksums. */
export interface ChecksumEntry extends Hashed {
  readonly name: string
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
}

/** Checksums of a part of a directory's files, in the order of their names. */
export interface ChecksumChunk {
  readonly files: readonly ChecksumEntry[]
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
  /** Files whose gzip stream has no end. */
  readonly incomplete: RejectionCount
  readonly checksums: {
    /** Files that have one. */
    readonly files: number
    /** Those of them whose gzip stream is damaged before its end. */
    readonly broken: RejectionCount
  }
  /** Names and entries that are not catalogued, by reason, most frequent first. */
  readonly rejected: readonly RejectionCount[]
  /** End of the last complete scan of the tree; `undefined` before the first. */
  readonly lastScan: ScanSummary | undefined
}

/** What is listed with its paths: files with a problem, and entries that are not catalogued. */
export const listedProblems = [...problems, 'rejected'] as const
export type ListedProblem = (typeof listedProblems)[number]

export interface ProblemsQuery {
  readonly kinds: readonly ListedProblem[]
  /** 0 for the count alone. */
  readonly limit: number
  /** At least 0; past the end gives no entries. */
  readonly offset: number
}

export interface ProblemEntry {
  readonly problem: ListedProblem
  /** Below the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly path: string
  /** In a word: `no-end`, `damaged`, `other-date`, or why an entry is not catalogued. */
  readonly reason: string
  /** `undefined` where it is not known. */
  readonly sinceUs: number | undefined
}

export interface ProblemsPage {
  readonly count: number
  readonly entries: readonly ProblemEntry[]
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
 * program cannot read) and works again by itself once there is one. Pages, chunks and stations may throw `NotBuilt`, `QueryTimeout`
 * and `TooManyQueries`.
 */
export interface CatalogueReader {
  head(): Promise<Head>
  /** @param signal ends a long query of which nobody awaits the answer any more */
  page(query: PageQuery, signal?: AbortSignal): Promise<Page>
  /** The live record of that id, with its details where these are asked for. */
  record(id: number, details?: boolean): Promise<(FileRecord & ListedFile) | undefined>
  /** The live record of a file by its exact path. */
  file(directory: string, name: string): Promise<FoundFile | undefined>
  /** The name of the one file of a directory that differs from this name by the case of ASCII letters alone. */
  nameInOtherCase(directory: string, name: string): Promise<string | undefined>
  /** Another one when `checksums` tells anything else; `undefined` for a directory that is not known. */
  checksumsVersion(directory: string): Promise<string | undefined>
  /**
   * The checksums of a directory's files, of those behind a name; `undefined` for a directory that is not known. Each
   * chunk is of its own moment.
   */
  checksums(directory: string, after: string): Promise<ChecksumChunk | undefined>
  /**
   * The list in pieces: asked again with `next` until there is none it gives all of it, without holding the database
   * in between.
   */
  records(query: ChunkQuery, signal?: AbortSignal): Promise<RecordChunk>
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
  /** The last complete scan of the tree; `undefined` before the first. Costs one row. */
  lastScan(): Promise<ScanSummary | undefined>
  summary(): Promise<CatalogueSummary>
  /** By kind, in the order of `listedProblems`. Of each directory and reason at most 100 rejected names are listed. */
  problems(query: ProblemsQuery): Promise<ProblemsPage>
  close(): void
}

/** There is no catalogue to read at this moment; the message is for the log, not for clients. */
export class CatalogueUnavailable extends Error {
  readonly code = 'CATALOGUE_UNAVAILABLE'
}

/** The database is being migrated to the schema of this program. */
export class CatalogueMigrating extends CatalogueUnavailable {
  /** For clients too: `from schema 9 to 10: counting, 40 %`. */
  readonly progress: string

  constructor(progress: string) {
    super(`the database is being migrated ${progress}`)
    this.progress = progress
  }
}

/**
 * An index or count that a filter or an ordering needs is still being built, at the end of a first scan or after a
 * migration: half a minute later it may be there. Everything else answers meanwhile.
 */
export class NotBuilt extends Error {
  readonly code = 'NOT_BUILT'
}

/** A query took longer than it may; nothing is wrong with the catalogue. */
export class QueryTimeout extends Error {
  readonly code = 'QUERY_TIMEOUT'
}

/** More long queries are waiting than are let in. */
export class TooManyQueries extends Error {
  readonly code = 'TOO_MANY_QUERIES'
}
