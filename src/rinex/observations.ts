/**
 * Reads the epochs of plain observation files: RINEX 2.11, section 6 and table A2; RINEX 3.05 and
 * 4.01, section 6 and table A3.
 *
 * - An epoch (flags 0, 1) and a record of cycle slips (flag 6) is a line with the number of
 *   satellites, and their observations: from version 3 on a line for each satellite; in version 2
 *   lines of five observations each, behind lines with the satellites from the thirteenth on.
 * - After an event (flags 2 to 5) the number is that of lines that follow, as in a header.
 */
import { EpochLine, isBlank, satellitesAt, version2, version3 } from './epoch-line.ts'
import type { Epochs } from './epochs.ts'
import type { Header } from './header.ts'
import { emptyDraft } from './header.ts'
import type { HeaderDraft } from './header-fields.ts'
import { addRecord } from './header-fields.ts'
import type { Satellites } from './satellites.ts'

/** Satellites in a line of version 2, and observations of a satellite in a line. */
const satellitesInLine = 12
const observationsInLine = 5

export class PlainObservations {
  readonly #isVersion2: boolean
  readonly #line: EpochLine
  readonly #epochs: Epochs
  readonly #satellites: Satellites
  /** Of version 2: the number of types of observation. */
  readonly #types: HeaderDraft

  /** True from a tear to the next line that is an epoch by its columns. */
  #isLost = false
  /** Lines that follow an event. */
  #eventLines = 0
  /** Satellites of the epoch in further lines, and the lines of observations after these. */
  #further = 0
  #observationLines = 0

  constructor(header: Header, epochs: Epochs, satellites: Satellites) {
    this.#isVersion2 = header.isVersion2
    this.#line = new EpochLine(header.isVersion2 ? version2 : version3)
    this.#epochs = epochs
    this.#satellites = satellites
    this.#types = { ...emptyDraft(), types: header.typeCount }
  }

  /** Number of lines of the last epoch or event that are to follow and are read here. */
  get missing(): number {
    if (this.#further === 0) return this.#eventLines
    return Math.ceil(this.#further / satellitesInLine) + this.#observationLines
  }

  read(bytes: Buffer, from: number, to: number): number {
    if (this.#further > 0) return this.#readFurther(bytes, from, to)
    if (this.#eventLines > 0) {
      this.#eventLines--
      addRecord(this.#types, bytes, from, to)
      return 0
    }
    if (!this.#line.read(bytes, from, to)) return this.#lose(bytes, from, to)
    this.#isLost = false
    return this.#readEpoch(bytes, from, to)
  }

  /** Blank lines between epochs, and at the end, say nothing. */
  #lose(bytes: Buffer, from: number, to: number): 0 {
    if (this.#isLost || isBlank(bytes, from, to)) return 0
    this.#isLost = true
    this.#epochs.tear()
    return 0
  }

  #readEpoch(bytes: Buffer, from: number, to: number): number {
    const { flag, count, timeUs, isEvent } = this.#line
    if (isEvent) {
      // Of these lines only those of version 2 say how long epochs are.
      if (!this.#isVersion2) return count
      this.#eventLines = count
      return 0
    }
    const isCounted = flag < 2 && timeUs !== undefined
    if (isCounted) this.#epochs.add(timeUs)
    if (!this.#isVersion2) return count
    if (isCounted)
      this.#satellites.add(bytes, from + satellitesAt, to, Math.min(count, satellitesInLine))
    const linesOfSatellite = Math.max(1, Math.ceil(this.#types.types / observationsInLine))
    const lines = count * linesOfSatellite
    if (count <= satellitesInLine) return lines
    this.#further = count - satellitesInLine
    this.#observationLines = lines
    return 0
  }

  /** The satellites from the thirteenth on; in files before 1997 without blanks in front. */
  #readFurther(bytes: Buffer, from: number, to: number): number {
    const at = from + (bytes[from + 2] === 0x20 ? satellitesAt : 0)
    this.#satellites.add(bytes, at, to, Math.min(this.#further, satellitesInLine))
    this.#further = Math.max(0, this.#further - satellitesInLine)
    return this.#further > 0 ? 0 : this.#observationLines
  }
}
