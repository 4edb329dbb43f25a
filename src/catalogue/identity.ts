/**
 * Tells whether a file is still the one that was hashed, has only other attributes, or may have
 * other content. Used by the indexer and the API.
 */
import type { Stats } from 'node:fs'
import type { FileIdentity } from './records.ts'

/**
 * The settling time: ten minutes, in milliseconds. A file that changed less than this time ago may
 * be incomplete. The indexer lists it only if its gzip stream has an end, and counts this time by
 * its own clock; the API sends it only if it is unchanged since it was catalogued. An older file is
 * listed with any content.
 */
export const youngFileMs = 10 * 60_000

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
  if (stored.inode !== seen.inode || !isSameVersion(stored, seen)) return 'changed'
  const hasSameAttributes =
    stored.links === seen.links &&
    stored.mode === seen.mode &&
    stored.uid === seen.uid &&
    stored.gid === seen.gid
  if (!hasSameAttributes) return 'attributes'
  return stored.ctimeUs === seen.ctimeUs ? 'same' : 'changed'
}

/**
 * The units (µs) to which copies and file systems cut an mtime: milliseconds (some programs), ten
 * of them (exFAT), a second (GNU tar, SFTP), two seconds (FAT).
 */
const cutUnitsUs = [1_000, 10_000, 1_000_000, 2_000_000]

/**
 * True if a file has the size and mtime of its record. The mtime may be the stored one cut to a
 * unit, as after a restore from a backup: then the record keeps the stored mtime, so that any
 * further copy, cut or not, is equal to it too. As `toUs` rounds, the stored mtime may be a
 * microsecond too late, so a loss of a microsecond, or of a whole unit, is a cut as well. The
 * stored mtime may not be the cut one: a file that had whole seconds, and now has a fraction, was
 * written again.
 */
export function isSameVersion(
  stored: Pick<FileIdentity, 'size' | 'mtimeUs'>,
  seen: Pick<FileIdentity, 'size' | 'mtimeUs'>,
): boolean {
  const lostUs = stored.mtimeUs - seen.mtimeUs
  if (stored.size !== seen.size || lostUs < 0) return false
  return lostUs <= 1 || cutUnitsUs.some((unit) => lostUs <= unit && seen.mtimeUs % unit === 0)
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
 * integer. It rounds, because the milliseconds of a `stat` are doubles, which are up to 0.13 µs
 * beside the time on disk: cutting would sometimes move whole microseconds to those before.
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
