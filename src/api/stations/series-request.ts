/** Parses requests for availability and latency: the series and the days. Pure. */
import { measures } from '../../series/completeness.ts'
import type { Measure } from '../../series/completeness.ts'
import { periods, recentDays, slotsPerDay } from '../../series/series.ts'
import type { Period, SeriesKey } from '../../series/series.ts'
import { parseDay, secondsPerDay } from '../../parse/calendar.ts'
import { fileTypes } from '../../parse/types.ts'
import { lastValue } from '../http/query.ts'
import type { Query } from '../http/query.ts'
import { everywhere, findUnknown, throwFaults } from '../parameters/unknown.ts'
import type { Faults } from '../parameters/unknown.ts'

/** Maximum number of years, and of slots, in a range. */
const maxYears = 40
export const maxDays = maxYears * 366
export const maxSlots = 100_000

const seriesParameters = [...everywhere, 'file_type', 'period', 'from', 'to']

export interface SeriesRequest extends SeriesKey {
  /** UTC days since 1970, both included. */
  readonly fromDay: number
  readonly toDay: number
  /** Names of unknown parameters. */
  readonly ignored: readonly string[]
}

export interface AvailabilityRequest extends Omit<SeriesRequest, 'fromDay'> {
  /** `undefined` means the day of the first file, at most `maxDays` before `toDay`. */
  readonly fromDay: number | undefined
  readonly measure: Measure
}

/**
 * Parses a request for availability, by default of daily observation files. Without `from`, the
 * range begins with the first file of a daily series, but at most 40 years before `to`; for other
 * series it is the 28 days up to `to`.
 * @throws HttpError 400 with all faults
 */
export function parseAvailability(query: Query, nowSeconds: number): AvailabilityRequest {
  const faults: Faults = new Map()
  const measure = choice({ query, key: 'measure', choices: measures, faults }) ?? 'archived'
  const read = readSeries(query, { period: '01D', nowSeconds, faults, known: ['measure'] })
  const { period, toDay } = read
  const fromDay = read.fromDay ?? (period === '01D' ? undefined : toDay - recentDays + 1)
  checkRange({ ...read, fromDay }, faults)
  return { ...read, measure, fromDay }
}

/**
 * Parses a request for latency, by default of the hourly observation files of the last 28 days.
 * @throws HttpError 400 with all faults
 */
export function parseLatency(query: Query, nowSeconds: number): SeriesRequest {
  const faults: Faults = new Map()
  const read = readSeries(query, { period: '01H', nowSeconds, faults, known: [] })
  const fromDay = read.fromDay ?? read.toDay - recentDays + 1
  checkRange({ ...read, fromDay }, faults)
  return { ...read, fromDay }
}

function choice<T extends string>(parameter: {
  readonly query: Query
  readonly key: string
  readonly choices: readonly T[]
  readonly faults: Faults
}): T | undefined {
  const { query, key, choices, faults } = parameter
  const text = (lastValue(query, key) ?? '').trim()
  const found = choices.find((each) => each.toLowerCase() === text.toLowerCase())
  if (found === undefined && text !== '')
    faults.set(key, [`Select a valid choice. ${text} is not one of the available choices.`])
  return found
}

function readSeries(
  query: Query,
  options: {
    readonly period: Period
    readonly nowSeconds: number
    readonly faults: Faults
    readonly known: readonly string[]
  },
): AvailabilityRequestParts {
  const { faults, nowSeconds, known } = options
  const dayOf = (key: string): number | undefined => {
    const text = (lastValue(query, key) ?? '').trim()
    const day = parseDay(text)
    if (day === undefined && text !== '') faults.set(key, ['Enter a valid date.'])
    return day
  }
  return {
    fileType: choice({ query, key: 'file_type', choices: fileTypes, faults }) ?? 'o',
    period: choice({ query, key: 'period', choices: periods, faults }) ?? options.period,
    fromDay: dayOf('from'),
    toDay: dayOf('to') ?? Math.floor(nowSeconds / secondsPerDay),
    ignored: findUnknown(query, [...seriesParameters, ...known], faults),
  }
}

type AvailabilityRequestParts = Omit<AvailabilityRequest, 'measure'>

/** @throws HttpError 400 with the faults found so far, or with the fault of the range */
function checkRange(read: AvailabilityRequestParts, faults: Faults): void {
  const fault = rangeFault(read)
  if (fault !== undefined && faults.size === 0) faults.set('from', [fault])
  throwFaults(faults)
}

function rangeFault({ fromDay, toDay, period }: AvailabilityRequestParts): string | undefined {
  if (fromDay === undefined) return undefined
  if (fromDay > toDay) return 'The range ends before it begins.'
  const days = toDay - fromDay + 1
  if (days > maxDays) return `A range has at most ${maxYears} years.`
  if (days * slotsPerDay(period) > maxSlots)
    return `A range has at most ${maxSlots} slots; this one has ${days * slotsPerDay(period)}.`
  return undefined
}
