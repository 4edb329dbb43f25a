/** The incidents that have ended, computed from what was delivered: nothing is stored for them. */
import { secondsPerDay } from '../parse/calendar.ts'
import { countryOf } from '../parse/countries.ts'
import { createExpectation } from './expectation.ts'
import type { Expectation } from './expectation.ts'
import { byCountry, longestFirst, stationLoss, togetherSeconds } from './incidents.ts'
import type { Incident, Loss, StationLoss, StationSeries } from './incidents.ts'
import type { SeriesPast } from './series-summary.ts'
import { endOfSlot, expectedDays, periodRules, periods, slotAt, slotsPerDay } from './series.ts'
import { slotStates } from './slot-states.ts'
import type { SlotRange, StateRun } from './slot-states.ts'
import type { SlotSet } from './slot-set.ts'

/** Number of past days whose closed incidents are known. */
const closedDays = 57

/** A series of the network with all that its states follow from. */
export interface SeriesWithPast extends StationSeries {
  readonly past: SeriesPast
}

/**
 * The losses of a series that ended in the last 57 days: at least three (01D: two) late or missing
 * slots, with no delivered one between them. A loss ends with the next delivered slot, or when the
 * series is expected no more; the one that makes the series late or down now has not ended.
 * @param asOf seconds since 1970
 */
export function closedLosses(series: SeriesWithPast, asOf: number): readonly Loss[] {
  const { station, fileType, period, summary, past } = series
  const { delivered, rules } = past
  const { leastLost, seconds, downAfter } = periodRules[period]
  const perDay = slotsPerDay(period)
  const to = slotAt(asOf, period)
  // A loss that ended on the first day may have begun so many slots (with rules, days) before.
  const range = { from: to - (closedDays + leastLost) * perDay, to }
  if (!canBeLost(delivered, range, leastLost, rules.length > 0)) return []
  const { lateAfter } = summary
  const { runs } = slotStates({ ...past, live: delivered, lateAfter }, range, asOf)
  const stretches = lostStretches(runs)
  const isLost = summary.state === 'late' || summary.state === 'down'
  return (isLost ? stretches.slice(0, -1) : stretches).flatMap(({ firstSlot, lastSlot, slots }) => {
    const ended = endOfSlot(lastSlot, period)
    if (slots < leastLost || ended < asOf - closedDays * secondsPerDay) return []
    const last = delivered.lastUpTo(firstSlot - 1)
    const since = last === undefined ? undefined : endOfSlot(last, period)
    const length = ended - (since ?? firstSlot * seconds)
    const kind = length > downAfter + lateAfter ? 'down' : 'late'
    return [{ station, fileType, period, kind, since, ended }]
  })
}

/** False if all is delivered, or if nothing is expected: then the states need not be computed. */
function canBeLost(
  delivered: SlotSet,
  { from, to }: SlotRange,
  leastLost: number,
  hasRules: boolean,
): boolean {
  const oldest = from - (expectedDays + 1) * slotsPerDay(delivered.period)
  if (!hasRules && (delivered.lastUpTo(to) ?? -Infinity) < oldest) return false
  for (let next = from; next + leastLost - 1 <= to;) {
    const last = delivered.lastUpTo(next + leastLost - 1) ?? -Infinity
    if (last < next) return true
    next = last + 1
  }
  return false
}

interface Stretch {
  readonly firstSlot: number
  lastSlot: number
  /** Number of its slots that are late or missing. */
  slots: number
}

/** The late and missing slots that have no delivered one between them. */
function lostStretches(runs: readonly StateRun[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  let current: Stretch | undefined
  for (const { state, firstSlot, slots } of runs) {
    if (state === 'present' || state === 'removed') current = undefined
    if (state !== 'late' && state !== 'missing') continue
    const lastSlot = firstSlot + slots - 1
    if (current === undefined) stretches.push((current = { firstSlot, lastSlot, slots }))
    else {
      current.lastSlot = lastSlot
      current.slots += slots
    }
  }
  return stretches
}

/**
 * Groups the closed losses into incidents, the one that ended last first. Losses of a station that
 * began at most 60 minutes apart are one, and the stations are grouped by country as open ones are
 * (see `byCountry`). Losses that began with an incident that is still open belong to it.
 * @param losses those of all series in `states`
 * @param open the incidents that are open
 */
export function closedIncidents(
  losses: readonly Loss[],
  {
    states,
    open,
    asOf,
  }: {
    readonly states: readonly SeriesWithPast[]
    readonly open: readonly Incident[]
    readonly asOf: number
  },
): readonly Incident[] {
  const expectationOf = expectations()
  return periods
    .flatMap((period) => {
      const begun = open.filter((each) => each.period === period)
      const own = losses.filter((each) => each.period === period && !belongsTo(each, begun))
      const byStation = Map.groupBy(own, ({ station }) => station)
      const byPlace = Map.groupBy(
        states.filter((each) => each.period === period),
        ({ station }) => countryOf(station),
      )
      const expectedIn = (country: string, end: number): ReadonlySet<string> =>
        new Set(
          (byPlace.get(country) ?? [])
            .filter((each) => expectationOf(each).isExpected(slotAt(end, period)))
            .map(({ station }) => station),
        )
      return byCountry([...byStation.values()].flatMap(begunTogether), expectedIn, asOf)
    })
    .sort(longestFirst)
    .sort((a, b) => Date.parse(b.ended ?? '') - Date.parse(a.ended ?? ''))
}

/** Returns a function that learns the expectation of each series once. */
function expectations(): (series: SeriesWithPast) => Expectation {
  const known = new Map<SeriesWithPast, Expectation>()
  return (series) => {
    const { delivered, rules } = series.past
    const expectation = known.get(series) ?? createExpectation(delivered, rules)
    known.set(series, expectation)
    return expectation
  }
}

/** True if a loss began with one of the open incidents. */
function belongsTo({ station, since = NaN }: Loss, open: readonly Incident[]): boolean {
  return open.some((each) => {
    const isThere = each.station === station || each.country === (countryOf(station) ?? '')
    const after = since - Date.parse(each.since ?? '') / 1000
    return isThere && after >= 0 && after <= togetherSeconds
  })
}

/** Groups the losses of a station, from the first on, by their begin. */
function begunTogether(losses: readonly Loss[]): readonly StationLoss[] {
  const sorted = losses.toSorted((a, b) => (a.since ?? -Infinity) - (b.since ?? -Infinity))
  const groups = Map.groupBy(sorted, firstOfGroup())
  return [...groups.values()].flatMap(stationLoss)
}

/** Returns a function that names the first loss of the group of each loss. */
function firstOfGroup(): (loss: Loss) => Loss {
  let first: Loss | undefined
  return (loss) => {
    const after = (loss.since ?? -Infinity) - (first?.since ?? -Infinity)
    if (first === undefined || after > togetherSeconds) first = loss
    return first
  }
}
