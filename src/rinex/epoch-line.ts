/**
 * Reads epoch lines by their columns: RINEX 2.11, table A2; RINEX 3.05 and 4.01, table A3. Both
 * have the same columns after the year, which has two digits in version 2 and four from 3 on:
 *
 *     version 2   ` 21  1  1  0  0  0.0000000  0 21R09R02…`
 *     from 3 on   `> 2024 01 01 18 00  0.0000000  0 47`
 *
 * Minutes, hours, days and months have two columns each behind a blank, seconds eleven (F11.7), the
 * flag one behind two blanks, and the number of satellites three.
 */
import { dayOfDate, fullYear, secondsPerDay } from '../parse/calendar.ts'

const blank = 0x20
const tab = 0x09
const point = 0x2e
const zero = 0x30
const greaterThan = 0x3e

/** The two layouts of epoch lines: the columns of the year, after which both are the same. */
export interface EpochLayout {
  readonly yearAt: number
  readonly yearEnd: number
}
export const version2: EpochLayout = { yearAt: 1, yearEnd: 3 }
export const version3: EpochLayout = { yearAt: 2, yearEnd: 6 }

/** First column of the satellites in an epoch line of version 2 (RINEX 2.11, table A2). */
export const satellitesAt = 32

/** Columns of an epoch line up to the number of satellites. */
export function epochColumns(layout: EpochLayout): number {
  return layout.yearEnd + 29
}

/** Reads one epoch line after the other; holds the last one, so that millions cost no objects. */
export class EpochLine {
  readonly #layout: EpochLayout
  /** Microseconds since 1970, without zone; `undefined` in an event without a time. */
  timeUs: number | undefined
  /**
   * 0 ok, 1 power failure since the epoch before, 2 to 5 events, 6 cycle slips (RINEX 2.11, table
   * A2).
   */
  flag = 0
  /** Number of satellites; of lines after an event. */
  count = 0

  /** The date of the last line, as one number, and its day. */
  #date = 0
  #day: number | undefined

  constructor(layout: EpochLayout) {
    this.#layout = layout
  }

  /** True for events, which are no epochs. */
  get isEvent(): boolean {
    return this.flag >= 2 && this.flag <= 5
  }

  /**
   * Reads the line in the bytes from `from` up to `to`; returns false if a column is wrong. Columns
   * after the end of the line are blank.
   */
  read(bytes: Buffer, from: number, to: number): boolean {
    const first = this.#layout === version3 ? greaterThan : blank
    const rest = from + this.#layout.yearEnd
    // The flag is the last column that no epoch line lacks. A blank is 0, as in Fortran.
    if (to <= rest + 25 || bytes[from] !== first) return false
    const flag = bytes[rest + 25]
    this.flag = flag === blank ? 0 : (flag ?? 0) - zero
    if (!(this.flag >= 0 && this.flag <= 6) || !isBlank(bytes, rest + 23, rest + 25)) return false
    const end = Math.min(to, rest + 29)
    this.count = readInteger(bytes, rest + 26, end)
    if (this.count === none) {
      if (!this.isEvent || !isBlank(bytes, rest + 26, end)) return false
      this.count = 0
    }
    this.timeUs = undefined
    if (this.isEvent && isBlank(bytes, from + 1, rest + 23)) return true
    const timeUs = this.#readTime(bytes, from, rest)
    if (timeUs !== none) this.timeUs = timeUs
    return timeUs !== none
  }

  /** The time in a line that has all the columns of it; `none` if it is wrong. */
  #readTime(bytes: Buffer, from: number, rest: number): number {
    if (this.#layout === version3 && !isBlankByte(bytes[from + 1])) return none
    for (let at = rest; at <= rest + 9; at += 3) if (!isBlankByte(bytes[at])) return none
    const year = readInteger(bytes, from + this.#layout.yearAt, rest)
    const month = readInteger(bytes, rest + 1, rest + 3)
    const day = readInteger(bytes, rest + 4, rest + 6)
    const hour = readInteger(bytes, rest + 7, rest + 9)
    const minute = readInteger(bytes, rest + 10, rest + 12)
    const seconds = readSeconds(bytes, rest + 12, rest + 23)
    if (Math.min(year, month, day, hour, minute, seconds) < 0) return none
    if (month === 0 || month > 12 || hour > 23 || minute > 59) return none
    const date = (year * 100 + month) * 100 + day
    if (date !== this.#date) {
      this.#date = date
      this.#day = dayOfDate(this.#layout === version2 ? fullYear(year) : year, month, day)
    }
    if (this.#day === undefined) return none
    return (this.#day * secondsPerDay + hour * 3600 + minute * 60) * 1e6 + seconds
  }
}

/** Stands for a number that is not there. */
const none = -1

/** Digits between blanks, at least one; `none` for anything else. */
function readInteger(bytes: Buffer, from: number, to: number): number {
  let value = none
  let isOver = false
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    const digit = byte - zero
    if (digit >= 0 && digit <= 9 && !isOver) value = (value === none ? 0 : value * 10) + digit
    else if (isBlankByte(byte)) isOver = value !== none
    else return none
  }
  return value
}

/** Seconds with a fraction, in microseconds. They may be up to 60.999: some programs round up. */
function readSeconds(bytes: Buffer, from: number, to: number): number {
  let dot = from
  while (dot < to && bytes[dot] !== point) dot++
  const whole = readInteger(bytes, from, dot)
  if (whole === none || whole > 60) return none
  let fraction = 0
  let at = dot + 1
  for (; at < to && !isBlankByte(bytes[at]); at++) {
    const digit = (bytes[at] ?? 0) - zero
    if (digit < 0 || digit > 9) return none
    fraction = fraction * 10 + digit
  }
  return whole * 1e6 + (fraction === 0 ? 0 : Math.round(fraction * 10 ** (dot + 7 - at)))
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === blank || byte === tab
}

/** True for bytes that are all blanks or tabs. */
export function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlankByte(bytes[at])) return false
  return true
}
