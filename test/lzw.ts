/** Writes LZW streams like the program `compress`, which Debian does not have. */

interface Options {
  /** The largest width of a code: 9 to 16 bits. */
  readonly widest?: number
  /** The code 256 clears the table after so many codes; without it, the stream has no such code. */
  readonly clearAfter?: number
}

const clear = 256

export function compress(bytes: Uint8Array, { widest = 16, clearAfter }: Options = {}): Buffer {
  const out = [0x1f, 0x9d, widest | (clearAfter === undefined ? 0 : 0x80)]
  const base = clearAfter === undefined ? clear : clear + 1
  const [most, last] = [1 << widest, Math.max(widest, 10)]
  let [width, codes, group] = [9, 0, [] as number[]]
  let table = new Map<string, number>()

  /** Writes the codes of a group; the last one of the stream ends with its codes. */
  const endGroup = (isLast = false): void => {
    const bits = group.flatMap((code) => Array.from({ length: width }, (_, at) => (code >> at) & 1))
    while (bits.length % (isLast ? 8 : 8 * width) > 0) bits.push(0)
    for (let at = 0; at < bits.length; at += 8)
      out.push(bits.slice(at, at + 8).reduce((byte, bit, index) => byte | (bit << index), 0))
    group = []
  }
  const put = (code: number): void => {
    group.push(code)
    if (group.length === 8) endGroup()
  }
  const putText = (text: string): void => {
    put(text.length === 1 ? text.charCodeAt(0) : (table.get(text) ?? NaN))
    codes++
    // The reader adds a code to its table when it reads the next one.
    if (Math.min(base + codes - 1, most) < 1 << width || width === last) return
    endGroup()
    width++
  }
  let text = ''
  for (const byte of bytes) {
    const longer = text + String.fromCharCode(byte)
    if (longer.length === 1 || table.has(longer)) {
      text = longer
      continue
    }
    putText(text)
    if (base + codes - 1 < most) table.set(longer, base + codes - 1)
    text = longer.slice(-1)
    if (codes !== clearAfter) continue
    put(clear)
    endGroup()
    table = new Map()
    ;[width, codes] = [9, 0]
  }
  if (text !== '') putText(text)
  endGroup(true)
  return Buffer.from(out)
}

/** A stream without clears of these codes, whether they mean anything or not. */
export function streamOf(codes: Iterable<number>, widest = 16): Buffer {
  const out = [0x1f, 0x9d, widest]
  const last = Math.max(widest, 10)
  let [width, size, group, isFirst] = [9, clear, [] as number[], true]
  const endGroup = (): void => {
    const bits = group.flatMap((code) => Array.from({ length: width }, (_, at) => (code >> at) & 1))
    while (bits.length % (8 * width) > 0) bits.push(0)
    for (let at = 0; at < bits.length; at += 8)
      out.push(bits.slice(at, at + 8).reduce((byte, bit, index) => byte | (bit << index), 0))
    group = []
  }
  for (const code of codes) {
    group.push(code)
    if (!isFirst && size < 1 << widest) size++
    isFirst = false
    const isWider = size > (1 << width) - 1 && width < last
    if (group.length === 8 || isWider) endGroup()
    if (isWider) width++
  }
  endGroup()
  return Buffer.from(out)
}

/**
 * A stream of many codes, each of which stands for a text that is a byte longer than the one
 * before, up to 64 kB: two bytes of it cannot be more.
 */
export function lzwBomb(codes: number): Buffer {
  const texts = Array.from({ length: codes - 1 }, (_, at) => Math.min(clear + at, 0xffff))
  return streamOf([65, ...texts])
}
