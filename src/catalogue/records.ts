/**
 * What several questions and updates have in common: records, heads, scans, reasons.
 *
 * Times ending in `Us` are microseconds since 1970-01-01T00:00:00Z, exact in a double until 2255. A
 * live record is the record of a file that is in the catalogue now. A directory is named by its
 * path below the archive root, without slashes at its ends: `obs/2026/001`.
 */
import type { PathRejectionReason } from '../parse/layout.ts'
import type { RejectionReason } from '../parse/types.ts'
import type { Facts, FlagName } from '../rinex/facts.ts'
import type { Problem } from './filter.ts'

/** The record of a catalogued file. */
export interface FileRecord {
  /** Unique, ascending in time, never reused. */
  readonly id: number
  readonly directory: string
  readonly name: string
  readonly createdUs: number
  /** Equal to `createdUs` until size or mtime change on disk, then later than it. */
  readonly modifiedUs: number
  /** Bytes. */
  readonly size: number
  /** mtime of the file. */
  readonly mtimeUs: number
  /** Seq of the latest change of this record. */
  readonly seq: number
}

/** The checksums of a record's file. */
export interface Hashed {
  /**
   * 32 bytes; `undefined` until this version of the file is hashed, and while its checksum is
   * stale.
   */
  readonly sha256: Uint8Array | undefined
  /** 16 bytes; also `undefined` if a release hashed the file that knew no MD5. */
  readonly md5: Uint8Array | undefined
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

/**
 * The details of a file that lists return on request. They may change while the seq of the record
 * stays.
 */
export interface FileDetails extends Hashed, Pick<FileRecord, 'size' | 'mtimeUs'> {
  /** The first problem of the file, in the order of `problems`. */
  readonly problem: Problem | undefined
  /** When the file arrived; `undefined` if it was not seen arriving. */
  readonly arrivalUs: number | undefined
}

/** A file as lists return it. */
export type ListedFile = Pick<
  FileRecord,
  'id' | 'directory' | 'name' | 'createdUs' | 'modifiedUs'
> & {
  /** Present if the query requests details. */
  readonly details?: FileDetails
  /** Present if the query requests facts; `null` while they are not known. */
  readonly facts?: Facts | null
  /** Present with the facts: of their flags, those that make files damaged (`damaged_by`). */
  readonly damaging?: readonly FlagName[]
}

/** Up to which time the catalogue is known to equal the tree. */
export interface StoredAsOf {
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
  readonly asOf: StoredAsOf | undefined
}

/** For `created` and `modified` the record is live. A removed file that comes back is `created`. */
export const changeKinds = ['created', 'modified', 'removed'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** The reasons why an entry of the archive is not catalogued. */
export type EntryRejectionReason =
  RejectionReason | PathRejectionReason | 'symlink' | 'not-a-file' | 'unreadable-directory'

/** The reasons of the problems of listed files; of those damaged by what is inside, the flag. */
export type FileProblemReason =
  'no-end' | 'damaged' | 'no-bytes' | FlagName | 'other-compression' | 'other-date'

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
