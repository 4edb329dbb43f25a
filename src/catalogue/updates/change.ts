/** The change of a directory, as the indexer finds it and the writer applies it. */
import type { FileIdentity, Head } from '../records.ts'

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

/** A file to be catalogued. Its name is a RINEX name. */
export interface NewFile {
  readonly name: string
  readonly size: number
  readonly mtimeUs: number
  /**
   * True if the file was accepted after ten minutes (`youngFileMs`) although its gzip stream has no
   * end, or although its text does not end with a newline.
   */
  readonly incomplete?: boolean
  /** True if its content is compressed in another way than its name says. */
  readonly disguised?: boolean
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
  readonly disguised?: boolean
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

/** A change of a directory that changes nothing, and has no stamp. */
export function emptyChange(path: string): DirectoryChange {
  return {
    path,
    more: false,
    gone: false,
    stamp: undefined,
    withheldSinceUs: undefined,
    directories: [],
    added: [],
    modified: [],
    attributes: [],
    rehash: [],
    removed: [],
    rejections: [],
  }
}

/** What became of the changes that the writer was given. */
export interface AppliedChange {
  readonly head: Head
  readonly added: number
  readonly modified: number
  readonly removed: number
  /** The latest start of the files that were added to each directory (s since 1970), by path. */
  readonly newest: ReadonlyMap<string, number>
  /** Changes that were refused because they are invalid; no part of them was written. */
  readonly refused: readonly RefusedChange[]
}

export interface RefusedChange {
  readonly path: string
  readonly error: Error
}
