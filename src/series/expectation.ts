/** Learns from delivered slots on which days a series is expected. Pure. */
import type { SeriesKey } from './series.ts'
import { expectedDays, periodRules, recentDays, slotsPerDay } from './series.ts'
import type { SlotSet } from './slot-set.ts'

/**
 * Slots of a series that must arrive, whatever was delivered before; from the file `expected_file`.
 */
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

type NamedSeries = SeriesKey & { readonly station: string }

/**
 * The rules of all series. A rule with a code of 4 characters also applies to the long codes that
 * begin with it.
 */
export class ExpectedRules {
  readonly #byKey = new Map<string, ExpectedSeries[]>()

  constructor(expected: readonly ExpectedSeries[]) {
    for (const each of expected) {
      const key = keyOf(each)
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), each])
    }
  }

  /** The rules of a series; empty if its expectation is learned from its deliveries. */
  of(series: NamedSeries): readonly ExpectedRule[] {
    const site = { ...series, station: series.station.slice(0, 4) }
    const keys = new Set([keyOf(series), keyOf(site)])
    return [...keys].flatMap((key) => this.#byKey.get(key) ?? []).map(({ rule }) => rule)
  }

  /**
   * One entry for each expected series that is not in `series`, because nothing of it was ever
   * delivered.
   */
  notIn(series: readonly NamedSeries[]): readonly ExpectedSeries[] {
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

function keyOf({ station, fileType, period }: NamedSeries): string {
  return `${station} ${fileType} ${period}`
}

/** Whether the slots of a series are expected. */
export interface Expectation {
  readonly isExpected: (slot: number) => boolean
  /**
   * True if a series that was expected has delivered nothing for so long that it is expected no
   * more on this UTC day.
   */
  readonly hasEnded: (day: number) => boolean
}

/** The fewest days for which a series with a steady day is expected after its last delivery. */
const leastExpectedDays = 3

/**
 * A series is expected on a UTC day by the 90 days that end with the day of its last delivery
 * before that day: one of them must be steady, and the day must not be further from the last
 * delivery than the number of days with a delivery among them. So a series of a year is missed for
 * 90 days, and one of three days for three. If the series has rules, only the rules count.
 * @param delivered begins `lookbackDays` before the first day in question, or with the first
 * delivery
 */
export function createExpectation(
  delivered: SlotSet,
  rules: readonly ExpectedRule[] = [],
): Expectation {
  const perDay = slotsPerDay(delivered.period)
  if (rules.length > 0)
    return {
      isExpected: (slot) => rules.some((rule) => holds(rule, slot, perDay)),
      hasEnded: () => false,
    }
  const learned = learn(delivered)
  let knownDay = NaN
  let isDayExpected = false
  return {
    isExpected(slot) {
      const day = Math.floor(slot / perDay)
      if (day !== knownDay) {
        const { isLearned, daysSince, patience } = learned(day)
        isDayExpected = isLearned && daysSince <= patience
        knownDay = day
      }
      return isDayExpected
    },
    hasEnded(day) {
      const { isLearned, daysSince, patience } = learned(day)
      return isLearned && daysSince > patience
    },
  }
}

interface Learned {
  /** False if none of the 90 days is steady. */
  readonly isLearned: boolean
  /** Days since the last delivery, and the number of them for which the series is expected. */
  readonly daysSince: number
  readonly patience: number
}

/** Returns a function that looks at the days before a day. */
function learn(delivered: SlotSet): (day: number) => Learned {
  const { firstDay, days } = delivered
  const isSteady = createSteadyDays(delivered)
  // Sums over the days before each day, so that the 90 days of each question need no loop.
  const deliveredDays = new Int32Array(days + 1)
  const steadyDays = new Int32Array(days + 1)
  const lastDelivered = new Int32Array(days + 1).fill(-1)
  for (let index = 0; index < days; index++) {
    const isDelivered = delivered.countOn(firstDay + index) > 0
    deliveredDays[index + 1] = (deliveredDays[index] ?? 0) + Number(isDelivered)
    // Called on each day, because the window of a steady day moves with the days.
    const isBoth = isSteady(index) && isDelivered
    steadyDays[index + 1] = (steadyDays[index] ?? 0) + Number(isBoth)
    lastDelivered[index + 1] = isDelivered ? index : (lastDelivered[index] ?? -1)
  }
  const sum = (sums: Int32Array, last: number): number =>
    (sums[last + 1] ?? 0) - (sums[Math.max(0, last + 1 - expectedDays)] ?? 0)
  return (day) => {
    const index = day - firstDay
    const last = lastDelivered[Math.max(0, Math.min(index, days))] ?? -1
    if (last < 0) return { isLearned: false, daysSince: Infinity, patience: 0 }
    return {
      isLearned: sum(steadyDays, last) > 0,
      daysSince: index - last,
      patience: Math.max(leastExpectedDays, sum(deliveredDays, last)),
    }
  }
}

/**
 * A day is steady if, in the 28 whole days that end with it, enough slots were delivered (see
 * `PeriodRule`), and at least half of those from the first delivered one to the end of the day. The
 * days are given by their index, one after the other.
 */
function createSteadyDays(delivered: SlotSet): (index: number) => boolean {
  const { period, firstDay } = delivered
  const { steadyFrom } = periodRules[period]
  const perDay = slotsPerDay(period)
  let count = 0
  let first = 0
  return (index) => {
    const day = firstDay + index
    count += delivered.countOn(day)
    count -= delivered.countOn(day - recentDays)
    first = Math.max(first, index - recentDays + 1)
    while (first < index && delivered.countOn(firstDay + first) === 0) first++
    if (count < steadyFrom) return false
    const firstSlot = delivered.firstOn(firstDay + first) ?? NaN
    return count * 2 >= (day + 1) * perDay - firstSlot
  }
}

function holds({ fromDay, toDay, hours }: ExpectedRule, slot: number, perDay: number): boolean {
  const day = Math.floor(slot / perDay)
  if (day < (fromDay ?? -Infinity) || day > (toDay ?? Infinity)) return false
  const hour = Math.floor(((slot - day * perDay) * 24) / perDay)
  return hours?.has(hour) ?? true
}
