/** Finds the lines of a text that arrives in pieces. */

const lineFeed = 0x0a
const carriageReturn = 0x0d
/** `^Z`, with which some programs of DOS end a text. */
const endOfText = 0x1a
/** Stands for no byte. */
export const noByte = -1

/** Most bytes of a line that are kept; no line that is read has more. */
export const mostLineBytes = 4096

/**
 * Reads a line, the bytes from `from` up to `to` without the end of line, and returns the number of
 * lines after it that are passed over; `Infinity` for all.
 */
export type ReadLine = (bytes: Buffer, from: number, to: number) => number

/**
 * The lines of a text. Most lines of RINEX are observations, which are passed over without making
 * anything of them: only their ends are looked for.
 */
export class Lines {
  readonly #read: ReadLine
  /** Lines that begin with this byte are not counted among those that are passed over. */
  ignored = noByte

  #passed = 0
  #hasEnded = false
  #isWithin = false
  /** The begin of a line that arrives in several pieces. */
  #kept: Buffer | undefined
  #keptBytes = 0

  constructor(read: ReadLine) {
    this.#read = read
  }

  /** True if the text ended by `^Z`: nothing after it belongs to it. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** True if the last line of the text so far has no end yet. */
  get isWithinLine(): boolean {
    return this.#isWithin
  }

  /** Number of lines that are yet to be passed over. */
  get missing(): number {
    return this.#passed
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.#hasEnded) {
      if (this.#passed === Infinity) at = this.#passAll(chunk, at)
      else if (this.#passed > 0) at = this.#pass(chunk, at)
      else at = this.#take(chunk, at)
    }
  }

  /** Looks only for `^Z` and whether the last line has an end. */
  #passAll(chunk: Buffer, from: number): number {
    let at = chunk.indexOf(endOfText, from)
    while (at !== -1) {
      const isStart = at === from ? !this.#isWithin : chunk[at - 1] === lineFeed
      if (isStart) return this.#end(chunk)
      at = chunk.indexOf(endOfText, at + 1)
    }
    this.#isWithin = chunk[chunk.length - 1] !== lineFeed
    return chunk.length
  }

  #pass(chunk: Buffer, from: number): number {
    const { length } = chunk
    const { ignored } = this
    let passed = this.#passed
    let isStart = !this.#isWithin
    let at = from
    while (passed > 0 && at < length) {
      if (isStart) {
        const first = chunk[at]
        if (first === endOfText) {
          this.#passed = passed
          return this.#end(chunk)
        }
        if (first === ignored) passed++
      }
      const end = chunk.indexOf(lineFeed, at)
      isStart = end !== -1
      if (!isStart) break
      passed--
      at = end + 1
    }
    this.#passed = passed
    this.#isWithin = !isStart
    return isStart ? at : length
  }

  #take(chunk: Buffer, at: number): number {
    if (!this.#isWithin && chunk[at] === endOfText) return this.#end(chunk)
    const end = chunk.indexOf(lineFeed, at)
    if (end === -1) {
      this.#keep(chunk.subarray(at))
      this.#isWithin = true
      return chunk.length
    }
    if (!this.#isWithin) {
      this.#passed = this.#read(chunk, at, trimmedEnd(chunk, at, Math.min(end, at + mostLineBytes)))
      return end + 1
    }
    const kept = this.#keep(chunk.subarray(at, end))
    const bytes = this.#keptBytes
    this.#keptBytes = 0
    this.#isWithin = false
    this.#passed = this.#read(kept, 0, trimmedEnd(kept, 0, bytes))
    return end + 1
  }

  #keep(bytes: Buffer): Buffer {
    const kept = (this.#kept ??= Buffer.allocUnsafe(mostLineBytes))
    this.#keptBytes += bytes.copy(kept, this.#keptBytes)
    return kept
  }

  #end(chunk: Buffer): number {
    this.#hasEnded = true
    this.#isWithin = false
    return chunk.length
  }
}

/** The end of a line without its carriage return. */
function trimmedEnd(bytes: Buffer, from: number, end: number): number {
  return end > from && bytes[end - 1] === carriageReturn ? end - 1 : end
}
