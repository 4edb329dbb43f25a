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

/** An epoch line; an event (flags 2 to 5) may have no time. */
export interface EpochLine {
  /** Microseconds since 1970, without zone. */
  readonly timeUs: number | undefined
  /**
   * 0 ok, 1 power failure since the epoch before, 2 to 5 events, 6 cycle slips (RINEX 2.11, table
   * A2).
   */
  readonly flag: number
  /** Number of satellites; of lines after an event. */
  readonly count: number
}

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

/**
 * The epoch line in the bytes from `from` up to `to`; `undefined` if a column is wrong. Columns
 * after the end of the line are blank.
 */
export function readEpochLine(
  bytes: Uint8Array,
  from: number,
  to: number,
  layout: EpochLayout,
): EpochLine | undefined {
  const first = layout === version3 ? greaterThan : blank
  const rest = from + layout.yearEnd
  // The flag is the last column that no epoch line lacks.
  if (to <= rest + 25 || bytes[from] !== first) return undefined
  const flag = (bytes[rest + 25] ?? 0) - zero
  if (flag < 0 || flag > 6 || !isBlank(bytes, rest + 23, rest + 25)) return undefined
  const isEvent = flag >= 2 && flag <= 5
  const hasNoCount = isBlank(bytes, rest + 26, Math.min(to, rest + 29))
  const count = hasNoCount && isEvent ? 0 : readInteger(bytes, rest + 26, rest + 29, to)
  if (count === undefined) return undefined
  if (isEvent && isBlank(bytes, from + 1, rest + 23)) return { timeUs: undefined, flag, count }
  const timeUs = readTime(bytes, from, layout)
  return timeUs === undefined ? undefined : { timeUs, flag, count }
}

/** The time in an epoch line that has all the columns of it. */
function readTime(bytes: Uint8Array, from: number, layout: EpochLayout): number | undefined {
  const rest = from + layout.yearEnd
  if (layout === version3 && !isBlankByte(bytes[from + 1])) return undefined
  for (let at = rest; at <= rest + 9; at += 3) if (!isBlankByte(bytes[at])) return undefined
  const year = readInteger(bytes, from + layout.yearAt, rest)
  const month = readInteger(bytes, rest + 1, rest + 3)
  const day = readInteger(bytes, rest + 4, rest + 6)
  const hour = readInteger(bytes, rest + 7, rest + 9)
  const minute = readInteger(bytes, rest + 10, rest + 12)
  const seconds = readSeconds(bytes, rest + 12, rest + 23)
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (hour === undefined || minute === undefined || seconds === undefined) return undefined
  if (month < 1 || month > 12 || hour > 23 || minute > 59) return undefined
  const date = dayOfDate(layout === version2 ? fullYear(year) : year, month, day)
  if (date === undefined) return undefined
  return (date * secondsPerDay + hour * 3600 + minute * 60) * 1e6 + seconds
}

/** Digits between blanks, at least one; columns from `end` on are blank. */
function readInteger(
  bytes: Uint8Array,
  from: number,
  to: number,
  end: number = to,
): number | undefined {
  let value: number | undefined
  let isOver = false
  for (let at = from; at < to && at < end; at++) {
    const byte = bytes[at] ?? 0
    const digit = byte - zero
    if (digit >= 0 && digit <= 9 && !isOver) value = (value ?? 0) * 10 + digit
    else if (isBlankByte(byte)) isOver = value !== undefined
    else return undefined
  }
  return value
}

/** Seconds with a fraction, in microseconds. They may be up to 60.999: some programs round up. */
function readSeconds(bytes: Uint8Array, from: number, to: number): number | undefined {
  let dot = from
  while (dot < to && bytes[dot] !== point) dot++
  const whole = readInteger(bytes, from, dot)
  if (whole === undefined || whole > 60) return undefined
  let fraction = 0
  for (let at = dot + 1, unit = 1e5; at < to && !isBlankByte(bytes[at]); at++, unit /= 10) {
    const digit = (bytes[at] ?? 0) - zero
    if (digit < 0 || digit > 9) return undefined
    fraction += digit * unit
  }
  return whole * 1e6 + Math.round(fraction)
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === blank || byte === tab
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlankByte(bytes[at])) return false
  return true
}
