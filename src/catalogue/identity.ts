/** Distinguishes versions of a file, and a new version from changed attributes, for the indexer and the API. */
import type { Stats } from 'node:fs'
import type { FileIdentity } from './records.ts'

/**
 * The result of comparing a file with the file that was hashed.
 *
 * - `same`: nothing has changed; the checksum is valid.
 * - `attributes`: link count, mode or owner changed; the checksum is valid.
 * - `changed`: the content may differ. It is another file (inode), or its size or mtime changed, or only its ctime, as after an
 *   overwrite in place that sets the mtime back.
 */
export type IdentityComparison = 'same' | 'attributes' | 'changed'

/** Compares a file with its stored identity. */
export function compareIdentity(stored: FileIdentity, seen: FileIdentity): IdentityComparison {
  const isOneFile = stored.inode === seen.inode
  if (!isOneFile || stored.size !== seen.size || stored.mtimeUs !== seen.mtimeUs) return 'changed'
  const hasSameAttributes =
    stored.links === seen.links &&
    stored.mode === seen.mode &&
    stored.uid === seen.uid &&
    stored.gid === seen.gid
  if (!hasSameAttributes) return 'attributes'
  return stored.ctimeUs === seen.ctimeUs ? 'same' : 'changed'
}

/** The identity of a file from its `stat`. It is compared by equality, so all parts of the program use this function. */
export function toIdentity(
  stats: Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'nlink' | 'mode' | 'uid' | 'gid'>,
): FileIdentity {
  return {
    inode: toInode(stats.ino),
    size: stats.size,
    mtimeUs: toUs(stats.mtimeMs),
    ctimeUs: toUs(stats.ctimeMs),
    links: stats.nlink,
    mode: stats.mode,
    uid: stats.uid,
    gid: stats.gid,
  }
}

/** Microseconds of a time; clamped to the exact range of a double. */
export function toUs(ms: number): number {
  const us = Math.round(ms * 1000)
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(us, Number.MAX_SAFE_INTEGER))
}

/**
 * The lower 53 bits of an inode number. Overlay file systems use all 64, and a `stat` without bigint rounds those above 2^53, so two
 * files may seem to have the same inode. That hides the replacement of a file only if size and mtime stay the same and link count, mode
 * or owner change; if only ctime changes, the file counts as changed. A `stat` with bigint is exact and takes 12 % more CPU.
 */
export function toInode(inode: number): number {
  return inode % 2 ** 53
}

/**
 * A file that changed less than this ago may be incomplete: the indexer lists it only if its gzip stream has an end, and the API
 * sends it only if it is unchanged since it was catalogued. A file that is older is listed with any content. Milliseconds.
 */
export const settleMs = 10 * 60_000
