/**
 * The allowed values of each part of a long name, and their meaning. Part and element names are those of RINEX 3.04 and 3.05,
 * table A1. The functions whose names end in `At` parse the part that begins in column `at`; for an invalid part they return
 * `undefined`, `isFormatAt` returns false.
 */
import {
  dayStartSeconds,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  twoDigits,
} from './calendar.ts'
import { letterAt, letterIndexAt, numberAt, partAt, maskOf } from './characters.ts'
import type { DataSource, FileDuration, FileType } from './types.ts'

/** The part `PPU` (FILE PERIOD). */
export interface Period {
  /** The part of the name, in upper case. */
  readonly text: string
  readonly count: number
  readonly duration: FileDuration
}

/** The part `DT` (DATA TYPE). */
export interface Content {
  /** The part of the name, in upper case. */
  readonly text: string
  readonly type: FileType
}

/** The characters that each column of a station code may have. */
export const stationMask = maskOf('XXXX99AAA')

const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** The units of a period: minutes, hours, days, years, unspecified. */
const periodUnits = new Map<string, FileDuration>([
  ['M', 'm'],
  ['H', 'h'],
  ['D', 'd'],
  ['Y', 'y'],
  ['U', 'u'],
])

/**
 * The units of the sampling interval, in this order: hundreds of hertz, hertz; seconds, minutes, hours, days between epochs;
 * unspecified.
 */
const intervalUnits = ['C', 'Z', 'S', 'M', 'H', 'D', 'U']

/** The satellite systems, in this order: GPS, GLONASS, Galileo, QZSS, BeiDou, NavIC (since RINEX 3.03), SBAS, mixed. */
const systems = ['G', 'R', 'E', 'J', 'C', 'I', 'S', 'M']

// All valid parts, computed once: parsing one is a lookup, and millions of names share their strings.
const periods = alphabet.map((unit) => upTo99((count) => periodOf(count, unit)))
const intervals = alphabet.map((unit) => upTo99((count) => intervalOf(count, unit)))
const contents = alphabet.map((system) => alphabet.map((type) => contentOf(system, type)))

/** The count 00 is valid only with the unit `U` (unspecified), because a period of length 0 does not exist. */
function periodOf(count: number, unit: string): Period | undefined {
  const duration = periodUnits.get(unit)
  if (duration === undefined || (count === 0 && duration !== 'u')) return undefined
  return { text: twoDigits(count) + unit, count, duration }
}

function intervalOf(count: number, unit: string): string | undefined {
  return intervalUnits.includes(unit) ? twoDigits(count) + unit : undefined
}

function contentOf(system: string, type: string): Content | undefined {
  const text = system + type
  if (text === 'MM') return { text, type: 'm' }
  if (!systems.includes(system)) return undefined
  return type === 'O' ? { text, type: 'o' } : type === 'N' ? { text, type: 'n' } : undefined
}

function upTo99<T>(entry: (count: number) => T): T[] {
  return Array.from({ length: 100 }, (_, count) => entry(count))
}

/**
 * Parses `SSSSMRCCC`: 4 letters or digits for the site, one digit each for monument and receiver, 3 letters for the country.
 * Returns the code in upper case. The country is a code of ISO 3166-1 alpha-3, but projects use their own codes in its place
 * (`IGS`, `DLR`), so any letters are valid.
 */
export function stationAt(text: string, at: number): string | undefined {
  return partAt(text, at, stationMask)
}

/** Parses `S` (DATA SOURCE): `R` from the receiver, `S` from a data stream, `U` unknown. */
export function sourceAt(text: string, at: number): DataSource | undefined {
  const letter = letterAt(text, at)
  return letter === 'R' || letter === 'S' || letter === 'U' ? letter : undefined
}

/** Parses `PPU` (FILE PERIOD). */
export function periodAt(text: string, at: number): Period | undefined {
  const count = numberAt(text, at, 2)
  return count < 0 ? undefined : periods[letterIndexAt(text, at + 2)]?.[count]
}

/**
 * The length of a period in seconds; `undefined` for an unspecified one. Years are counted from 1 January of `startYear`, because
 * files of years begin on that day; for a file that begins later the result may be wrong by one day, a leap day.
 */
export function periodSeconds({ count, duration }: Period, startYear: number): number | undefined {
  switch (duration) {
    case 'm':
      return count * secondsPerMinute
    case 'h':
      return count * secondsPerHour
    case 'd':
      return count * secondsPerDay
    case 'y':
      return dayStartSeconds(startYear + count, 1) - dayStartSeconds(startYear, 1)
    case 'u':
      return undefined
  }
}

/** Parses `FFU` (DATA FREQ), the sampling interval. Returns the part as written, but in upper case: `30S`. */
export function intervalAt(text: string, at: number): string | undefined {
  const count = numberAt(text, at, 2)
  return count < 0 ? undefined : intervals[letterIndexAt(text, at + 2)]?.[count]
}

/** Parses `DT` (DATA TYPE): a satellite system with `O` or `N`, or `MM`. */
export function contentAt(text: string, at: number): Content | undefined {
  return contents[letterIndexAt(text, at)]?.[letterIndexAt(text, at + 1)]
}

/** True if the format begins in column `at`: `rnx`, or `crx` for Hatanaka compression. */
export function isFormatAt(text: string, at: number): boolean {
  const first = letterAt(text, at)
  const second = letterAt(text, at + 1)
  return (
    ((first === 'R' && second === 'N') || (first === 'C' && second === 'R')) &&
    letterAt(text, at + 2) === 'X'
  )
}
