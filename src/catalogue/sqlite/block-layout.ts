/**
 * How the `places` of a block are laid out: three columns of 16-bit numbers (little-endian), one place for each of its
 * ids. Six bytes a record let a reader hold those of ten million in memory and go through them in milliseconds.
 */
import { secondsPerDay } from '../../parse/calendar.ts'

/** Ids of a block: those that come to the same when they are divided by this. */
export const blockSize = 256

/** Stands for a number that takes more than 16 bits: the record itself tells. */
export const beyond = 0xffff

/** The columns of one block. A station of 0 is a place without a live record. */
export interface Places {
  readonly bytes: Buffer
  readonly stations: Uint16Array
  readonly kinds: Uint16Array
  /** UTC days since 1970-01-01 on which the data start. */
  readonly days: Uint16Array
}

export const placesBytes = 3 * 2 * blockSize

/** @param stored as it came from the database; without it all places are empty */
export function placesOf(stored?: Buffer): Places {
  // A copy: numbers of 16 bits must begin at an even address.
  const memory = new ArrayBuffer(placesBytes)
  const bytes = Buffer.from(memory)
  stored?.copy(bytes)
  const column = (index: number) => new Uint16Array(memory, index * 2 * blockSize, blockSize)
  return { bytes, stations: column(0), kinds: column(1), days: column(2) }
}

/** A number of 16 bits, or `beyond`. */
export function narrow(value: number): number {
  return value >= 0 && value < beyond ? value : beyond
}

export function dayOf(seconds: number): number {
  return Math.floor(seconds / secondsPerDay)
}
