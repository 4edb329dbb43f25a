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
