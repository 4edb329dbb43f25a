/**
 * The interface between the catalogue and its users: the indexer writes through `CatalogueWriter`,
 * the API reads through `CatalogueReader`. Each engine has a folder beside this file. The indexer
 * and the API know no engine: only the commands open one, or call its functions for backups, checks
 * and migrations. All methods except `close` return promises, so that an engine can be a database
 * server.
 *
 * Times ending in `Us` are microseconds since 1970-01-01T00:00:00Z, exact in a double until 2255. A
 * live record is the record of a file that is in the catalogue now. A directory is named by its
 * path below the archive root, without slashes at its ends: `obs/2026/001`.
 */
import type { Area } from '../parse/archive-path.ts'
import { problems } from './filter.ts'
import type { FileFilter, OrderKey, OrderStep, Ordering } from './filter.ts'
import type {
  SingleRecord,
  FoundFile,
  ListedFile,
  Head,
  StationSummary,
  Change,
  ChangeKind,
  ChecksumEntry,
  DirectoryState,
  Subdirectory,
  FileEntry,
  CatalogueSummary,
  ScanSummary,
  StorageFigures,
} from './records.ts'
import type { Counting, PageSums } from './sums.ts'
import type { Volumes, VolumesQuery } from './volumes.ts'
import type { DayRange } from '../series/series.ts'
import type {
  SeriesQuery,
  SeriesSlots,
  ArrivalsQuery,
  SeriesArrivals,
  LiveSlotsQuery,
  LiveSlots,
  DamagedFile,
  DeliveriesQuery,
  NetworkDeliveries,
} from './series-queries.ts'

export interface PageQuery extends WithDetails {
  /** At least 1. */
  readonly limit: number
  /** At least 0; an offset after the end gives no records. */
  readonly offset: number
  /** Default: all live records. */
  readonly filter?: FileFilter
  /** Default: highest id first. */
  readonly ordering?: Ordering
  /** Also sums up all matching records. */
  readonly sums?: Counting | undefined
}

interface WithDetails {
  /** True to return the records with their details. */
  readonly details?: boolean
}

/** A page of the list and the count, both at the state `head`. */
export interface Page {
  readonly head: Head
  /** Number of all matching live records, not only of those on this page. */
  readonly count: number
  readonly records: readonly ListedFile[]
  /** Only if they were requested. */
  readonly sums?: PageSums | undefined
}

export interface ChunkQuery extends WithDetails {
  /** `next` of the previous chunk; without it, the chunk is the first of the list. */
  readonly after?: ChunkCursor
  /** At least 1. */
  readonly limit: number
  readonly filter?: FileFilter
  /**
   * Default: highest id first. The key must never change for a record, because chunks are read at
   * different times.
   */
  readonly ordering?: ChunkOrdering
}

export interface ChunkOrdering extends OrderStep {
  readonly key: Exclude<OrderKey, 'modified'>
}

/**
 * A position in the list: after a record, or, in the order of ids, after the last id that was
 * examined. The key is the sort key at this position: an id, a time in the unit of its column, or a
 * name in lower case.
 */
export interface ChunkCursor {
  readonly id: number
  readonly key: number | string
}

/** A part of the list, with the epoch of the database. */
export interface RecordChunk {
  readonly epoch: string
  readonly records: readonly ListedFile[]
  /**
   * `after` for the next chunk; `undefined` at the end of the list. A chunk before the end may be
   * empty.
   */
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
  /**
   * Only stations with these codes. A station is found by its `code` in the answer: the files of a
   * short code that belongs to a long code are found only by the long code.
   */
  readonly codes?: readonly string[]
  /** Only stations with a code that contains this text, in upper case. */
  readonly search?: string
  /** Only stations with a code that begins with this text, in upper case. */
  readonly start?: string
  /**
   * Default: by code. Stations with equal sort keys are sorted by code. If the key is the country,
   * stations without a country come last.
   */
  readonly ordering?: StationOrdering
  /** Only files in these areas are counted; stations without files in them are left out. */
  readonly areas?: readonly Area[]
}

/**
 * The files of a short code are counted with the long code to which it belongs (see
 * `selection/sites.ts`).
 */
export interface StationsPage {
  readonly head: Head
  readonly count: number
  readonly stations: readonly StationSummary[]
}

/**
 * The conditions of a filter that depend only on name and path, so that they apply to removed files
 * too.
 */
export type ChangeFilters = Omit<
  FileFilter,
  'created' | 'modified' | 'idAbove' | 'idBelow' | 'problems'
>

/** In the details of a removed file, the checksum and the problem are `undefined`. */
export interface ChangesQuery extends WithDetails {
  /** Changes after this seq. */
  readonly since: number
  /** At least 1. */
  readonly limit: number
  readonly filters: ChangeFilters
  /** Only changes of these kinds; by default all. */
  readonly kinds?: readonly ChangeKind[]
}

export interface ChangeCountsQuery {
  /** Changes at this time or later. */
  readonly sinceUs: number
  readonly filters: ChangeFilters
}

/** How many files have a latest change of each kind since a time. */
export interface ChangeCounts {
  readonly counts: Readonly<Record<ChangeKind, number>>
  /** False if there may be more: only the last 10,000 numbers are examined. */
  readonly isComplete: boolean
}

/**
 * A page of the change feed: changes in ascending order of seq, as they are at the state `head`.
 */
export interface ChangesPage {
  readonly head: Head
  /**
   * Removals up to this seq may have been purged, so a client with a lower `since` must start again
   * with the whole list. For a lower `since`, and for one after the head, the page is empty.
   */
  readonly purgedSeq: number
  /**
   * With a filter on countries: up to this seq, files with short names may have entered or left
   * these countries without a change of their own (see `selection/sites.ts`), so a client with a
   * lower `since` must start again with the whole list. 0 without such a filter, and if no file
   * ever did.
   */
  readonly joinedSeq: number
  readonly changes: readonly Change[]
  /**
   * The page contains all matching changes up to this seq. With filters, it may be lower than the
   * head although the page is not full, because one query examines only a limited number of
   * changes.
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
  /** `next` of the previous chunk; empty for the first chunk. */
  readonly after: string
  /** At least 1. */
  readonly limit: number
}

/** A chunk of a directory listing. */
export interface Entries<T> {
  readonly entries: readonly T[]
  /** `after` for the next chunk; `undefined` at the end. */
  readonly next: string | undefined
}

/**
 * The kinds of problems: those of listed files, and `rejected` for entries that are not catalogued.
 */
export const listedProblems = [...problems, 'rejected'] as const
export type ListedProblem = (typeof listedProblems)[number]

export interface ProblemsQuery {
  readonly kinds: readonly ListedProblem[]
  /** 0 to get only the count. */
  readonly limit: number
  /** At least 0; an offset after the end gives no entries. */
  readonly offset: number
}

export interface ProblemEntry {
  readonly problem: ListedProblem
  /** Path relative to the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly path: string
  /** One word: `no-end`, `damaged`, `other-date`, or the reason why an entry is not catalogued. */
  readonly reason: string
  /**
   * Time of the latest change of the file, or the time since which the directory has rejected
   * entries for this reason.
   */
  readonly sinceUs: number
}

export interface ProblemsPage {
  readonly count: number
  readonly entries: readonly ProblemEntry[]
}

export interface RecordQuery extends WithDetails {
  readonly id: number
}

/** A file by its exact path. */
export interface FileQuery {
  readonly directory: string
  readonly name: string
}

export interface ChecksumsQuery {
  readonly directory: string
  /** Only files with a name after this one; empty for the first chunk. */
  readonly after: string
}

/** Files that may have been removed or rejected. */
export interface UnlistedQuery {
  /** Paths of directories in which they may have been; at most a few dozen. */
  readonly directories: readonly string[]
  /** Their names, in lower case; the case of ASCII letters is ignored. */
  readonly names: readonly string[]
}

/** A file that was removed, by its last record. */
export interface RemovedFile extends FileQuery {
  readonly seq: number
  readonly atUs: number
}

/** An entry that is not catalogued; `sinceUs` as in `ProblemEntry`. */
export interface RejectedFile extends FileQuery {
  /** An `EntryRejectionReason` of this or an earlier release. */
  readonly reason: string
  readonly sinceUs: number
}

export interface UnlistedFiles {
  /** Latest removal first. */
  readonly removed: readonly RemovedFile[]
  /** Of each directory and reason, only the first 100 names are known. */
  readonly rejected: readonly RejectedFile[]
}

export interface StationAnswer {
  readonly head: Head
  /** `undefined` without live files. */
  readonly station: StationSummary | undefined
}

/** Who asks a query. Without an asker, the query is one of the program itself. */
export interface Asker {
  /** The client for which the query counts, because clients take turns at long queries. */
  readonly client: string
  /** Cancels a long query when its client has left. */
  readonly signal: AbortSignal
}

/**
 * Reads the catalogue. Every method except `close` may throw `CatalogueUnavailable` (no database,
 * or one that this program cannot read), and works again as soon as there is a readable database.
 * Queries that need an index or a table of counts throw `NotBuilt` while it does not exist yet.
 * Queries that take long throw `TooManyQueries` if too many of them wait, and `QueryTimeout` if a
 * client asks and they take too long.
 */
export interface CatalogueReader {
  /** The slots of a series; `undefined` for an unknown station. Throws `NotBuilt`. */
  seriesSlots(query: SeriesQuery, asker?: Asker): Promise<SeriesSlots | undefined>
  /** The recorded arrivals of a series; `undefined` for an unknown station. Throws `NotBuilt`. */
  seriesArrivals(query: ArrivalsQuery, asker?: Asker): Promise<SeriesArrivals | undefined>
  /** The live files of some series, in the order of the query. Throws `NotBuilt`. */
  liveSlots(query: LiveSlotsQuery, asker?: Asker): Promise<readonly LiveSlots[]>
  /** The recorded deliveries of all series. Throws `NotBuilt`. */
  deliveries(query: DeliveriesQuery, asker?: Asker): Promise<NetworkDeliveries>
  /** The damaged live files whose data begin on some days. Throws `NotBuilt`. */
  damagedFiles(days: DayRange, asker?: Asker): Promise<readonly DamagedFile[]>
  head(): Promise<Head>
  page(query: PageQuery, asker?: Asker): Promise<Page>
  /**
   * A live record, and its details if requested; `undefined` if there is no live record with this
   * id.
   */
  record(query: RecordQuery): Promise<SingleRecord | undefined>
  /** The live record of a file by its exact path; `undefined` if the file is not catalogued. */
  file(query: FileQuery): Promise<FoundFile | undefined>
  /**
   * Searches a directory for live files whose names differ from `name` only in the case of ASCII
   * letters. Returns the name of the file that is found; `undefined` if there is none, or more than
   * one.
   */
  nameInOtherCase(query: FileQuery): Promise<string | undefined>
  /** The tombstones and rejections of some names in some directories. */
  unlisted(query: UnlistedQuery, asker?: Asker): Promise<UnlistedFiles>
  /** A text that changes whenever `checksums` changes; `undefined` for an unknown directory. */
  checksumsVersion(directory: string): Promise<string | undefined>
  /**
   * A chunk of the checksums in a directory: those of the files after `after`, by name; `undefined`
   * for an unknown directory. Each chunk is read in a transaction of its own.
   */
  checksums(query: ChecksumsQuery): Promise<ChecksumChunk | undefined>
  /**
   * True if a live file is in the queue of files to be hashed, because it is new or changed, or its
   * checksum is stale. Older files do not count.
   */
  awaitsChecksum(id: number): Promise<boolean>
  /**
   * Reads the list in chunks: repeat with `next` until it is `undefined`. No transaction stays open
   * between chunks.
   */
  records(query: ChunkQuery, asker?: Asker): Promise<RecordChunk>
  stations(query: StationsQuery, asker?: Asker): Promise<StationsPage>
  /**
   * A code of 4 characters stands for itself and all long codes that begin with it.
   */
  station(code: string): Promise<StationAnswer>
  changes(query: ChangesQuery, asker?: Asker): Promise<ChangesPage>
  changeCounts(query: ChangeCountsQuery, asker?: Asker): Promise<ChangeCounts>
  /**
   * The state of a directory; `undefined` if it is not on disk and there are no catalogued files in
   * it or below it. The root always exists.
   */
  directory(path: string): Promise<DirectoryState | undefined>
  /**
   * A chunk of the direct subdirectories that have catalogued files in them or below them, in no
   * particular order.
   */
  subdirectories(query: EntriesQuery): Promise<Entries<Subdirectory>>
  /** A chunk of the live files of a directory, by name. */
  filesIn(query: EntriesQuery): Promise<Entries<FileEntry>>
  /** The last complete scan of the tree; `undefined` before the first. Reads one row. */
  lastScan(): Promise<ScanSummary | undefined>
  summary(query?: undefined, asker?: Asker): Promise<CatalogueSummary>
  /** The number and size of the files, from the tables of counts. */
  volumes(query: VolumesQuery, asker?: Asker): Promise<Volumes>
  /** The differences between the stored counts and the records, as lines. Takes long. */
  countFaults(query?: undefined, asker?: Asker): Promise<readonly string[]>
  /** Reads the sizes of the files, not the database itself. */
  storage(): Promise<StorageFigures>
  /**
   * Lists problems by kind, in the order of `listedProblems`; at most 100 rejected names for each
   * directory and reason.
   */
  problems(query: ProblemsQuery, asker?: Asker): Promise<ProblemsPage>
  /**
   * Resolves when the catalogue may have changed, at the latest after the time at which a client
   * that waits for changes should look again.
   */
  untilWritten(): Promise<void>
  close(): Promise<void>
}
