/**
 * The long form of a file name, `r3`, by RINEX 3.04 and 3.05, section 4 and table A1 with its "Filename Details and
 * Examples"; RINEX 4 has the same. Every part has fixed columns. The documents require the sampling interval
 * only in observation and meteorological files; archives have names with and without it for every type.
 *
 *     SSSSMRCCC_S_YYYYDDDHHMM_PPU_FFU_DT.rnx.gz   GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz
 *     SSSSMRCCC_S_YYYYDDDHHMM_PPU_DT.rnx.gz       GRAZ00AUT_R_20260220000_01D_MN.rnx.gz
 *     0     6   10       19   24  28 31  35
 *
 * | columns | part          | element of table A1        | rule                       | reason when wrong |
 * | ------- | ------------- | -------------------------- | -------------------------- | ----------------- |
 * | 0–8     | `SSSSMRCCC`   | SITE/…/COUNTRY             | `stationAt`                | `bad-station`     |
 * | 10      | `S`           | DATA SOURCE                | `sourceAt`                 | `bad-source`      |
 * | 12–15   | `YYYY`        | START TIME                 | 4 digits                   | `unknown-form`    |
 * | 16–18   | `DDD`         |                            | a day of that year         | `bad-day`         |
 * | 19–20   | `HH`          |                            | 00 to 23                   | `bad-hour`        |
 * | 21–22   | `MM`          |                            | 00 to 59                   | `bad-minute`      |
 * | 24–26   | `PPU`         | FILE PERIOD                | `periodAt`                 | `bad-period`      |
 * | 28–30   | `FFU`, if any | DATA FREQ                  | `intervalAt`               | `bad-frequency`   |
 * | 28, 32  | `DT`          | DATA TYPE                  | `contentAt`                | `bad-type`        |
 * | 31, 35  | `rnx`, `crx`  | FORMAT                     | `isFormatAt`               | `unknown-form`    |
 */
import { dayStartSeconds, isDayOfYear, secondsPerHour, secondsPerMinute } from './calendar.ts'
import { letterAt, numberAt } from './characters.ts'
import {
  contentAt,
  intervalAt,
  isFormatAt,
  periodAt,
  periodSeconds,
  sourceAt,
  stationAt,
} from './long-name-parts.ts'
import { soleFault } from './rejection.ts'
import type { ParsedName, RejectionReason } from './types.ts'

/** Lengths of a whole name in characters, with a sampling interval and without one. */
const intervalLength = 41
const plainLength = 37
const suffixLength = '.rnx.gz'.length

/** True if a name has one of the lengths of this form. */
export function hasLongLength(name: string): boolean {
  return name.length === intervalLength || name.length === plainLength
}

/** @param name ends in `.gz`. */
export function parseLongName(name: string): ParsedName | RejectionReason {
  return readColumns(name) ?? faultOf(name)
}

function readColumns(name: string): ParsedName | undefined {
  if (!hasColumns(name)) return undefined
  const hasInterval = name.length === intervalLength
  const station = stationAt(name, 0)
  const source = sourceAt(name, 10)
  const year = numberAt(name, 12, 4)
  const startSeconds = startAt(name, 12)
  const period = periodAt(name, 24)
  const interval = hasInterval ? intervalAt(name, 28) : undefined
  const content = contentAt(name, hasInterval ? 32 : 28)
  if (
    station === undefined ||
    source === undefined ||
    startSeconds === undefined ||
    period === undefined ||
    (hasInterval && interval === undefined) ||
    content === undefined
  ) {
    return undefined
  }
  return {
    kind: 'parsed',
    version: 'r3',
    station,
    startSeconds,
    duration: period.duration,
    type: content.type,
    spanSeconds: periodSeconds(period, year),
    country: station.slice(6),
    source,
    period: period.text,
    interval,
    content: content.text,
    hatanaka: letterAt(name, hasInterval ? 35 : 31) === 'C',
  }
}

/** Parses `YYYYDDDHHMM` (START TIME) into seconds since 1970. */
function startAt(name: string, at: number): number | undefined {
  const year = numberAt(name, at, 4)
  const dayOfYear = numberAt(name, at + 4, 3)
  const hour = numberAt(name, at + 7, 2)
  const minute = numberAt(name, at + 9, 2)
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60
  if (year < 0 || !isDayOfYear(year, dayOfYear) || !isTime) return undefined
  return dayStartSeconds(year, dayOfYear) + hour * secondsPerHour + minute * secondsPerMinute
}

/** True if the separators and the format are in their columns. */
function hasColumns(name: string): boolean {
  const hasInterval = name.length === intervalLength
  const dot = name.length - suffixLength
  return (
    hasLongLength(name) &&
    name.charAt(9) === '_' &&
    name.charAt(11) === '_' &&
    name.charAt(23) === '_' &&
    name.charAt(27) === '_' &&
    (!hasInterval || name.charAt(31) === '_') &&
    name.charAt(dot) === '.' &&
    isFormatAt(name, dot + 1)
  )
}

/** The reason to reject a name that `readColumns` cannot parse. */
function faultOf(name: string): RejectionReason {
  const dot = name.length - suffixLength
  // If another dot comes first, even at the start, the name has another suffix or is a temporary name.
  if (name.indexOf('.') !== dot || !isFormatAt(name, dot + 1)) return 'unknown-form'
  const parts = hasColumns(name) ? cutAtColumns(name) : name.slice(0, dot).split('_', 7)
  const [station = '', source = '', start = '', period = ''] = parts
  const interval = parts.length === 6 ? parts[4] : undefined
  const content = parts.at(-1) ?? ''
  if (parts.length < 5 || parts.length > 6 || start.length !== 11 || numberAt(start, 0, 11) < 0) {
    return 'unknown-form'
  }
  return soleFault([
    station.length === 9 && stationAt(station, 0) ? undefined : 'bad-station',
    source.length === 1 && sourceAt(source, 0) ? undefined : 'bad-source',
    isDayOfYear(numberAt(start, 0, 4), numberAt(start, 4, 3)) ? undefined : 'bad-day',
    numberAt(start, 7, 2) < 24 ? undefined : 'bad-hour',
    numberAt(start, 9, 2) < 60 ? undefined : 'bad-minute',
    period.length === 3 && periodAt(period, 0) ? undefined : 'bad-period',
    interval === undefined || (interval.length === 3 && intervalAt(interval, 0))
      ? undefined
      : 'bad-frequency',
    content.length === 2 && contentAt(content, 0) ? undefined : 'bad-type',
  ])
}

/** Cuts the name at fixed columns, so that an underscore within a part is not taken for a separator. */
function cutAtColumns(name: string): string[] {
  const starts = name.length === intervalLength ? [0, 10, 12, 24, 28, 32] : [0, 10, 12, 24, 28]
  const end = name.length - suffixLength
  return starts.map((start, index) => name.slice(start, (starts[index + 1] ?? end + 1) - 1))
}
