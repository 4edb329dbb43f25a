/**
 * The short form of a file name, `r2`: 8.3 characters, and two more for high-rate files.
 *
 *     hour or day   ssssdddf.yyt.gz     zimm028a.26n.gz     brdc2420.18n.gz
 *     column        0   4  7 9 11
 *
 *     high rate     ssssdddhmm.yyt.gz   faa1170b00.16d.gz
 *     column        0   4  78  11
 *
 * | part   | rule                                                              | source        | reason        |
 * | ------ | ----------------------------------------------------------------- | ------------- | ------------- |
 * | `ssss` | station, letters or digits                                        | RINEX 2.11, 4 |               |
 * | `ddd`  | day of the year, 001 to 365, in leap years 366                    | RINEX 2.11, 4 | `bad-day`     |
 * | `f`    | `0` whole day; `a` to `x` hour 00 to 23; `1` to `9` file of a day | RINEX 2.11, 4 | `bad-session` |
 * | `h`    | `a` to `x`, hour of the start                                     | IGSMAIL-5501  | `bad-session` |
 * | `mm`   | 00 to 59, minute of the start                                     | IGSMAIL-5501  | `bad-minute`  |
 * | `yy`   | year, see `fullYear`                                              | RINEX 2.11, 4 |               |
 * | `t`    | type, see `typeOf`                                                | RINEX 2.11, 4 | `bad-type`    |
 *
 * The reason in the table is given only if letters, digits and the dot are in their columns, and no other part is wrong;
 * otherwise the reason is `unknown-form`.
 */
import {
  dayStartSeconds,
  fullYear,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  sessionHour,
} from './calendar.ts'
import { numberAt, partAt, maskOf } from './characters.ts'
import { soleFault } from './rejection.ts'
import type { FileType, ParsedName, RejectionReason } from './types.ts'

const plainMask = maskOf('XXXX999X.99A')
const highRateMask = maskOf('XXXX999A99.99A')
const suffixLength = '.gz'.length

/** Length of the data of a high-rate file. The name does not contain it; by IGSMAIL-5501 there is a file every 15 minutes. */
const highRateSeconds = 15 * secondsPerMinute

export function hasShortLength(name: string): boolean {
  const length = name.length - suffixLength
  return length === plainMask.length || length === highRateMask.length
}

/** @param name has one of the two lengths and ends in `.gz`. */
export function parseShortName(name: string): ParsedName | RejectionReason {
  const isHighRate = name.length === highRateMask.length + suffixLength
  const text = partAt(name, 0, isHighRate ? highRateMask : plainMask)
  if (text === undefined) return 'unknown-form'

  const dot = isHighRate ? 10 : 8
  const day = numberAt(text, 4, 3)
  const duration = durationOf(text.charAt(7), isHighRate)
  const hour = duration === 'h' || duration === 'm' ? sessionHour(text.charAt(7)) : 0
  const minute = isHighRate ? numberAt(text, 8, 2) : 0
  const year = fullYear(numberAt(text, dot + 1, 2))
  const letter = text.charAt(dot + 3)
  const type = typeOf(letter)
  if (!isDayOfYear(year, day) || hour === undefined || minute > 59 || type === undefined) {
    return soleFault([
      isDayOfYear(year, day) ? undefined : 'bad-day',
      hour === undefined ? 'bad-session' : undefined,
      minute > 59 ? 'bad-minute' : undefined,
      type === undefined ? 'bad-type' : undefined,
    ])
  }
  return {
    kind: 'parsed',
    version: 'r2',
    station: text.slice(0, 4),
    startSeconds: dayStartSeconds(year, day) + hour * secondsPerHour + minute * secondsPerMinute,
    duration,
    type,
    spanSeconds: spanOf(duration),
    country: undefined,
    source: undefined,
    period: undefined,
    interval: undefined,
    content: undefined,
    hatanaka: letter === 'D',
  }
}

function durationOf(session: string, isHighRate: boolean): 'd' | 'h' | 'm' | 'u' {
  if (isHighRate) return 'm'
  if (session === '0') return 'd'
  return session <= '9' ? 'u' : 'h'
}

function spanOf(duration: 'd' | 'h' | 'm' | 'u'): number | undefined {
  switch (duration) {
    case 'd':
      return secondsPerDay
    case 'h':
      return secondsPerHour
    case 'm':
      return highRateSeconds
    case 'u':
      return undefined
  }
}

/**
 * The file type of a type letter (RINEX 2.11 and 3.00, section 4). `q`, `f` and `e` are in neither document, but archives use
 * them for navigation data. Files with any other letter are not catalogued, for example `b` SBAS broadcast, `c` clocks, `s`
 * summaries, and `i` IONEX.
 */
function typeOf(letter: string): FileType | undefined {
  switch (letter) {
    case 'O': // observations
    case 'D': // observations, Hatanaka-compressed
      return 'o'
    case 'N': // GPS
    case 'G': // GLONASS
    case 'L': // Galileo
    case 'P': // mixed
    case 'H': // SBAS payload
    case 'Q': // QZSS
    case 'F': // BeiDou
    case 'E': // Galileo
      return 'n'
    case 'M':
      return 'm'
    default:
      return undefined
  }
}
