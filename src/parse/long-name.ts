/**
 * The long form of a file name, `r3`, by RINEX 3.04 and 3.05, section 4 and table A1 with its
 * "Filename Details and Examples"; RINEX 4 has the same. The documents require the sampling
 * interval only in observation and meteorological files; archives have names with and without it
 * for every type.
 *
 *     SSSSMRCCC_S_YYYYDDDHHMM_PPU_FFU_DT.rnx   GRAZ00AUT_R_20260220000_01D_30S_MO.crx
 *     SSSSMRCCC_S_YYYYDDDHHMM_PPU_DT.rnx       GRAZ00AUT_R_20260220000_01D_MN.rnx
 */
import {
  dayStartSeconds,
  isDayOfYear,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
} from './calendar.ts'
import type { DataSource, FileDuration, FileType, ParsedName, RejectionReason } from './types.ts'
import { soleFault } from './types.ts'

/**
 * A part of the name, in a group that is undefined if the value is wrong. A wrong value of the
 * right width may contain an underscore; any other ends at the next one.
 */
function part(valid: string, width: number): string {
  return `(?:(${valid})|[^.]{${width}}|[^._]*)`
}

/** The parts by their elements of table A1. */
const parts = {
  /** SITE/…/COUNTRY. In place of a country (ISO 3166-1), projects use codes like `IGS`, `DLR`. */
  station: part('[A-Z0-9]{4}[0-9]{2}[A-Z]{3}', 9),
  /** DATA SOURCE: receiver, stream, unknown. */
  source: part('[RSU]', 1),
  /** START TIME: year, day of the year, hour, minute. */
  start: '([0-9]{4})([0-9]{3})([0-9]{2})([0-9]{2})',
  /** FILE PERIOD: minutes, hours, days, years, unspecified. No period has the length 0. */
  period: part('[0-9]{2}U|(?!00)[0-9]{2}[MHDY]', 3),
  /** DATA FREQ: hundreds of hertz, hertz; seconds, minutes, hours, days; unspecified. */
  interval: part('[0-9]{2}[CZSMHDU]', 3),
  /**
   * DATA TYPE: observations or navigation of GPS, GLONASS, Galileo, QZSS, BeiDou, NavIC (since
   * RINEX 3.03), SBAS, mixed; meteorological.
   */
  content: part('[GREJCISM][ON]|MM', 2),
}

// The form without an interval is tried first: a wrong content may begin with an underscore.
const longForm = new RegExp(
  `^${parts.station}_${parts.source}_${parts.start}_${parts.period}(_${parts.interval})??` +
    `_${parts.content}\\.(?:RN|CR)X$`,
  'i',
)

/**
 * The parts of a long name without its suffix, or the reason to reject it; `undefined` if the name
 * does not look like one.
 */
export function parseLongName(name: string): ParsedName | RejectionReason | undefined {
  const match = longForm.exec(name)
  if (match === null) return undefined
  const [
    ,
    station = '',
    source = '',
    yyyy,
    ddd,
    hh,
    mm,
    period = '',
    writtenInterval,
    interval,
    content = '',
  ] = match
  const year = Number(yyyy)
  const day = Number(ddd)
  const hour = Number(hh)
  const minute = Number(mm)
  const fault = soleFault([
    station === '' && 'bad-station',
    source === '' && 'bad-source',
    !isDayOfYear(year, day) && 'bad-day',
    hour > 23 && 'bad-hour',
    minute > 59 && 'bad-minute',
    period === '' && 'bad-period',
    writtenInterval !== undefined && interval === undefined && 'bad-frequency',
    content === '' && 'bad-type',
  ])
  if (fault !== undefined) return fault
  const stationCode = station.toUpperCase()
  const periodCode = period.toUpperCase()
  const contentCode = content.toUpperCase()
  return {
    kind: 'parsed',
    version: 'r3',
    station: stationCode,
    startSeconds: dayStartSeconds(year, day) + hour * secondsPerHour + minute * secondsPerMinute,
    duration: usualPeriod(periodCode).charAt(2).toLowerCase() as FileDuration,
    type: content.charAt(1).toLowerCase() as FileType,
    spanSeconds: periodSeconds(periodCode, year),
    country: stationCode.slice(6),
    source: source.toUpperCase() as DataSource,
    period: periodCode,
    interval: interval?.toUpperCase() ?? '',
    content: contentCode,
    navigation: /^[^M]N$/.test(contentCode) ? contentCode.charAt(0) : '',
  }
}

/** Periods that some programs write in a smaller unit, and how the documents write them. */
const usualPeriods: Readonly<Record<string, string>> = { '24H': '01D', '60M': '01H' }

/** A period (`PPU`, in upper case) as the documents write it: `24H` is `01D`, `60M` is `01H`. */
export function usualPeriod(period: string): string {
  return usualPeriods[period] ?? period
}

/**
 * The length of a period (`PPU`, in upper case) in seconds; `undefined` for an unspecified one.
 * Years are counted from 1 January of `startYear`, because files of years begin on that day; for a
 * file that begins later the result may be wrong by one day, a leap day.
 */
export function periodSeconds(period: string, startYear: number): number | undefined {
  const count = Number(period.slice(0, 2))
  switch (period.charAt(2)) {
    case 'M':
      return count * secondsPerMinute
    case 'H':
      return count * secondsPerHour
    case 'D':
      return count * secondsPerDay
    case 'Y':
      return dayStartSeconds(startYear + count, 1) - dayStartSeconds(startYear, 1)
    default:
      return undefined
  }
}
