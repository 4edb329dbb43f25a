/** Learns from delivered slots on which days a series is expected. Pure. */
import { learningDays, periodRules, slotsPerDay } from './series.ts'
import type { Period, SeriesKey } from './series.ts'

/** Slots of a series that must arrive, whatever was delivered before; from the file `expected_file`. */
export interface ExpectedRule {
  /** UTC days since 1970, both included; `undefined` means no limit. */
  readonly fromDay: number | undefined
  readonly toDay: number | undefined
  /** Hours of the day in which the expected slots begin; `undefined` means all hours. */
  readonly hours: ReadonlySet<number> | undefined
}

/** A rule for one series of a station. The station code has 4 or 9 characters. */
export interface ExpectedSeries extends SeriesKey {
  readonly station: string
  readonly rule: ExpectedRule
}

type StationSeries = SeriesKey & { readonly station: string }

/** The rules of all series. A rule with a code of 4 characters also applies to the long codes that begin with it. */
export class ExpectedRules {
  readonly #byKey = new Map<string, ExpectedSeries[]>()

  constructor(expected: readonly ExpectedSeries[]) {
    for (const each of expected) {
      const key = keyOf(each)
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), each])
    }
  }

  /** The rules of a series; empty if its expectation is learned from its deliveries. */
  of(series: StationSeries): readonly ExpectedRule[] {
    const site = { ...series, station: series.station.slice(0, 4) }
    const keys = new Set([keyOf(series), keyOf(site)])
    return [...keys].flatMap((key) => this.#byKey.get(key) ?? []).map(({ rule }) => rule)
  }

  /** One entry for each expected series that is not in `series`, because nothing of it was ever delivered. */
  notIn(series: readonly StationSeries[]): readonly ExpectedSeries[] {
    const known = new Set(
      series.flatMap((each) => [
        keyOf(each),
        keyOf({ ...each, station: each.station.slice(0, 4) }),
      ]),
    )
    return [...this.#byKey]
      .filter(([key]) => !known.has(key))
      .flatMap(([, expected]) => expected.slice(0, 1))
  }
}

function keyOf({ station, fileType, period }: StationSeries): string {
  return `${station} ${fileType} ${period}`
}

/**
 * Determines whether slots are expected. Query the slots in ascending order of days, because the window of 28 days moves with
 * them.
 */
export interface Expectation {
  readonly isExpected: (slot: number) => boolean
}

/**
 * A series is expected on a UTC day if, in the 28 whole days before it, at least 96 (15M), 24 (01H) or 3 (01D) slots were
 * delivered, and at least half of the slots since the first delivered one. If the series has rules, only the rules count.
 * @param delivered slot numbers, ascending, without duplicates
 */
export function openExpectation(
  period: Period,
  delivered: ArrayLike<number>,
  rules: readonly ExpectedRule[] = [],
): Expectation {
  const perDay = slotsPerDay(period)
  if (rules.length > 0)
    return { isExpected: (slot) => rules.some((rule) => holds(rule, slot, perDay)) }
  const { learnedAfter } = periodRules[period]
  let knownDay = -Infinity
  let isDayExpected = false
  let [first, end] = [0, 0]
  return {
    isExpected(slot) {
      const day = Math.floor(slot / perDay)
      if (day === knownDay) return isDayExpected
      knownDay = day
      const [windowStart, windowEnd] = [(day - learningDays) * perDay, day * perDay]
      while (end < delivered.length && at(delivered, end) < windowEnd) end++
      while (first < end && at(delivered, first) < windowStart) first++
      const count = end - first
      isDayExpected = count >= learnedAfter && count >= (windowEnd - at(delivered, first)) / 2
      return isDayExpected
    },
  }
}

function holds({ fromDay, toDay, hours }: ExpectedRule, slot: number, perDay: number): boolean {
  const day = Math.floor(slot / perDay)
  if (day < (fromDay ?? -Infinity) || day > (toDay ?? Infinity)) return false
  const hour = Math.floor(((slot - day * perDay) * 24) / perDay)
  return hours?.has(hour) ?? true
}

function at(slots: ArrayLike<number>, index: number): number {
  return slots[index] ?? NaN
}
