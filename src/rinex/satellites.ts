/** Which systems the satellites of epoch lines of version 2 belong to. */
import type { SystemLetter } from './facts.ts'

/** The order in which systems are listed, that of RINEX 3.05, table 1. */
const inOrder = ['G', 'R', 'E', 'C', 'J', 'I', 'S']
const blank = 0x20
const gps = 0x47

/** Columns of a satellite: the letter of its system, blank for GPS, and its number. */
const satelliteColumns = 3

export class Satellites {
  readonly #seen = new Set<number>()

  /** Adds satellites whose first one begins at `from`; those from `to` on are not there. */
  add(bytes: Buffer, from: number, to: number, count: number): void {
    for (let index = 0, at = from; index < count && at < to; index++, at += satelliteColumns) {
      const letter = bytes[at] ?? blank
      this.#seen.add(letter === blank ? gps : letter & ~0x20)
    }
  }

  systems(): readonly SystemLetter[] {
    return inOrder.filter((letter) => this.#seen.has(letter.charCodeAt(0)))
  }
}
