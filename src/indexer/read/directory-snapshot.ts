/** The snapshot of a directory: plain data that the tree worker passes to the main thread. */
import type { DirectoryRejection, DirectoryStamp } from '../../catalogue/updates/change.ts'

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
 * `read`: the snapshot holds all names. `missing`: the directory does not exist, or it is behind a
 * symbolic link that must not be followed. `unreadable`: the directory may hold anything, because
 * it cannot be read, its disk is away, or it has too many entries. `lost-area`: the whole area is
 * missing, holds nothing of an archive, is behind a symbolic link that must not be followed, or is
 * on another disk than before, so the snapshot says nothing about any directory in the area; or the
 * directory is in no area, and all areas are missing.
 */
export type SnapshotOutcome = 'read' | 'missing' | 'unreadable' | 'lost-area'

export interface DirectorySnapshot {
  /** Path below the archive root: `obs/2026/001`. */
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
   * The identities of the files in the order of `names`, packed (see `identityAt`): passed to
   * another thread as one object, without a copy.
   */
  readonly identities: Float64Array
  /**
   * RINEX names of symlinks whose files cannot be read now because their disk is away. Their
   * records stay unchanged.
   */
  readonly away: readonly string[]
  /** Names of the subdirectories to walk. */
  readonly directories: readonly string[]
  readonly rejections: readonly DirectoryRejection[]
}

/**
 * Returns a text that distinguishes a directory from another one at the same path. It is not
 * stored, because device numbers change when the machine restarts.
 */
export function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`
}
