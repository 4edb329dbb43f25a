/**
 * The interface between the catalogue and its users: the indexer writes through `CatalogueWriter`, the API reads through
 * `CatalogueReader`. Each engine has a folder beside this file and is opened with `open*` functions only. All methods return
 * promises, so that an engine can be a database server.
 *
 * Times ending in `Us` are microseconds since 1970-01-01T00:00:00Z, exact in a double until 2255.
 * A directory is named by its path below the archive root, without slashes at its ends: `obs/2026/001`.
 */
import type { Area } from '../parse/archive-path.ts'
import type { DayDeliveries } from '../insight/delivery-window.ts'
import type { SeriesKey } from '../insight/series.ts'
import { problems } from './filter.ts'
import type { FileFilter, OrderKey, OrderStep, Ordering, TimeRange } from './filter.ts'
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
  StorageFigures,
} from './records.ts'

export interface PageQuery extends WithDetails {
  /** At least 1. */
  readonly limit: number
  /** At least 0; an offset after the end gives no records. */
  readonly offset: number
  /** Default: all live records. */
  readonly filter?: FileFilter
  /** Default: highest id first. */
  readonly ordering?: Ordering
}

interface WithDetails {
  /** Whether records have their details. */
  readonly details?: boolean
}

/** A page of the list and the count, both at the state `head`. */
export interface Page {
  readonly head: Head
  /** Count of all matching live records, not only of this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
}

export interface ChunkQuery extends WithDetails {
  /** `next` of the chunk before; default: the beginning of the list. */
  readonly after?: ChunkCursor
  /** At least 1. */
  readonly limit: number
  readonly filter?: FileFilter
  /** By a key that never changes of a record; default: highest id first. */
  readonly ordering?: ChunkOrdering
}

export interface ChunkOrdering extends OrderStep {
  readonly key: Exclude<OrderKey, 'modified'>
}

/** The position after the record with this id and this sort key: a time in its unit, a name in lower case. */
export interface ChunkCursor {
  readonly id: number
  readonly key: number | string
}

/** A part of the list, and the epoch of its database. */
export interface RecordChunk {
  readonly epoch: string
  readonly records: readonly ListedFile[]
  /** `after` of the next chunk; `undefined` at the end of the list. A chunk before the end may be empty. */
  readonly next: ChunkCursor | undefined
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
  /** Only these; by their long code if it is known. */
  readonly codes?: readonly string[]
  /** In upper case: a part of one of the station's codes. */
  readonly search?: string
  /** Default: by code. Equal stations are sorted by code; stations without a country come last. */
  readonly ordering?: StationOrdering
  /** Only files in these areas are counted; stations without any are not in the list. */
  readonly areas?: readonly Area[]
}

/** One station per site: a short code is counted with the only long code that begins with it. */
export interface StationsPage {
  readonly head: Head
  readonly count: number
  readonly stations: readonly StationSummary[]
}

/** Query for the slots of a series (see src/insight). */
export interface SeriesQuery extends SeriesKey {
  /** Code of the station in upper case, 4 or 9 characters. */
  readonly code: string
  /** First and last slot; without `from`, from the first live file of the series. */
  readonly from: number | undefined
  readonly to: number
  /** Slots of the last 28 days, for the usual latency. */
  readonly learning: { readonly from: number; readonly to: number }
}

/** The slots of a series; ascending, without duplicates. */
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

/** Query for the deliveries of all series. */
export interface DeliveriesQuery {
  /** UTC days since 1970, both included. */
  readonly fromDay: number
  readonly toDay: number
  /** Only days whose deliveries changed after this state; all days without it. */
  readonly since?: Head | undefined
}

/** A series of the catalogue: it has recorded deliveries or live files. */
export interface NetworkSeries extends SeriesKey {
  /** 9 characters, or 4 if no or several long codes begin with them. */
  readonly station: string
  /** Its numbers in the columns of the deliveries: several if two codes share the station, none without recorded deliveries. */
  readonly ids: readonly number[]
  /** Start of the newest data of a live file, in seconds since 1970. */
  readonly lastStart: number | undefined
}

/** The recorded deliveries of all series on some days. */
export interface NetworkDeliveries {
  readonly head: Head
  /** Time from which deliveries are recorded. */
  readonly knownFromUs: number
  readonly series: readonly NetworkSeries[]
  /** False if the changes since the state are not known, or too many: no day was read. */
  readonly isComplete: boolean
  /** Days that were read, ascending, with all their deliveries. */
  readonly days: readonly DayDeliveries[]
}

/** Files whose content was replaced in a range of time, oldest first. */
export interface ReplacedFiles {
  readonly files: readonly { readonly path: string; readonly modifiedUs: number }[]
  /** False if there are more, or so many files arrived that not all were compared. */
  readonly isComplete: boolean
}

/** A directory in which files were listed or replaced. */
export interface ChangedDirectory {
  readonly path: string
  readonly files: number
}

/** The conditions of a filter that depend only on name and path, so that they apply to removed files too. */
export type ChangeFilters = Omit<
  FileFilter,
  'created' | 'modified' | 'idAbove' | 'idBelow' | 'problems'
>

/** A removed file has no checksum and no problem. */
export interface ChangesQuery extends WithDetails {
  /** Changes after this seq. */
  readonly since: number
  /** At least 1. */
  readonly limit: number
  readonly filters: ChangeFilters
}

/** Changes in the order of seq, all at the state `head`. */
export interface ChangesPage {
  readonly head: Head
  /**
   * Removals up to this seq may be purged: a client with an older `since` must start again with the whole list. Then the page
   * is empty, as for a seq after the head.
   */
  readonly purgedSeq: number
  readonly changes: readonly Change[]
  /**
   * The page has all matching changes up to this seq. With filters that match little it may be before the head although the
   * page is not full, because each query is short.
   */
  readonly throughSeq: number
}

/** Checksums of some files of a directory, in the order of their names. */
export interface ChecksumChunk {
  readonly files: readonly ChecksumEntry[]
  /** The name after which the next chunk begins; `undefined` at the end. */
  readonly next: string | undefined
}

export interface EntriesQuery {
  /** Path of a directory; empty for the root. */
  readonly path: string
  /** `next` of the chunk before; empty for the first. */
  readonly after: string
  /** At least 1. */
  readonly limit: number
}

/** A chunk of a directory listing. */
export interface Entries<T> {
  readonly entries: readonly T[]
  /** `after` of the next chunk; `undefined` at the end. */
  readonly next: string | undefined
}

/** The kinds of problems: those of listed files, and entries that are not catalogued. */
export const listedProblems = [...problems, 'rejected'] as const
export type ListedProblem = (typeof listedProblems)[number]

export interface ProblemsQuery {
  readonly kinds: readonly ListedProblem[]
  /** 0 for only the count. */
  readonly limit: number
  /** At least 0; an offset after the end gives no entries. */
  readonly offset: number
}

export interface ProblemEntry {
  readonly problem: ListedProblem
  /** Below the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly path: string
  /** One word: `no-end`, `damaged`, `other-date`, or the reason why an entry is not catalogued. */
  readonly reason: string
  /** `undefined` if unknown. */
  readonly sinceUs: number | undefined
}

export interface ProblemsPage {
  readonly count: number
  readonly entries: readonly ProblemEntry[]
}

/**
 * Reads the catalogue. Every method may throw `CatalogueUnavailable` (no database, or one that this program cannot read), and
 * works again as soon as there is one. Pages, chunks and stations may throw `NotBuilt`, `QueryTimeout`
 * and `TooManyQueries`.
 */
export interface CatalogueReader {
  /** The slots of a series; `undefined` for an unknown station. Throws `NotBuilt`. */
  seriesSlots(query: SeriesQuery): Promise<SeriesSlots | undefined>
  /** The recorded arrivals of a series; `undefined` for an unknown station. */
  seriesArrivals(
    query: SeriesQuery & { readonly from: number },
  ): Promise<SeriesArrivals | undefined>
  /** The recorded deliveries of all series. Throws `NotBuilt`. */
  deliveries(query: DeliveriesQuery): Promise<NetworkDeliveries>
  /** At most 1000 files. Throws `NotBuilt`. */
  replacedFiles(modified: Required<TimeRange>): Promise<ReplacedFiles>
  /** The five directories with the most files that were listed or replaced since a time. Throws `NotBuilt`. */
  changedDirectories(sinceUs: number): Promise<readonly ChangedDirectory[]>
  head(): Promise<Head>
  /** @param signal cancels a long query when its client has left */
  page(query: PageQuery, signal?: AbortSignal): Promise<Page>
  /** The live record of an id; with its details if requested. */
  record(id: number, details?: boolean): Promise<(FileRecord & ListedFile) | undefined>
  /** The live record of a file by its exact path. */
  file(directory: string, name: string): Promise<FoundFile | undefined>
  /** The name of the only file of a directory that differs from this name only in the case of ASCII letters. */
  nameInOtherCase(directory: string, name: string): Promise<string | undefined>
  /** Changes whenever `checksums` changes; `undefined` for an unknown directory. */
  checksumsVersion(directory: string): Promise<string | undefined>
  /**
   * The checksums of the files of a directory after a name; `undefined` for an unknown directory. Each chunk is read at its own
   * time.
   */
  checksums(directory: string, after: string): Promise<ChecksumChunk | undefined>
  /** Whether a live file is in the queue of files to be hashed: a new or changed file, or one with a stale checksum. */
  awaitsChecksum(id: number): Promise<boolean>
  /**
   * The list in chunks: repeat with `next` until it is `undefined`. No transaction stays open between chunks.
   */
  records(query: ChunkQuery, signal?: AbortSignal): Promise<RecordChunk>
  stations(query: StationsQuery): Promise<StationsPage>
  /** A code of 4 characters is both forms of names together. `undefined` without live files. */
  station(
    code: string,
  ): Promise<{ readonly head: Head; readonly station: StationSummary | undefined }>
  changes(query: ChangesQuery): Promise<ChangesPage>
  /** `undefined` for a directory without catalogued files that is not on disk. The root always exists. */
  directory(path: string): Promise<DirectoryState | undefined>
  /** A chunk of the direct subdirectories, without empty ones; in no particular order. */
  subdirectories(query: EntriesQuery): Promise<Entries<Subdirectory>>
  /** A chunk of the live files of a directory, by name. */
  filesIn(query: EntriesQuery): Promise<Entries<FileEntry>>
  /** The last complete scan of the tree; `undefined` before the first. Reads one row. */
  lastScan(): Promise<ScanSummary | undefined>
  summary(): Promise<CatalogueSummary>
  /** Does not read the database. */
  storage(): Promise<StorageFigures>
  /** By kind, in the order of `listedProblems`. Has at most 100 rejected names of each directory and reason. */
  problems(query: ProblemsQuery): Promise<ProblemsPage>
  close(): void
}

/** The catalogue is temporarily unavailable. The message is for the log, not for clients. */
export class CatalogueUnavailable extends Error {
  readonly code = 'CATALOGUE_UNAVAILABLE'
}

/** The database is being migrated to the schema of this program. */
export class CatalogueMigrating extends CatalogueUnavailable {
  /** Public: `from schema 9 to 10: counting, 40 %`. */
  readonly progress: string

  constructor(progress: string) {
    super(`the database is being migrated ${progress}`)
    this.progress = progress
  }
}

/**
 * An index or count that a filter or an ordering needs is being built, at the end of a first scan or after a migration. All other
 * queries work meanwhile.
 */
export class NotBuilt extends Error {
  readonly code = 'NOT_BUILT'
}

/** A query exceeded its time limit; the catalogue works. */
export class QueryTimeout extends Error {
  readonly code = 'QUERY_TIMEOUT'
}

/** The queue of long queries is full. */
export class TooManyQueries extends Error {
  readonly code = 'TOO_MANY_QUERIES'
}
