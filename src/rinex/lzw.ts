/**
 * Decodes what the program `compress` writes (`.Z`). The format is that of its sources (version
 * 4.0, 1985); there is no document of it:
 *
 * - Two bytes `1f 9d`; a byte with the largest width of a code, 9 to 16 bits, and the bit 0x80 if
 *   the code 256 clears the table.
 * - Codes, the lowest bit first, at first of 9 bits. Those up to 255 are bytes; each other one
 *   stands for the text of an earlier code and one more byte. Every code but the first adds one to
 *   the table, until it is full. When the table needs wider codes, the next one is wider by a bit.
 * - Codes are written in groups of eight. Before their width changes, and after a clear, the group
 *   is filled up with bits that mean nothing.
 * - There is no end mark: a stream that was cut may look whole.
 */

const magic = [0x1f, 0x9d]
const headerBytes = 3
const clear = 256
const leastWidth = 9
const mostWidth = 16

/** Text that is gathered before it is handed over; that of one code is at most half of it. */
const textBytes = 2 << mostWidth

/** Decodes a stream in chunks. It needs half a megabyte, whatever the stream contains. */
export class LzwDecoder {
  #onText: ((text: Uint8Array) => boolean) | undefined
  #isBroken = false

  #headerBytes = 0
  #hasClear = false
  /** The size of the full table, and the width of codes that it needs. */
  #most = 0
  #widest = 0

  /** Bits that belong to no code yet. */
  #bits = 0
  #bitCount = 0
  #width = leastWidth
  /** Bytes that were read since the width changed, and those that are to be passed over. */
  #bytes = 0
  #skipped = 0

  /** The text of a code: it begins with that of the code `prefix`, and ends with `last`. */
  readonly #prefix = new Uint16Array(1 << mostWidth)
  readonly #last = new Uint8Array(1 << mostWidth)
  readonly #first = new Uint8Array(1 << mostWidth)
  readonly #length = new Uint16Array(1 << mostWidth)
  /** The number of codes in the table; the next one that it gets. */
  #size = clear
  #previous: number | undefined

  #text = new Uint8Array(0)
  #textLength = 0

  /**
   * @param onText gets the text in chunks, which it may keep, until it returns false. Codes are
   * checked without their texts, in the time that the stream itself takes.
   */
  constructor(onText?: (text: Uint8Array) => boolean) {
    this.#onText = onText
    for (let byte = 0; byte < clear; byte++) this.#last[byte] = this.#first[byte] = byte
    this.#length.fill(1, 0, clear)
  }

  /** True if the stream has another header, or a code that is not in the table. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** True if the header is there: a shorter stream is not one of `compress`. */
  get hasBegun(): boolean {
    return !this.#isBroken && this.#headerBytes === headerBytes
  }

  /** Decodes the next bytes of the stream; passes them over when it is broken. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && !this.#isBroken; at++) {
      const byte = chunk[at] ?? 0
      if (this.#headerBytes < headerBytes) this.#readHeader(byte)
      else if (this.#skipped > 0) this.#skipped--
      else this.#readByte(byte)
    }
  }

  /** Hands over the text that is left. To be called at the end of the stream. */
  flush(): void {
    const text = this.#text.subarray(0, this.#textLength)
    this.#text = new Uint8Array(0)
    this.#textLength = 0
    if (text.length > 0 && this.#onText?.(text) === false) this.#onText = undefined
  }

  #readHeader(byte: number): void {
    const expected = magic[this.#headerBytes++]
    if (expected !== undefined) {
      this.#isBroken = byte !== expected
      return
    }
    const widest = byte & 0x1f
    this.#most = 1 << widest
    // The programs widen codes to ten bits also for a table that nine would be enough for.
    this.#widest = Math.max(widest, leastWidth + 1)
    this.#hasClear = (byte & 0x80) !== 0
    this.#size = this.#hasClear ? clear + 1 : clear
    this.#isBroken = widest < leastWidth || widest > mostWidth || (byte & 0x60) !== 0
  }

  /** A byte ends one code at the most, because each has nine bits or more. */
  #readByte(byte: number): void {
    this.#bits |= byte << this.#bitCount
    this.#bitCount += 8
    this.#bytes++
    if (this.#bitCount < this.#width) return
    const code = this.#bits & ((1 << this.#width) - 1)
    this.#bits >>>= this.#width
    this.#bitCount -= this.#width
    this.#readCode(code)
  }

  #readCode(code: number): void {
    const previous = this.#previous
    if (previous !== undefined && this.#hasClear && code === clear) {
      // The next code adds this one to the table, which no code means.
      this.#size = clear
      this.#useWidth(leastWidth)
      return
    }
    const isNext = code === this.#size && code < this.#most
    if (previous === undefined ? code >= clear : code >= this.#size && !isNext) {
      this.#isBroken = true
      return
    }
    if (previous !== undefined) this.#add(previous, code)
    if (this.#onText !== undefined) this.#write(code)
    this.#previous = code
    if (this.#size > (1 << this.#width) - 1 && this.#width < this.#widest)
      this.#useWidth(this.#width + 1)
  }

  /** Adds the text of a code with the first byte of the next one, which may be the added code. */
  #add(previous: number, next: number): void {
    const added = this.#size
    if (added === this.#most) return
    this.#size++
    const first = this.#first[previous] ?? 0
    this.#prefix[added] = previous
    this.#first[added] = first
    this.#last[added] = next === added ? first : (this.#first[next] ?? 0)
    this.#length[added] = (this.#length[previous] ?? 0) + 1
  }

  #write(code: number): void {
    const length = this.#length[code] ?? 0
    if (this.#textLength + length > this.#text.length) {
      this.flush()
      this.#text = new Uint8Array(textBytes)
    }
    const start = this.#textLength
    this.#textLength += length
    for (let at = this.#textLength - 1, rest = code; at >= start; at--) {
      this.#text[at] = this.#last[rest] ?? 0
      rest = this.#prefix[rest] ?? 0
    }
  }

  #useWidth(width: number): void {
    this.#skipped = (this.#width - (this.#bytes % this.#width)) % this.#width
    this.#bytes = 0
    this.#bits = 0
    this.#bitCount = 0
    this.#width = width
  }
}
