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
import type { SeriesKey } from '../insight/series.ts'
import { problems } from './filter.ts'
import type { FileFilter, OrderKey, OrderStep, Ordering } from './filter.ts'
import type {
  FileRecord,
  FoundFile,
  ListedFile,
  Head,
  StationSummary,
  Change,
  ChecksumEntry,
  DirectoryState,
  Subdirectory,
  FileEntry,
  CatalogueSummary,
  ScanSummary,
} from './records.ts'

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

/** Asks for the slots of a series (see src/insight). */
export interface SeriesQuery extends SeriesKey {
  /** Code of the station in upper case, 4 or 9 characters. */
  readonly code: string
  /** First and last slot; without `from`, from the first live file of the series. */
  readonly from: number | undefined
  readonly to: number
  /** Slots of the last 28 days, for the usual latency. */
  readonly learning: { readonly from: number; readonly to: number }
}

/** What is known of the slots of a series; slots ascending, without duplicates. */
export interface SeriesSlots {
  readonly head: Head
  /** Codes of the station whose files fill the slots: 9 characters, and 4 if they belong to no other station. */
  readonly codes: readonly string[]
  /** Long codes that share a short code, whose files are then a series of their own. */
  readonly ambiguous: readonly string[]
  /** The first slot of the range. */
  readonly from: number
  /** Slots with a live file, from 28 days before the range. */
  readonly live: readonly number[]
  /** Slots with a recorded delivery, live or removed, from 28 days before the range. */
  readonly recorded: readonly number[]
  /** Seconds, ascending. */
  readonly latencies: readonly number[]
  /** Time from which deliveries are recorded. */
  readonly knownFromUs: number
}

/** The recorded arrivals of a series. */
export interface SeriesArrivals extends Pick<SeriesSlots, 'head' | 'codes' | 'ambiguous'> {
  /** Slots in ascending order with their latency in seconds: files that were seen arriving. */
  readonly arrivals: readonly (readonly [slot: number, latency: number])[]
  /** Latencies of the last 28 days in seconds, ascending. */
  readonly latencies: readonly number[]
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
  readonly purgedSeq: number
  readonly changes: readonly Change[]
  /**
   * All that matched up to this number is in the page. Where filters match little it may lie before the head
   * although the page is not full: one look is kept short.
   */
  readonly throughSeq: number
}

/** Checksums of a part of a directory's files, in the order of their names. */
export interface ChecksumChunk {
  readonly files: readonly ChecksumEntry[]
  /** The name after which the next chunk begins; `undefined` at the end. */
  readonly next: string | undefined
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

/**
 * Reads the catalogue. Every method may throw `CatalogueUnavailable` (no database yet, or one that this
 * program cannot read) and works again by itself once there is one. Pages, chunks and stations may throw `NotBuilt`, `QueryTimeout`
 * and `TooManyQueries`.
 */
export interface CatalogueReader {
  /** The slots of a series; `undefined` for an unknown station. Throws `NotBuilt`. */
  seriesSlots(query: SeriesQuery): Promise<SeriesSlots | undefined>
  /** The recorded arrivals of a series; `undefined` for an unknown station. */
  seriesArrivals(
    query: SeriesQuery & { readonly from: number },
  ): Promise<SeriesArrivals | undefined>
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
