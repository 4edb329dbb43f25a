/** Converts filters on the time of the data into ranges of `data_date`. Pure. */
import { dayOfYearAt, dayStartSeconds, secondsPerDay } from '../../parse/calendar.ts'
import { periodSeconds } from '../../parse/long-name.ts'
import { shortNameSpans } from '../../parse/short-name.ts'
import type { TimeRange } from '../filter.ts'
import type { Kind } from './kinds.ts'

/** A range of start times of data, in seconds since 1970, both ends included. */
export interface DateRange {
  readonly from: number
  readonly to: number
  /** Only files of these kinds; `undefined`: all kinds of the filter. */
  readonly kinds?: readonly number[]
}

/** Ends of an open range: beyond the times of all file names, and exact as doubles. */
export const unbounded = { from: -1e15, to: 1e15 }

/** The start times, in whole seconds, that are within a range in microseconds. */
export function startsWithin({ fromUs, toUs }: TimeRange): DateRange {
  return {
    from: fromUs === undefined ? unbounded.from : Math.ceil(fromUs / 1e6),
    to: toUs === undefined ? unbounded.to : Math.floor(toUs / 1e6),
  }
}

/** The start times on UTC days; consecutive days become one range. */
export function startsOnDays(days: readonly number[]): DateRange[] {
  return consecutive(days, (day) => day * secondsPerDay)
}

/** The start times in years; consecutive years become one range. */
export function startsInYears(years: readonly number[]): DateRange[] {
  return consecutive(years, (year) => dayStartSeconds(year, 1))
}

/** @param startOf the first second of a day or a year, whose number is given */
function consecutive(numbers: readonly number[], startOf: (number: number) => number): DateRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const [from, to] = [startOf(number), startOf(number + 1) - 1]
    const last = ranges.at(-1)
    if (last?.to === from - 1) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}

/**
 * The start times of data that overlap a range. These are the times within the range, and for each
 * period the earlier times from which the half-open span reaches into the range. No file is in two
 * of the returned ranges.
 * @param kinds the kinds of the filter, by id
 */
export function startsOverlapping(range: TimeRange, kinds: ReadonlyMap<number, Kind>): DateRange[] {
  const { from, to } = startsWithin(range)
  const ranges: DateRange[] = from <= to ? [{ from, to }] : []
  const { fromUs } = range
  if (fromUs === undefined) return ranges
  const last = Math.min(to, from - 1)
  const byPeriod = new Map<string, { kind: Kind; ids: number[] }>()
  for (const [id, kind] of kinds) {
    const key = kind.period + kind.duration
    const group = byPeriod.get(key)
    if (group === undefined) byPeriod.set(key, { kind, ids: [id] })
    else group.ids.push(id)
  }
  for (const { kind, ids } of byPeriod.values())
    for (const starts of startsEndingAfter(kind, Math.floor(fromUs / 1e6)))
      if (starts.from <= Math.min(starts.to, last))
        ranges.push({ from: starts.from, to: Math.min(starts.to, last), kinds: ids })
  return ranges
}

/**
 * The end of the data of a file in seconds since 1970; `undefined` if its period is unspecified.
 * @param start the start of its data
 */
export function endOfData(
  { period, duration }: Pick<Kind, 'period' | 'duration'>,
  start: number,
): number | undefined {
  if (duration === 'u') return undefined
  const span =
    period === '' ? (shortNameSpans[duration] ?? 0) : periodSeconds(period, dayOfYearAt(start).year)
  return span && start + span
}

/**
 * The start times from which the data of a kind last beyond `second`. The result may also contain
 * start times after `second`.
 */
function startsEndingAfter({ period, duration }: Kind, second: number): DateRange[] {
  if (duration === 'u') return []
  if (period === '') {
    const span = shortNameSpans[duration] ?? 0
    return [{ from: second + 1 - span, to: unbounded.to }]
  }
  if (duration !== 'y')
    return [{ from: second + 1 - (periodSeconds(period, 0) ?? 0), to: unbounded.to }]
  // The length of a year depends on the year of the start.
  const { year } = dayOfYearAt(second)
  const count = parseInt(period, 10)
  return Array.from({ length: count + 2 }, (_, back) => year - back).map((start) => ({
    from: Math.max(dayStartSeconds(start, 1), second + 1 - (periodSeconds(period, start) ?? 0)),
    to: dayStartSeconds(start + 1, 1) - 1,
  }))
}

/**
 * Intersects two lists of ranges. In each list, no file is in two ranges; the result has the same
 * property. Only one list may have kinds.
 */
export function intersect(a: readonly DateRange[], b: readonly DateRange[]): DateRange[] {
  return a.flatMap((one) =>
    b.flatMap((other): DateRange[] => {
      const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)]
      if (from > to) return []
      const kinds = one.kinds ?? other.kinds
      return [{ from, to, ...(kinds && { kinds }) }]
    }),
  )
}

/** The smallest range that contains all ranges; there must be at least one. */
export function boundsOf(dates: readonly DateRange[]): DateRange {
  return {
    from: Math.min(...dates.map(({ from }) => from)),
    to: Math.max(...dates.map(({ to }) => to)),
  }
}
