/** The snapshot of a directory: plain data that the tree worker passes to the main thread. */
import type { Stats } from 'node:fs'
import type { FileIdentity } from '../../catalogue/records.ts'
import { toInode, toUs } from '../../catalogue/identity.ts'
import type { DirectoryRejection, DirectoryStamp } from '../../catalogue/updates/writer.ts'
import type { ArchiveDirectory, PathRejection } from '../../parse/archive-path.ts'

/**
 * The read depth of a directory. `names`: names and entry types. `facts`: also size, mtime and
 * identity of each RINEX file. `auto`: as `names` in a cold directory (see `isCold`), elsewhere as
 * `facts`.
 */
export type ReadDepth = 'names' | 'facts' | 'auto'

/**
 * Maximum number of entries of a directory. A larger directory is not read, because its snapshot
 * would need too much memory; the error of its snapshot is `tooManyEntries`.
 */
export const mostEntries = 500_000
export const tooManyEntries = `more than ${mostEntries.toLocaleString('en')} entries`

/** The error of the snapshot of an area that is on another disk than when it was first seen. */
export const otherDisk = 'another disk is mounted there: if this is intended, restart the indexer'

/**
 * A directory with more entries than this is large: it is not watched, because chokidar reads all
 * its entries again at each event, and no other directory is read ahead, because each snapshot
 * needs memory.
 */
export const largeDirectory = 50_000

/**
 * Longest tick of a file system's clock (ms): a few milliseconds on new file systems, two seconds
 * on old ones. A second change within a tick may leave the same times. So a file that changed less
 * than this time ago may change again unseen.
 */
export const longestTickMs = 2000

export interface SnapshotRequest {
  /** Path below the archive root: `obs/2026/001`. */
  readonly path: string
  readonly depth: ReadDepth
}

/**
 * `read`: the snapshot holds all names. `missing`: the directory does not exist, or it is behind a
 * symbolic link that must not be followed. `unreadable`: the directory may hold anything, because
 * it cannot be read, its disk is away, or it has too many entries. `lost-area`: the whole area is
 * missing, holds no directories of an archive, is behind a symbolic link that must not be followed,
 * or is on another disk than before, so the snapshot says nothing about any directory in the area.
 */
export type SnapshotOutcome = 'read' | 'missing' | 'unreadable' | 'lost-area'

export interface DirectorySnapshot {
  readonly path: string
  readonly outcome: SnapshotOutcome
  readonly error: string | undefined
  /** Device and inode of the directory (see `identityOf`); `undefined` when it was not read. */
  readonly identity: string | undefined
  /** Device of the directory's file system; `undefined` when it was not read. */
  readonly device: number | undefined
  /**
   * The stamp with the times before the names were read; `undefined` if `away` has names, or if the
   * directory was not read. A later change may leave the same stamp (see `SureStamps`).
   */
  readonly stamp: DirectoryStamp | undefined
  /**
   * Names of the RINEX files, sorted by bytes: regular files, and symbolic links to regular files
   * in linked directories.
   */
  readonly names: readonly string[]
  /**
   * Sizes (bytes) and mtimes of `names`, in their order; `undefined` when only names were read, or
   * the directory was not read. Typed arrays are passed to another thread without a copy.
   */
  readonly sizes: readonly number[] | Float64Array | undefined
  readonly mtimesUs: readonly number[] | Float64Array | undefined
  /**
   * The fields of the files' identities other than size and mtime, in the order of `names`, packed
   * (see `identityAt`); `undefined` when `sizes` is.
   */
  readonly identities: Float64Array | undefined
  /**
   * RINEX names of symlinks whose files cannot be read now because their disk is away. Their
   * records stay unchanged.
   */
  readonly away: readonly string[]
  /** Names of the subdirectories to walk. */
  readonly directories: readonly string[]
  readonly rejections: readonly DirectoryRejection[]
}

/** Number of packed values for each file: a `FileIdentity` without size and mtime. */
const packedNumbers = 6

/**
 * Makes an array for the identities of this number of files: 48 bytes for each. It is passed to
 * another thread as one object.
 */
export function createIdentities(files: number): Float64Array {
  return new Float64Array(files * packedNumbers)
}

export function packIdentity(identities: Float64Array, index: number, stats: Stats): void {
  const at = index * packedNumbers
  identities[at] = toInode(stats.ino)
  identities[at + 1] = toUs(stats.ctimeMs)
  identities[at + 2] = stats.nlink
  identities[at + 3] = stats.mode
  identities[at + 4] = stats.uid
  identities[at + 5] = stats.gid
}

/** Returns the identity of the file at an index of `names`; `undefined` if only names were read. */
export function identityAt(
  { sizes, mtimesUs, identities }: DirectorySnapshot,
  index: number,
): FileIdentity | undefined {
  const [size, mtimeUs] = [sizes?.[index], mtimesUs?.[index]]
  if (identities === undefined || size === undefined || mtimeUs === undefined) return undefined
  const packed = (place: number): number => identities[index * packedNumbers + place] ?? 0
  return {
    inode: packed(0),
    size,
    mtimeUs,
    ctimeUs: packed(1),
    links: packed(2),
    mode: packed(3),
    uid: packed(4),
    gid: packed(5),
  }
}

/** Returns the part of a snapshot with the names from one index up to, and without, another. */
export function sliceSnapshot(
  snapshot: DirectorySnapshot,
  from: number,
  to: number,
): DirectorySnapshot {
  const { names, sizes, mtimesUs, identities } = snapshot
  return {
    ...snapshot,
    names: names.slice(from, to),
    sizes: sizes?.slice(from, to),
    mtimesUs: mtimesUs?.slice(from, to),
    identities: identities?.subarray(from * packedNumbers, to * packedNumbers),
  }
}

/**
 * Returns a text that distinguishes a directory from another one at the same path. It is not
 * stored, because device numbers change when the machine restarts.
 */
export function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`
}

const dayMs = 86_400_000

/**
 * True if a directory is cold: its year, day or hour ended more than two days ago, and its mtime is
 * more than a day old. A directory without a date is never cold. The files of a cold directory are
 * first catalogued by their names alone; their sizes follow later.
 */
export function isCold(options: {
  readonly directory: ArchiveDirectory | PathRejection
  /** The directory's mtime. */
  readonly touchedMs: number
  readonly nowMs: number
}): boolean {
  const { directory, touchedMs, nowMs } = options
  if (directory.kind === 'rejected') return false
  const { startSeconds, spanSeconds } = directory
  if (startSeconds === undefined || spanSeconds === undefined) return false
  const endMs = (startSeconds + spanSeconds) * 1000
  return nowMs - endMs > 2 * dayMs && nowMs - touchedMs > dayMs
}
