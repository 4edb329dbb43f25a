/**
 * Writes what the program `compress` would (`.Z`), but for its size: each byte has a code of its
 * own, and the table of other texts is cleared before it needs wider codes. So all codes have nine
 * bits, and no group of eight is filled up. See `indexer/read/lzw.ts` for the format.
 */

const clear = 256
const codeBits = 9

/** A header of nine-bit codes with a code that clears. */
const header = [0x1f, 0x9d, 0x80 | codeBits]

/** So many bytes, each a code that adds one to the table, and the clear fill whole groups. */
const bytesBetweenClears = 247

export function compress(bytes: Uint8Array): Buffer {
  const codes = Array.from(bytes).flatMap((byte, index) =>
    index > 0 && index % bytesBetweenClears === 0 ? [clear, byte] : [byte],
  )
  const out = Buffer.alloc(header.length + Math.ceil((codes.length * codeBits) / 8))
  out.set(header)
  for (const [index, code] of codes.entries()) {
    // The lowest bit first: a code has bits of two bytes.
    const at = header.length + Math.floor((index * codeBits) / 8)
    const bits = code << ((index * codeBits) % 8)
    out[at] = (out[at] ?? 0) | (bits & 0xff)
    out[at + 1] = bits >> 8
  }
  return out
}
