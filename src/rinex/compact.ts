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
import { epochColumns, EpochLine, isBlank, satellitesAt, version2, version3 } from './epoch-line.ts'
import type { Epochs } from './epochs.ts'
import type { Header } from './header.ts'
import type { Satellites } from './satellites.ts'

const blank = 0x20
export const ampersand = 0x26
const greaterThan = 0x3e

/** The number of satellites has three digits, each satellite three columns. */
const mostColumns = satellitesAt + 3 * 999

export class CompactObservations {
  readonly #isVersion2: boolean
  readonly #epochs: Epochs
  readonly #satellites: Satellites
  readonly #hasIgnored: boolean

  /** The columns of the epoch line, as far as they are needed. */
  readonly #columns: Buffer
  #columnsEnd = 0
  readonly #line: EpochLine
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
    this.#isVersion2 = header.isVersion2
    this.#line = new EpochLine(header.isVersion2 ? version2 : version3)
    this.#columns = Buffer.alloc(header.isVersion2 ? mostColumns : epochColumns(version3))
    this.#hasIgnored = header.compact === 3
    this.#epochs = epochs
    this.#satellites = satellites
  }

  /** Number of lines of the last event that are to follow. */
  get missing(): number {
    return this.#eventLines
  }

  read(bytes: Buffer, from: number, to: number): number {
    if (this.#eventLines > 0) {
      this.#eventLines--
      return 0
    }
    if (isBlank(bytes, from, to)) {
      this.#isBlank = true
      return 0
    }
    const first = bytes[from]
    if (this.#hasIgnored && first === ampersand) return 0
    const isInitialised = first === (this.#isVersion2 ? ampersand : greaterThan)
    if (this.#isBlank || (this.#mustInitialise && !isInitialised)) this.#lose()
    this.#isBlank = false
    if (this.#isLost && !isInitialised) return 0
    this.#change(bytes, from, to, isInitialised)
    const isEpoch = this.#line.read(this.#columns, 0, this.#columnsEnd)
    return isEpoch ? this.#readEpoch(isInitialised) : this.#lose()
  }

  /** @param foundUs the time of an epoch that is not later than the one before */
  #lose(foundUs?: number): 0 {
    if (!this.#isLost) this.#epochs.tear(foundUs)
    this.#isLost = true
    return 0
  }

  /** Makes the epoch line from the one before. */
  #change(bytes: Buffer, from: number, to: number, isInitialised: boolean): void {
    const columns = this.#columns
    if (isInitialised) columns.fill(blank)
    const length = Math.min(to - from, columns.length)
    for (let at = 0; at < length; at++) {
      const byte = bytes[from + at] ?? blank
      if (byte !== blank) columns[at] = byte === ampersand ? blank : byte
    }
    this.#columnsEnd = isInitialised ? length : Math.max(length, this.#columnsEnd)
  }

  #readEpoch(isInitialised: boolean): number {
    const { timeUs, flag, count } = this.#line
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
    if (this.#isVersion2) this.#satellites.add(this.#columns, satellitesAt, this.#columnsEnd, count)
    return 1 + count
  }
}
