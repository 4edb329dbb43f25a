/** Which systems the satellites of epoch lines of version 2 belong to. */
import type { SystemLetter } from './facts.ts'

/** The order in which systems are listed, that of RINEX 3.05, table 1. */
const inOrder = ['G', 'R', 'E', 'C', 'J', 'I', 'S']
const blank = 0x20

/** Columns of a satellite: the letter of its system, blank for GPS, and its number. */
const satelliteColumns = 3

export class Satellites {
  /** A bit for each letter, by its place in the alphabet; the first one for a blank. */
  #seen = 0

  /** Adds satellites whose first one begins at `from`; those from `to` on are not there. */
  add(bytes: Buffer, from: number, to: number, count: number): void {
    const end = Math.min(to, from + count * satelliteColumns)
    for (let at = from; at < end; at += satelliteColumns) this.#seen |= bitOf(bytes[at] ?? 0)
  }

  systems(): readonly SystemLetter[] {
    return inOrder.filter((letter) => {
      const bits = bitOf(letter.charCodeAt(0)) | (letter === 'G' ? bitOf(blank) : 0)
      return (this.#seen & bits) !== 0
    })
  }
}

function bitOf(byte: number): number {
  return byte >= 0x40 ? 1 << (byte & 0x1f) : byte === blank ? 1 : 0
}
