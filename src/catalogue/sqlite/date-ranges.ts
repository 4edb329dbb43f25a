/** Filters on the time of the data, as ranges of `data_date`. Pure. */
import { dayOfYearAt, dayStartSeconds, secondsPerDay } from '../../parse/calendar.ts'
import { periodAt, periodSeconds } from '../../parse/long-name-parts.ts'
import type { TimeRange } from '../filter.ts'
import type { Kind } from './lookup-cache.ts'

/** Starts of data, in seconds since 1970, both ends included. */
export interface DateRange {
  readonly from: number
  readonly to: number
  /** Only files of these kinds; without it, of all kinds of the filter. */
  readonly kinds?: readonly number[]
}

/** Ends of an open range: no name tells such a time, and both are exact in a double. */
const always = { from: -1e15, to: 1e15 }

/** The starts within a range in microseconds. */
export function startsWithin({ fromUs, toUs }: TimeRange): DateRange {
  return {
    from: fromUs === undefined ? always.from : Math.ceil(fromUs / 1e6),
    to: toUs === undefined ? always.to : Math.floor(toUs / 1e6),
  }
}

/** The starts on some UTC days; days that follow each other are one range. */
export function startsOnDays(days: readonly number[]): DateRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const day of [...new Set(days)].sort((a, b) => a - b)) {
    const [from, to] = [day * secondsPerDay, (day + 1) * secondsPerDay - 1]
    const last = ranges.at(-1)
    if (last?.to === from - 1) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}

/**
 * The starts of data that touch a range: those within it, and for each length of data those so shortly before it that
 * the half-open span reaches into it. The ranges have no file in common.
 * @param kinds by id, those of the filter
 */
export function startsTouching(range: TimeRange, kinds: ReadonlyMap<number, Kind>): DateRange[] {
  const { from, to } = startsWithin(range)
  const ranges: DateRange[] = from <= to ? [{ from, to }] : []
  const { fromUs } = range
  if (fromUs === undefined) return ranges
  const last = Math.min(to, from - 1)
  const byPeriod = new Map<string, { kind: Kind; ids: number[] }>()
  for (const [id, kind] of kinds) {
    const key = kind.period + kind.duration
    const known = byPeriod.get(key)
    if (known === undefined) byPeriod.set(key, { kind, ids: [id] })
    else known.ids.push(id)
  }
  for (const { kind, ids } of byPeriod.values())
    for (const reach of reachesInto(kind, Math.floor(fromUs / 1e6)))
      if (reach.from <= Math.min(reach.to, last))
        ranges.push({ from: reach.from, to: Math.min(reach.to, last), kinds: ids })
  return ranges
}

/** The starts of data of a kind that end after a second, whatever their start; without regard to those after it. */
function reachesInto({ period, duration }: Kind, second: number): DateRange[] {
  if (duration === 'u') return []
  if (period === '') {
    const span = shortNameSpans[duration] ?? 0
    return [{ from: second + 1 - span, to: always.to }]
  }
  const parsed = periodAt(period, 0)
  if (parsed === undefined) return []
  if (duration !== 'y')
    return [{ from: second + 1 - (periodSeconds(parsed, 0) ?? 0), to: always.to }]
  // Years differ in length, by the year of the start.
  const { year } = dayOfYearAt(second)
  return Array.from({ length: parsed.count + 2 }, (_, back) => year - back).map((start) => ({
    from: Math.max(dayStartSeconds(start, 1), second + 1 - (periodSeconds(parsed, start) ?? 0)),
    to: dayStartSeconds(start + 1, 1) - 1,
  }))
}

/** Seconds that the data of a short name span, by its duration; those of a file number are their start alone. */
const shortNameSpans: Readonly<Record<string, number>> = { d: secondsPerDay, h: 3600, m: 900 }

/** What two lists of ranges have in common; each list has no file twice. */
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

/** From the start of the first to the end of the last; there is at least one. */
export function boundsOf(dates: readonly DateRange[]): DateRange {
  return {
    from: Math.min(...dates.map(({ from }) => from)),
    to: Math.max(...dates.map(({ to }) => to)),
  }
}
