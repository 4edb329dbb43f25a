import type { Area } from '../parse/archive-path.ts'
import type { FileDuration, FileType, FileVersion } from '../parse/types.ts'
import type { Problem } from './filter.ts'

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

/** A file in the list of a directory's checksums. */
export interface ChecksumEntry extends Hashed {
  readonly name: string
  readonly problem: Exclude<Problem, 'misplaced'> | undefined
}

/** What a directory lists, as a whole. */
export interface DirectoryState {
  readonly epoch: string
  /** Another one when anything that is listed, or its size or time, is another. */
  readonly version: string
  /** When that was last so; `undefined` where nothing was ever listed. */
  readonly changedUs: number | undefined
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
