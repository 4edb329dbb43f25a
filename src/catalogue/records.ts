/**
 * The types of records, stations, changes, listings and the summary, as the reader and the writer
 * of the catalogue return them.
 */
import type { Area } from '../parse/archive-path.ts'
import type { PathRejectionReason } from '../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion, RejectionReason } from '../parse/types.ts'
import type { Problem } from './filter.ts'

/**
 * The settling time: ten minutes, in milliseconds. A file that changed less than this time ago may
 * be incomplete. The indexer lists it only if its gzip stream has an end, and counts this time by
 * its own clock; the API sends it only if it is unchanged since it was catalogued. An older file is
 * listed with any content.
 */
export const youngFileMs = 10 * 60_000

/**
 * Days in the future that belong to the present: clocks differ, and directories of tomorrow are
 * made today. A file with a later date has a wrong name.
 */
export const daysAhead = 2

/** A record by its id, as lists show it. */
export interface SingleRecord extends ListedFile, FileRecord {
  /** When the file arrived; `undefined` if it was not seen arriving. */
  readonly arrivalUs: number | undefined
}

/** The record of a catalogued file. */
export interface FileRecord {
  /** Unique, ascending in time, never reused. */
  readonly id: number
  readonly directory: string
  readonly name: string
  readonly createdUs: number
  /** Equal to `createdUs` until size or mtime change on disk, then later than it. */
  readonly modifiedUs: number
  /** Bytes; `undefined` before the first stat of the file. */
  readonly size: number | undefined
  /** mtime of the file; `undefined` before the first stat of the file. */
  readonly mtimeUs: number | undefined
  /** Seq of the latest change of this record. */
  readonly seq: number
}

/** SHA-256 of a record's file. */
export interface Hashed {
  /**
   * 32 bytes; `undefined` until this version of the file is hashed, and while its checksum is
   * stale.
   */
  readonly sha256: Uint8Array | undefined
}

/**
 * The identity of a file on disk, from its `stat` (see `toIdentity`). It is stored for the file
 * that was hashed.
 */
export interface FileIdentity {
  readonly inode: number
  readonly size: number
  readonly mtimeUs: number
  readonly ctimeUs: number
  /** Number of hard links. */
  readonly links: number
  /** File type and permissions. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** A record found by its path. */
export interface FoundFile extends FileRecord, Hashed {
  /**
   * True if the deletion guard withholds removals in its directory; the file may then be missing on
   * disk temporarily.
   */
  readonly isWithheld: boolean
  /**
   * The identity of the file that was hashed; `undefined` without a checksum, or with a stale one.
   * The hashed file has the size and mtime of the record.
   */
  readonly identity: FileIdentity | undefined
}

/**
 * The details of a file that lists return on request. They may change while the seq of the record
 * stays.
 */
export interface FileDetails extends Hashed, Pick<FileRecord, 'size' | 'mtimeUs'> {
  /** The first problem of the file, in the order of `problems`. */
  readonly problem: Problem | undefined
}

/** A file as lists return it. */
export type ListedFile = Pick<
  FileRecord,
  'id' | 'directory' | 'name' | 'createdUs' | 'modifiedUs'
> & {
  /** Present if the query requests details. */
  readonly details?: FileDetails
}

/** Up to which time the catalogue is known to equal the tree. */
export interface Heartbeat {
  /** Start of the last scan or sweep whose changes are all in the catalogue. */
  readonly atUs: number
  /** Age in seconds from which the catalogue is not current. */
  readonly limitSeconds: number
}

/**
 * The state of the records: two answers with the same head show the same records and the same
 * details.
 */
export interface Head {
  /** Identifies this database; a rebuilt catalogue has another epoch. */
  readonly epoch: string
  /** Seq of the latest change. */
  readonly seq: number
  /**
   * Grows when the details of a file change without a change of its record. Answers that show
   * details or filter by them depend on it.
   */
  readonly detailsSeq: number
  /** `undefined` until the first scan has ended. */
  readonly heartbeat: Heartbeat | undefined
}

/** A station, and the numbers of its live files by area, type, duration and version. */
export interface StationSummary {
  /** In upper case: 4 characters, or 9 with the country. */
  readonly code: string
  /** All codes whose files are counted, sorted. */
  readonly codes: readonly string[]
  /** UTC days since 1970-01-01 on which the earliest and the latest data start. */
  readonly firstDay: number
  readonly lastDay: number
  /** Latest start of data, in seconds since 1970. */
  readonly lastStart: number
  readonly files: number
  readonly byArea: Readonly<Partial<Record<Area, number>>>
  readonly byType: Readonly<Partial<Record<FileType, number>>>
  readonly byDuration: Readonly<Partial<Record<FileDuration, number>>>
  readonly byVersion: Readonly<Partial<Record<FileVersion, number>>>
}

/** For `created` and `modified` the record is live. A removed file that comes back is `created`. */
export const changeKinds = ['created', 'modified', 'removed'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** The latest change of a file. */
export interface Change {
  readonly seq: number
  readonly change: ChangeKind
  /** The time at which the change was detected. */
  readonly atUs: number
  /** For a removed file, its record before the removal. */
  readonly record: ListedFile
}

/** A file in the checksum list of a directory. */
export interface ChecksumEntry extends Hashed {
  readonly name: string
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
}

/** The state of a directory listing. */
export interface DirectoryState {
  readonly epoch: string
  /** Changes whenever a listed name, size or time changes in the directory or below it. */
  readonly version: string
  /**
   * Time of the latest change of a listed name, size or time in the directory or below it;
   * `undefined` if no change was recorded.
   */
  readonly changedUs: number | undefined
}

/** A directory with catalogued files in it or below it. */
export interface Subdirectory {
  readonly name: string
  /**
   * Time of the latest change in this directory or below it; `undefined` if no change was recorded.
   */
  readonly changedUs: number | undefined
}

/** A file in a directory listing. */
export type FileEntry = Pick<FileRecord, 'name' | 'size' | 'mtimeUs'>

interface AreaSummary {
  files: number
  /** The sum of the known sizes. */
  bytes: number
  directories: number
}

/** The summary of the catalogue, without the state of the indexer. */
export interface CatalogueSummary {
  readonly head: Head
  readonly areas: Readonly<Record<Area, AreaSummary>>
  /** Number of misplaced files (see `problems`). */
  readonly misplaced: number
  /** Number of files whose gzip stream has no end. */
  readonly incomplete: RejectionCount
  readonly checksums: {
    /** Number of files with a checksum that is not stale. */
    readonly files: number
    /** Number of hashed files whose gzip stream is damaged before its end. */
    readonly broken: RejectionCount
  }
  /** Entries of directories that are not catalogued, by reason, most frequent first. */
  readonly rejected: readonly RejectionCount[]
  /** The last complete scan of the tree; `undefined` before the first. */
  readonly lastScan: ScanSummary | undefined
  /** The newest record of each area and file type that have files. */
  readonly newest: readonly NewestFile[]
}

export interface NewestFile {
  readonly area: Area
  readonly fileType: FileType
  readonly createdUs: number
}

/**
 * Sizes of the database, and the space on its disk. Of a database on a server, only its size is
 * known.
 */
export interface StorageFigures {
  readonly databaseBytes: number
  /** Size of the write-ahead log, which has the changes that are not in the database file yet. */
  readonly walBytes: number | undefined
  /** Time of the newest backup; `undefined` if there is none. */
  readonly backupUs: number | undefined
  readonly disk: DiskSpace | undefined
}

export interface DiskSpace {
  /** Free space for users without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
}

/** The reasons why an entry of the archive is not catalogued. */
export type EntryRejectionReason =
  RejectionReason | PathRejectionReason | 'symlink' | 'not-a-file' | 'unreadable-directory'

/** The reasons of the problems `incomplete`, `broken` and `misplaced`. */
export type FileProblemReason = 'no-end' | 'damaged' | 'other-date'

export interface RejectionCount {
  /** An `EntryRejectionReason` of this or an earlier release, or a problem of listed files. */
  readonly reason: string
  readonly count: number
  /** A few paths relative to the archive root; bytes that are not UTF-8 show as U+FFFD. */
  readonly examples: readonly string[]
}

/** The result of a complete scan of the tree. */
export interface ScanSummary {
  readonly startedUs: number
  readonly endedUs: number
  readonly directories: number
  /** Number of regular files found, catalogued or not. */
  readonly files: number
  readonly added: number
  readonly modified: number
  readonly removed: number
}
