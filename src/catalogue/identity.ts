/**
 * Tells whether a file is still the one that was hashed, has only other attributes, or may have
 * other content. Used by the indexer and the API.
 */
import type { Stats } from 'node:fs'
import type { FileIdentity } from './records.ts'

/**
 * The result of comparing a file with the file that was hashed.
 *
 * - `same`: nothing has changed; the checksum is valid.
 * - `attributes`: link count, mode or owner changed; the checksum is valid.
 * - `changed`: the content may differ. The inode, size or mtime differs, or only the ctime differs.
 *   An overwrite in place that sets the mtime back changes only the ctime.
 */
export type IdentityComparison = 'same' | 'attributes' | 'changed'

/** Compares the identity of a file on disk with the stored one. */
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

/**
 * Computes the identity of a file from its `stat`. Identities are compared for equality, so all
 * parts of the program must use this function.
 */
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

/**
 * Converts milliseconds to microseconds, limited to the range in which a double holds every
 * integer.
 */
export function toUs(ms: number): number {
  const us = Math.round(ms * 1000)
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(us, Number.MAX_SAFE_INTEGER))
}

/**
 * The lower 53 bits of an inode number. Overlay file systems use all 64 bits, and a `stat` without
 * bigint rounds numbers above 2^53, so two files may seem to have the same inode. The replacement
 * of a file is then overlooked only if its size and mtime stay the same and its link count, mode or
 * owner changes; if only the ctime changes, the file counts as changed. A `stat` with bigint would
 * be exact, but takes 12 % more CPU.
 */
export function toInode(inode: number): number {
  return inode % 2 ** 53
}
