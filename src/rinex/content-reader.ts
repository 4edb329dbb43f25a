/** Reads the text of a RINEX file in pieces of any size, in bounded memory, whatever the bytes. */
import { ampersand, CompactObservations } from './compact.ts'
import type { EpochCount } from './epochs.ts'
import { Epochs } from './epochs.ts'
import type { HeaderFacts, SystemLetter } from './facts.ts'
import type { Header } from './header.ts'
import { HeaderReader, mostHeaderBytes } from './header.ts'
import type { DataKind } from './header-fields.ts'
import { Lines } from './lines.ts'
import { PlainObservations } from './observations.ts'
import { Satellites } from './satellites.ts'

/** After so many bytes of text (4 GB) the reading ends. */
const mostBytes = 4 * 1024 ** 3

/**
 * What a text holds, as plain data. A text without a whole header is `none` if it does not begin
 * with one, `endless` if `END OF HEADER` is not within 256 KB, `cut` if the text ends before it.
 */
export type Content =
  { readonly kind: 'no-header'; readonly header: 'none' | 'endless' | 'cut' } | Read

/** A text with a whole header. */
export interface Read {
  readonly kind: 'read'
  readonly header: HeaderFacts
  readonly data: DataKind
  /** What follows the header; `undefined` if the text is so long that the reading ended. */
  readonly body: Body | undefined
}

export interface Body {
  /** True if a line that is not blank follows the header. */
  readonly hasLines: boolean
  /** True if the last line has no end. */
  readonly isCutInLine: boolean
  /** Lines that are missing in the last epoch. */
  readonly missingLines: number
  /** The epochs of observation files. */
  readonly count: EpochCount | undefined
  /** The systems in the epoch lines of version 2, and the types of observation of each. */
  readonly systems: readonly SystemLetter[]
  readonly types: readonly string[]
}

type Observations = PlainObservations | CompactObservations

export class ContentReader {
  readonly #lines = new Lines((bytes, from, to) => this.#read(bytes, from, to))
  readonly #headerReader = new HeaderReader()
  readonly #epochs = new Epochs()
  readonly #satellites = new Satellites()
  #bytes = 0
  #header: Header | undefined
  #observations: Observations | undefined
  #hasLines = false

  /** True if nothing that follows changes what was read. */
  get isSatisfied(): boolean {
    return this.#headerReader.isNone || this.#isEndless || this.#isTooLong || this.#lines.hasEnded
  }

  get #isEndless(): boolean {
    return this.#header === undefined && this.#bytes >= mostHeaderBytes
  }

  get #isTooLong(): boolean {
    return this.#bytes > mostBytes
  }

  /** Reads the next bytes of the text; passes them over when it is satisfied. */
  push(chunk: Uint8Array): void {
    // Buffers find bytes several times faster.
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    while (rest.length > 0 && !this.isSatisfied) {
      // The end of a header must be within its most bytes, however these arrive.
      const most = this.#header === undefined ? mostHeaderBytes - this.#bytes : rest.length
      const part = rest.subarray(0, most)
      this.#bytes += part.length
      if (!this.#isTooLong) this.#lines.push(part)
      rest = rest.subarray(part.length)
    }
  }

  /** What the text held, which is whole now. */
  end(): Content {
    const header = this.#header
    if (header === undefined) {
      const isCut = this.#headerReader.hasBegun && !this.#isEndless
      return {
        kind: 'no-header',
        header: isCut ? 'cut' : this.#headerReader.hasBegun ? 'endless' : 'none',
      }
    }
    return {
      kind: 'read',
      header: header.facts,
      data: header.kind,
      body: this.#isTooLong ? undefined : this.#body(header),
    }
  }

  #body(header: Header): Body {
    const missing = Number.isFinite(this.#lines.missing) ? this.#lines.missing : 0
    const isVersion2 = this.#observations !== undefined && header.isVersion2
    return {
      hasLines: this.#hasLines,
      isCutInLine: this.#lines.isWithinLine,
      missingLines: missing + (this.#observations?.missing ?? 0),
      count: this.#observations === undefined ? undefined : this.#epochs.result(),
      systems: isVersion2 ? this.#satellites.systems() : [],
      types: isVersion2 ? header.types : [],
    }
  }

  #read(bytes: Buffer, from: number, to: number): number {
    if (this.#header === undefined) {
      this.#headerReader.read(bytes, from, to)
      this.#header = this.#headerReader.header
      if (this.#header !== undefined) this.#begin(this.#header)
      return this.#headerReader.isNone ? Infinity : 0
    }
    this.#hasLines ||= !holdsNothing(bytes, from, to)
    if (this.#observations !== undefined) return this.#observations.read(bytes, from, to)
    return this.#hasLines ? Infinity : 0
  }

  /** Chooses how the lines after the header are read. */
  #begin(header: Header): void {
    if (header.kind.type !== 'O') return
    const Reader = header.compact > 0 ? CompactObservations : PlainObservations
    this.#observations = new Reader(header, this.#epochs, this.#satellites)
    if (header.compact === 3) this.#lines.ignored = ampersand
  }
}

/** True for a line of blanks and control characters, such as the zeros that a crash leaves. */
function holdsNothing(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > 0x20) return false
  return true
}
