/** Reads the query of `station/<code>/availability/`. Pure. */
import { measures } from '../../insight/availability.ts'
import type { Measure } from '../../insight/availability.ts'
import { learningDays, periods, slotsPerDay } from '../../insight/series.ts'
import type { Period, SeriesKey } from '../../insight/series.ts'
import { daysInYear, secondsPerDay } from '../../parse/calendar.ts'
import type { FileType } from '../../parse/types.ts'
import { parseDay } from '../files/times.ts'
import { badFields } from '../http/errors.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'

/** Longest range. */
const maxYears = 40
const maxSlots = 100_000

export const availabilityParameters = ['file_type', 'period', 'from', 'to', 'measure', 'format']
export const fileTypes: readonly FileType[] = ['o', 'n', 'm']

export interface AvailabilityRequest extends SeriesKey {
  readonly measure: Measure
  /** UTC days since 1970, both included; without `fromDay`, from the first file on. */
  readonly fromDay: number | undefined
  readonly toDay: number
  /** Parameters without a meaning here. */
  readonly ignored: readonly string[]
}

/**
 * Defaults: daily observation files from the first one to today; for other periods the last 28 days.
 * @throws HttpError 400 with all faults
 */
export function parseAvailability(query: Query, nowSeconds: number): AvailabilityRequest {
  const faults: Record<string, string[]> = {}
  const choose = <T extends string>(key: string, choices: readonly T[], standard: T): T => {
    const text = (lastValue(query, key) ?? '').trim()
    const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase())
    if (choice === undefined && text !== '')
      faults[key] = [`Select a valid choice. ${text} is not one of the available choices.`]
    return choice ?? standard
  }
  const dayOf = (key: string): number | undefined => {
    const text = (lastValue(query, key) ?? '').trim()
    const day = parseDay(text)
    if (day === undefined && text !== '') faults[key] = ['Enter a valid date.']
    return day
  }
  const fileType = choose('file_type', fileTypes, 'o')
  const period = choose('period', periods, '01D')
  const measure = choose('measure', measures, 'archived')
  const toDay = dayOf('to') ?? Math.floor(nowSeconds / secondsPerDay)
  const fromDay = dayOf('from') ?? (period === '01D' ? undefined : toDay - learningDays + 1)
  const fault = rangeFault(fromDay, toDay, period)
  if (fault !== undefined && Object.keys(faults).length === 0) faults['from'] = [fault]
  if (Object.keys(faults).length > 0) throw badFields(faults)
  const ignored = Object.keys(query).filter((key) => !availabilityParameters.includes(key))
  return { fileType, period, measure, fromDay, toDay, ignored }
}

function rangeFault(
  fromDay: number | undefined,
  toDay: number,
  period: Period,
): string | undefined {
  if (fromDay === undefined) return undefined
  if (fromDay > toDay) return 'The range ends before it begins.'
  const days = toDay - fromDay + 1
  if (days > maxYears * daysInYear(2000)) return `A range has at most ${maxYears} years.`
  if (days * slotsPerDay(period) > maxSlots)
    return `A range has at most ${maxSlots} slots; this one has ${days * slotsPerDay(period)}.`
  return undefined
}
