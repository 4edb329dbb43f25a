/**
 * The identities of the files of a snapshot in one array of numbers, which passes to another thread
 * without a copy.
 */
import type { Stats } from 'node:fs'
import { toInode, toUs } from '../../catalogue/identity.ts'
import type { FileIdentity } from '../../catalogue/records.ts'
import type { DirectorySnapshot } from './directory-snapshot.ts'

/** Number of packed values for each file: those of a `FileIdentity`. */
const packedNumbers = 8

export function createIdentities(files: number): Float64Array {
  return new Float64Array(files * packedNumbers)
}

export function packIdentity(identities: Float64Array, index: number, stats: Stats): void {
  const at = index * packedNumbers
  identities[at] = stats.size
  identities[at + 1] = toUs(stats.mtimeMs)
  identities[at + 2] = toInode(stats.ino)
  identities[at + 3] = toUs(stats.ctimeMs)
  identities[at + 4] = stats.nlink
  identities[at + 5] = stats.mode
  identities[at + 6] = stats.uid
  identities[at + 7] = stats.gid
}

/** Returns size and mtime of the file at an index of `names`. */
export function versionAt(
  { identities }: DirectorySnapshot,
  index: number,
): Pick<FileIdentity, 'size' | 'mtimeUs'> {
  const at = index * packedNumbers
  return { size: identities[at] ?? 0, mtimeUs: identities[at + 1] ?? 0 }
}

/** Returns the identity of the file at an index of `names`. */
export function identityAt(snapshot: DirectorySnapshot, index: number): FileIdentity {
  const packed = (place: number): number => snapshot.identities[index * packedNumbers + place] ?? 0
  return {
    ...versionAt(snapshot, index),
    inode: packed(2),
    ctimeUs: packed(3),
    links: packed(4),
    mode: packed(5),
    uid: packed(6),
    gid: packed(7),
  }
}

/** Returns the part of a snapshot with the names from one index up to, and without, another. */
export function sliceSnapshot(
  snapshot: DirectorySnapshot,
  from: number,
  to: number,
): DirectorySnapshot {
  const { names, identities } = snapshot
  return {
    ...snapshot,
    names: names.slice(from, to),
    identities: identities.subarray(from * packedNumbers, to * packedNumbers),
  }
}
