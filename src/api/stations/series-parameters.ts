/** The parameters of availability and latency: the series and the days. Pure. */
import { fileTypes } from '../../parse/types.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { measures } from '../../series/completeness.ts'
import type { Measure } from '../../series/completeness.ts'
import { periods, recentDays, slotsPerDay } from '../../series/series.ts'
import type { Period, SeriesKey } from '../../series/series.ts'
import { typeLabel } from '../pages/labels.ts'
import { choice, day } from '../parameters/parameter.ts'
import type { Values } from '../parameters/request.ts'

/** Maximum number of years, and of slots, in a range. */
const maxYears = 40
export const maxDays = maxYears * 366
const maxSlots = 100_000

function seriesParameters(usual: Period) {
  return {
    file_type: choice(fileTypes, {
      meaning: 'Type of the files.',
      default: 'o',
      example: 'o',
      label: 'Type',
      textOf: typeLabel,
    }),
    period: choice(periods, {
      meaning: 'Period of the files.',
      default: usual,
      example: usual,
      label: 'Period',
    }),
    from: day({
      meaning:
        'The first day. Without it daily availability begins with the first file, everything else 27 days before `to`. A range has at most 40 years and 100,000 slots.',
      field: { label: 'From', hint: '2026-022, 2026-01-22' },
    }),
    to: day({
      meaning: 'The last day; by default today.',
      field: { label: 'To', hint: '2026-023, 2026-01-23' },
    }),
  }
}

/** By default of daily observation files. */
export const availabilityParameters = {
  ...seriesParameters('01D'),
  measure: choice(measures, {
    meaning:
      '`archived` counts files that are in the archive now. `delivered` counts all files that were delivered, also those that were removed since.',
    default: 'archived',
    example: 'archived',
    label: 'Measure',
  }),
}

/** By default of the hourly observation files of the last 28 days. */
export const latencyParameters = seriesParameters('01H')

/** UTC days since 1970, both included. */
interface SeriesRequest extends SeriesKey {
  readonly fromDay: number
  readonly toDay: number
}

interface AvailabilityRequest extends Omit<SeriesRequest, 'fromDay'> {
  /** `undefined` means the day of the first file, at most `maxDays` before `toDay`. */
  readonly fromDay: number | undefined
  readonly measure: Measure
}

type SeriesValues = Values<typeof latencyParameters>

/**
 * The days of a request for availability: without `from`, a daily series begins with its first
 * file, others 27 days before `to`.
 */
export function daysOfAvailability(
  values: Values<typeof availabilityParameters>,
  nowSeconds: number,
): AvailabilityRequest {
  const series = daysOfLatency(values, nowSeconds)
  const isWhole = values.from === undefined && values.period === '01D'
  return { ...series, fromDay: isWhole ? undefined : series.fromDay, measure: values.measure }
}

/** The days of a request for latency; by default the 28 days up to `to`. */
export function daysOfLatency(values: SeriesValues, nowSeconds: number): SeriesRequest {
  const { file_type: fileType, period, from, to } = values
  const toDay = to ?? Math.floor(nowSeconds / secondsPerDay)
  return { fileType, period, toDay, fromDay: from ?? toDay - recentDays + 1 }
}

/** Checks the range that the parameters have together. */
export function rangeCheck<Given extends SeriesValues>(
  nowUs: () => number,
  daysOf: (values: Given, nowSeconds: number) => Omit<AvailabilityRequest, 'measure'>,
) {
  return {
    of: ['from', 'to', 'period'] as const,
    fault: (values: Given): string | undefined => {
      const { fromDay, toDay, period } = daysOf(values, nowUs() / 1e6)
      if (fromDay === undefined) return undefined
      const days = toDay - fromDay + 1
      const slots = days * slotsPerDay(period)
      if (days < 1) return 'The range ends before it begins.'
      if (days > maxDays) return `A range has at most ${maxYears} years.`
      return slots > maxSlots
        ? `A range has at most ${maxSlots} slots; this one has ${slots}.`
        : undefined
    },
  }
}
