/** What a file is by its first two bytes, whatever its name says. Pure. */

/** A gzip stream, one of `compress`, or anything else: text, or what cannot be read. */
export type Form = 'gzip' | 'lzw' | 'other'

/** Most bytes of a stream within which a header must end. */
export const mostStreamBytes = 64 * 1024

/** @param head the begin of the file, at least two bytes if it has them */
export function formOf(head: Uint8Array): Form {
  if (head[0] !== 0x1f) return 'other'
  return head[1] === 0x8b ? 'gzip' : head[1] === 0x9d ? 'lzw' : 'other'
}
