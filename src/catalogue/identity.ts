/** Tells versions of a file apart, and a new version from changed attributes. Pure: the indexer and the API use it. */
import type { Stats } from 'node:fs'
import type { FileIdentity } from './records.ts'

/**
 * The outcome of comparing a file with the one that a checksum was made of.
 *
 * - `same`: nothing has changed, the checksum holds.
 * - `attributes`: link count, mode or owner changed; the checksum holds.
 * - `changed`: the bytes may be others. It is another file (inode), its size or mtime changed, or its ctime alone did,
 *   which is what an overwrite in place leaves behind that sets the mtime back.
 */
export type IdentityComparison = 'same' | 'attributes' | 'changed'

/** Compares a file as it is seen with the one that was stored. */
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

/** The identity of a file from its `stat`; all sides must make it here, since it is compared with equality. */
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

/** Numbers of the file system as the catalogue can hold them: exact in a double and in 64 bits with a sign. */

/** Microseconds of a time; one beyond what can be held exactly becomes the last that can. */
export function toUs(ms: number): number {
  const us = Math.round(ms * 1000)
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(us, Number.MAX_SAFE_INTEGER))
}

/** File systems over others use all 64 bits of an inode; the lower ones are enough to tell two apart. */
export function toInode(inode: number): number {
  return inode % 2 ** 53
}
