/** What the name of a file says about its epochs. */
import {
  dayOfYearAt,
  dayStartSeconds,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
} from '../parse/calendar.ts'
import type { ParsedName } from '../parse/types.ts'

/** Lengths of the units of sampling intervals in seconds (RINEX 3.05, table A1). */
const unitSeconds: Readonly<Record<string, number>> = {
  S: 1,
  M: secondsPerMinute,
  H: secondsPerHour,
  D: secondsPerDay,
}
/** The other units, which say how often a second. */
const perSecond: Readonly<Record<string, number>> = { C: 100, Z: 1 }

/** The interval that a long name says, in seconds; `undefined` if it says none. */
export function namedInterval({ interval }: ParsedName): number | undefined {
  const count = Number(interval.slice(0, 2))
  const unit = interval.charAt(2)
  if (count === 0) return undefined
  const seconds = unitSeconds[unit]
  if (seconds !== undefined) return count * seconds
  const often = perSecond[unit]
  return often === undefined ? undefined : 1 / (count * often)
}

/** The span that a name says, in microseconds since 1970; its end is not in it. */
export interface Span {
  readonly fromUs: number
  readonly toUs: number
}

/** The named span; `undefined` if the name says no period. */
export function namedSpan({ startSeconds, spanSeconds }: ParsedName): Span | undefined {
  if (spanSeconds === undefined) return undefined
  return { fromUs: startSeconds * 1e6, toUs: (startSeconds + spanSeconds) * 1e6 }
}

/**
 * The span whose epochs are expected. The data of a daily file that starts after midnight may end
 * at the next one.
 * @param toleranceUs of the last epoch, in microseconds
 */
export function expectedSpan(
  name: ParsedName,
  lastUs: number,
  toleranceUs: number,
): Span | undefined {
  const span = namedSpan(name)
  if (span === undefined || name.spanSeconds !== secondsPerDay) return span
  const { year, dayOfYear } = dayOfYearAt(name.startSeconds)
  const midnightUs = dayStartSeconds(year, dayOfYear + 1) * 1e6
  return lastUs <= midnightUs + toleranceUs ? { ...span, toUs: midnightUs } : span
}

/** Number of epochs in a span. @param interval_s above 0 */
export function epochsIn({ fromUs, toUs }: Span, interval_s: number): number {
  return Math.max(1, Math.round((toUs - fromUs) / (interval_s * 1e6)))
}
