/**
 * Writes what the program `compress` would (`.Z`), but for its size: each byte has a code of its
 * own, and the table of other texts is cleared before it needs wider codes. So all codes have nine
 * bits, and no group of eight is filled up. See `rinex/lzw.ts` for the format.
 */

const clear = 256
const codeBits = 9

/** A header of nine-bit codes with a code that clears. */
const header = [0x1f, 0x9d, 0x80 | codeBits]

/** So many bytes, each a code that adds one to the table, and the clear fill whole groups. */
const bytesBetweenClears = 247

export function compress(bytes: Uint8Array): Buffer {
  const codes = bytes.length + Math.floor(Math.max(bytes.length - 1, 0) / bytesBetweenClears)
  const out = Buffer.alloc(header.length + Math.ceil((codes * codeBits) / 8))
  out.set(header)
  let bit = header.length * 8
  const put = (code: number): void => {
    // The lowest bit first: a code has bits of two bytes.
    const at = bit >> 3
    const bits = code << (bit & 7)
    out[at] = (out[at] ?? 0) | (bits & 0xff)
    out[at + 1] = bits >> 8
    bit += codeBits
  }
  for (const [index, byte] of bytes.entries()) {
    if (index > 0 && index % bytesBetweenClears === 0) put(clear)
    put(byte)
  }
  return out
}
