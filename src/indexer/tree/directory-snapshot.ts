/** What one look at a directory of the tree brings back: plain data that crosses a thread boundary. */
import type { Stats } from 'node:fs'
import type { FileIdentity } from '../../catalogue/records.ts'
import { toInode, toUs } from '../../catalogue/identity.ts'
import type { DirectoryRejection, DirectoryStamp } from '../../catalogue/writer.ts'
import type { ArchiveDirectory, PathRejection } from '../../parse/archive-path.ts'

/**
 * How closely a directory is looked at. `names` reads names and entry types. `facts` reads the size and mtime of
 * every RINEX file too. `fitting` lets the directory decide: names where nothing has happened for long
 * (see `isQuiet`), facts elsewhere.
 */
export type ReadDepth = 'names' | 'facts' | 'auto'

export interface SnapshotRequest {
  /** Below the archive root: `obs/2026/001`. */
  readonly path: string
  readonly depth: ReadDepth
}

/**
 * `read`: all its names are here. `missing`: there is no such directory. `unreadable`: it may hold anything,
 * `error` says why. `lost-area`: its area is missing or empty as a whole, which is what a lost disk looks like,
 * so nothing can be said of any directory in it.
 */
export type SnapshotOutcome = 'read' | 'missing' | 'unreadable' | 'lost-area'

export interface DirectorySnapshot {
  readonly path: string
  readonly outcome: SnapshotOutcome
  readonly error: string | undefined
  /** Which directory was read, whatever its name (see `identityOf`); `undefined` when none was. */
  readonly identity: string | undefined
  /** Taken before the names were read; `undefined` when a change may hide behind it. */
  readonly stamp: DirectoryStamp | undefined
  /** Names of the regular files that are RINEX files, sorted by bytes. */
  readonly names: readonly string[]
  /** Sizes (bytes) and mtimes of `names`, in their order; `undefined` when only names were read. */
  readonly sizes: readonly number[] | undefined
  readonly mtimesUs: readonly number[] | undefined
  /** What else tells the files of `names` from others, in their order, packed (see `identityAt`). */
  readonly identities: Float64Array | undefined
  /** RINEX names of symlinks to files that cannot be read now: their disk is away. Records of them stay as they are. */
  readonly away: readonly string[]
  /** Names of the subdirectories to walk. */
  readonly directories: readonly string[]
  readonly rejections: readonly DirectoryRejection[]
}

/** How many numbers of each file are packed: those of a `FileIdentity` but size and mtime. */
const packedNumbers = 6

/** Room for the identities of so many files: 48 bytes each, which cross a thread boundary in one piece. */
export function openIdentities(files: number): Float64Array {
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

/** The identity of the file at an index of `names`; `undefined` when only names were read. */
export function identityAt(
  { sizes, mtimesUs, identities }: DirectorySnapshot,
  index: number,
): FileIdentity | undefined {
  const [size, mtimeUs] = [sizes?.[index], mtimesUs?.[index]]
  if (identities === undefined || size === undefined || mtimeUs === undefined) return undefined
  const packed = (place: number): number => identities[index * packedNumbers + place] ?? 0
  return {
    ...{ inode: packed(0), size, mtimeUs, ctimeUs: packed(1) },
    ...{ links: packed(2), mode: packed(3), uid: packed(4), gid: packed(5) },
  }
}

/** What tells a directory from another that takes its name; good for as long as the machine runs. */
export function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`
}

const dayMs = 86_400_000

/**
 * Whether nothing is expected to happen in a directory any more: its date is more than two days past and it was
 * last touched more than a day ago. Then names are enough for a record, and sizes can follow.
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
