/** Patterns of the names that missing files would have, in the syntax of the shell. Pure. */
import { periodRules, slotsPerDay } from '../../series/series.ts'
import {
  dayOfYearAt,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
} from '../../parse/calendar.ts'
import type { NetworkKey } from '../series/known-series.ts'

/**
 * Returns patterns of the names of a series' files in these slots: long names (RINEX 3.05, section
 * A1) for codes of 9 characters, short names (RINEX 2.11, section 4) for codes of 4 characters. A
 * day on which all files are missing has one pattern.
 * @param slots ascending
 */
export function missingPatterns(series: NetworkKey, slots: readonly number[]): readonly string[] {
  const perDay = slotsPerDay(series.period)
  const byDay = Map.groupBy(slots, (slot) => Math.floor(slot / perDay))
  return Array.from(byDay.values()).flatMap((daySlots) => {
    if (perDay > 1 && daySlots.length === perDay)
      return [missingPattern(series, daySlots[0] ?? NaN, true)]
    return daySlots.map((slot) => missingPattern(series, slot))
  })
}

const shortTypes = { o: '[oOdD]', n: '[nNgGlLpPqQfFhH]', m: '[mM]' } as const

/**
 * The pattern of the names of a series' file in a slot.
 * @param isWholeDay true if the pattern is for all slots of the day
 */
export function missingPattern(
  { station, fileType, period }: NetworkKey,
  slot: number,
  isWholeDay = false,
): string {
  const { year, day, hour, minute } = partsOf(slot * periodRules[period].seconds)
  if (station.length === 9) {
    const time = isWholeDay ? '????' : `${hour}${minute}`
    return `${station}_?_${year}${day}${time}_${period}_*${fileType.toUpperCase()}.*`
  }
  const letter = isWholeDay ? '[a-x]' : String.fromCharCode(97 + Number(hour))
  const session = { '01D': '0', '01H': letter, '15M': `${letter}${isWholeDay ? '??' : minute}` }[
    period
  ]
  return `${station.toLowerCase()}${day}${session}.${year.slice(2)}${shortTypes[fileType]}*`
}

function partsOf(seconds: number) {
  const { year, dayOfYear } = dayOfYearAt(seconds)
  const ofDay = ((seconds % secondsPerDay) + secondsPerDay) % secondsPerDay
  const digits = (value: number, count: number): string => String(value).padStart(count, '0')
  return {
    year: digits(year, 4),
    day: digits(dayOfYear, 3),
    hour: digits(Math.floor(ofDay / secondsPerHour), 2),
    minute: digits(Math.floor((ofDay % secondsPerHour) / secondsPerMinute), 2),
  }
}
