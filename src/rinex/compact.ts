/**
 * Reads the epochs of observation files in Compact RINEX without decoding them (Hatanaka 2008,
 * sections 3 and 4; RNX2CRX 4.1, whose output these rules describe):
 *
 * - An epoch is a line with what changed in the epoch line, a line of the clock, which may be
 *   empty, and a line for each satellite. All satellites are in the one epoch line.
 * - An epoch line is initialised if it begins with `&` in Compact RINEX 1, with `>` in 3. In any
 *   other one a blank stands for the character of the line before, `&` for a blank.
 * - After an event (flags 2 to 6) lines follow as they are, without a clock line; the next epoch is
 *   initialised, as each event is.
 * - Between epochs of Compact RINEX 3, lines that begin with `&` mean nothing.
 */
import type { EpochLayout, EpochLine } from './epoch-line.ts'
import { epochColumns, readEpochLine, satellitesAt, version2, version3 } from './epoch-line.ts'
import type { Epochs } from './epochs.ts'
import type { Header } from './header.ts'
import type { Satellites } from './satellites.ts'

const blank = 0x20
export const ampersand = 0x26
const greaterThan = 0x3e

/** The number of satellites has three digits, each satellite three columns. */
const mostColumns = satellitesAt + 3 * 999

export class CompactObservations {
  readonly #layout: EpochLayout
  readonly #epochs: Epochs
  readonly #satellites: Satellites
  readonly #hasIgnored: boolean

  /** The epoch line, as far as its columns are needed. */
  readonly #line: Uint8Array
  #lineEnd = 0
  /** The time of the epoch line, from which the next one differs. */
  #timeUs: number | undefined
  /** True if only an initialised epoch may follow: at the begin, and after an event. */
  #mustInitialise = true
  /** True from a tear to the next initialised epoch. */
  #isLost = false
  /** True if the line before was blank: an epoch without a change, unless the text ends there. */
  #isBlank = false
  #eventLines = 0

  constructor(header: Header, epochs: Epochs, satellites: Satellites) {
    this.#layout = header.isVersion2 ? version2 : version3
    this.#line = new Uint8Array(header.isVersion2 ? mostColumns : epochColumns(version3))
    this.#hasIgnored = header.compact === 3
    this.#epochs = epochs
    this.#satellites = satellites
  }

  /** Number of lines of the last event that are to follow. */
  get missing(): number {
    return this.#eventLines
  }

  read(bytes: Uint8Array, from: number, to: number): number {
    if (this.#eventLines > 0) {
      this.#eventLines--
      return 0
    }
    if (isBlankLine(bytes, from, to)) {
      this.#isBlank = true
      return 0
    }
    const first = bytes[from]
    if (this.#hasIgnored && first === ampersand) return 0
    const isInitialised = first === (this.#layout === version2 ? ampersand : greaterThan)
    if (this.#isBlank || (this.#mustInitialise && !isInitialised)) this.#lose()
    this.#isBlank = false
    if (this.#isLost && !isInitialised) return 0
    this.#change(bytes, from, to, isInitialised)
    const line = readEpochLine(this.#line, 0, this.#lineEnd, this.#layout)
    return line === undefined ? this.#lose() : this.#readEpoch(line, isInitialised)
  }

  /** @param foundUs the time of an epoch that is not later than the one before */
  #lose(foundUs?: number): 0 {
    if (!this.#isLost) this.#epochs.tear(foundUs)
    this.#isLost = true
    return 0
  }

  /** Makes the epoch line from the one before. */
  #change(bytes: Uint8Array, from: number, to: number, isInitialised: boolean): void {
    const line = this.#line
    if (isInitialised) line.fill(blank)
    const length = Math.min(to - from, line.length)
    for (let at = 0; at < length; at++) {
      const byte = bytes[from + at] ?? blank
      if (byte !== blank) line[at] = byte === ampersand ? blank : byte
    }
    this.#lineEnd = isInitialised ? length : Math.max(length, this.#lineEnd)
  }

  #readEpoch({ timeUs, flag, count }: EpochLine, isInitialised: boolean): number {
    if (flag >= 2 || timeUs === undefined) {
      // An event is initialised: this is a line of something else.
      if (!isInitialised) return this.#lose()
      this.#isLost = false
      this.#mustInitialise = true
      this.#eventLines = count
      return 0
    }
    // One that differs from the line before leads nowhere if it is not later.
    const isLater = this.#timeUs === undefined || timeUs > this.#timeUs
    if (!isInitialised && !isLater) return this.#lose(timeUs)
    this.#isLost = false
    this.#mustInitialise = false
    this.#timeUs = timeUs
    this.#epochs.add(timeUs)
    if (this.#layout === version2)
      this.#satellites.add(this.#line, satellitesAt, this.#lineEnd, count)
    return 1 + count
  }
}

function isBlankLine(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== blank) return false
  return true
}
