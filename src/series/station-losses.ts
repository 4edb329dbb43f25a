/**
 * The losses that are open now: lost series grouped by station, and the stations by country, and
 * stations that sent damaged files. Pure; times in seconds.
 */
import { secondsPerDay, secondsPerHour } from '../parse/calendar.ts'
import { countryOf } from '../parse/countries.ts'
import { compareText } from './ascending.ts'
import { dueTimes, patienceSeconds } from './due.ts'
import type { Loss, LostSeries } from './loss.ts'
import { lossOf, newestFirst, stalledLoss } from './loss.ts'
import { endOfSlot } from './series.ts'
import type { StationSeries } from './station-states.ts'

/** All lost series of a station. */
interface StationLoss {
  readonly station: string
  readonly series: readonly LostSeries[]
  /** End of the last slot with a file of these series; `undefined` if there is none. */
  readonly end: number | undefined
  /** True if only daily series are lost. */
  readonly isDaily: boolean
}

/** Stations whose last slots ended at most this time apart may have one cause. */
const togetherSeconds = secondsPerHour

/** The fewest stations of a loss of a country. */
const leastStations = 3

/** Finds the open losses, the newest first. @param asOf seconds since 1970 */
export function openLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const losses = stationLosses(states, asOf)
  const stalled = stalledLoss(losses, states, asOf)
  const lost = stalled === undefined ? losses : [stalled.loss, ...stalled.others]
  return [...lost, ...damagedLosses(states, asOf)].toSorted(newestFirst)
}

/** The losses of stations and of countries: each lost series is in exactly one of them. */
export function stationLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const byStation = Map.groupBy(states.flatMap(lostSeries), ({ station }) => station)
  return byCountry(Array.from(byStation, stationLoss), expectedStations(states), asOf)
}

function lostSeries(series: StationSeries): readonly LostSeries[] {
  const { station, fileType, period, summary } = series
  const { state, since } = summary
  const times = dueTimes(series)
  if (times === undefined || (state !== 'late' && state !== 'down')) return []
  return [{ station, fileType, period, kind: state, since, ...times }]
}

/** Files of hours tell the time of a stop better than those of days. */
function stationLoss([station, series]: readonly [string, readonly LostSeries[]]): StationLoss {
  const hourly = series.filter(({ period }) => period !== '01D')
  const isDaily = hourly.length === 0
  const ends = (isDaily ? series : hourly).flatMap(({ since }) => since ?? [])
  return { station, series, end: ends.length === 0 ? undefined : Math.max(...ends), isDaily }
}

/** The stations that are expected now, by country. */
function expectedStations(
  states: readonly StationSeries[],
): ReadonlyMap<string | undefined, ReadonlySet<string>> {
  const expected = states.filter(({ summary }) => summary.isExpected)
  const byCountry = Map.groupBy(expected, ({ station }) => countryOf(station))
  return new Map(
    Array.from(byCountry, ([country, group]) => [
      country,
      new Set(group.map(({ station }) => station)),
    ]),
  )
}

/**
 * Groups stations by country. From the one that stopped first on, the stations whose last slots
 * ended at most 60 minutes after it (of daily series: on the same day) are one loss, if they are at
 * least three and at least half of the stations of the country that are expected. All others are
 * losses of their own, as are stations without a country, and those that never had a file.
 */
function byCountry(
  lost: readonly StationLoss[],
  expected: ReturnType<typeof expectedStations>,
  asOf: number,
): readonly Loss[] {
  return [...Map.groupBy(lost, ({ station }) => countryOf(station))].flatMap(([country, group]) => {
    if (country === undefined) return group.map((each) => lossOfStation(each, asOf))
    const losses: Loss[] = []
    let left = group.toSorted(stoppedFirst)
    for (let [first] = left; first !== undefined; [first] = left) {
      const near = stoppedWith(first, left)
      const codes = new Set(near.map(({ station }) => station))
      const count = new Set([...codes, ...(expected.get(country) ?? [])]).size
      const isCountry = codes.size >= leastStations && codes.size * 2 >= count
      const members = isCountry ? near : [first]
      losses.push(
        isCountry ? lossOfCountry(country, members, count, asOf) : lossOfStation(first, asOf),
      )
      left = left.filter((each) => !members.includes(each))
    }
    return losses
  })
}

/** Stations with lost hours come before those with lost days only. */
function stoppedFirst(a: StationLoss, b: StationLoss): number {
  return (
    Number(a.isDaily) - Number(b.isDaily) ||
    (a.end ?? -Infinity) - (b.end ?? -Infinity) ||
    compareText(a.station, b.station)
  )
}

/** @param left sorted by `stoppedFirst`, beginning with `first` */
function stoppedWith(first: StationLoss, left: readonly StationLoss[]): readonly StationLoss[] {
  const { end = NaN } = first
  const hourly = left.filter((each) => !each.isDaily && (each.end ?? NaN) - end <= togetherSeconds)
  const days = new Set([first, ...hourly].map((each) => dayOf(each.end)))
  const daily = left.filter((each) => each.isDaily && days.has(dayOf(each.end)))
  return [...hourly, ...daily].filter((each) => each.end !== undefined)
}

function dayOf(seconds: number | undefined): number {
  return Math.floor((seconds ?? NaN) / secondsPerDay)
}

function lossOfStation({ station, series }: StationLoss, asOf: number): Loss {
  const { since } = series.reduce((first, each) => (each.due < first.due ? each : first))
  return loss({ place: { station }, series, since, asOf }, series)
}

function lossOfCountry(
  country: string,
  members: readonly StationLoss[],
  expectedStations: number,
  asOf: number,
): Loss {
  const series = members.flatMap((each) => each.series)
  const hourly = members.filter(({ isDaily }) => !isDaily)
  const ends = (hourly.length > 0 ? hourly : members).flatMap(({ end }) => end ?? [])
  const since = Math.min(...ends)
  // A series of a station that was lost before has another cause.
  const stopped = series.filter((each) => each.since !== undefined && each.since >= since)
  return loss({ place: { country, expectedStations }, series, since, asOf }, stopped)
}

/** @param stopped the series whose times are those of the loss */
function loss(
  found: Omit<Parameters<typeof lossOf>[0], 'kind' | 'due' | 'alert'>,
  stopped: readonly LostSeries[],
): Loss {
  const isDown = found.series.some(({ kind }) => kind === 'down')
  const due = Math.min(...stopped.map((each) => each.due))
  const alertFrom = Math.min(...stopped.map((each) => each.alertFrom))
  return lossOf({ ...found, kind: isDown ? 'down' : 'late', due, alert: found.asOf >= alertFrom })
}

/** Damaged slots that ended longer ago are left to `missing/`. */
const damagedDays = 7

/**
 * One loss for each station of which slots are damaged that ended in the last seven days. It begins
 * when the first of them was found to be damaged; a good copy often follows before it is an alert.
 * @param asOf seconds since 1970
 */
export function damagedLosses(states: readonly StationSeries[], asOf: number): readonly Loss[] {
  const damaged = states.flatMap((each) => damagedSeries(each, asOf))
  return Array.from(
    Map.groupBy(damaged, ({ station }) => station),
    ([station, series]) => {
      const since = Math.min(...series.map(({ due }) => due))
      const alert = asOf >= since + patienceSeconds
      return lossOf({ kind: 'damaged', place: { station }, series, since, due: since, alert, asOf })
    },
  )
}

/** The series with its damaged slots; nothing if there are none. */
function damagedSeries(
  { station, fileType, period, summary: { runs }, past }: StationSeries,
  asOf: number,
): readonly LostSeries[] {
  if (past.damaged.size === 0) return []
  const isRecent = (slot: number): boolean => {
    const end = endOfSlot(slot, period)
    return end <= asOf && end > asOf - damagedDays * secondsPerDay
  }
  const found = runs
    .filter(({ state }) => state === 'damaged')
    .flatMap(({ firstSlot, slots }) =>
      Array.from({ length: slots }, (_, index) => firstSlot + index),
    )
    .filter((slot) => isRecent(slot) && past.damaged.has(slot))
  if (found.length === 0) return []
  const since = Math.min(...found.map((slot) => past.damaged.get(slot) ?? Infinity))
  const times = { since, due: since, alertFrom: since + patienceSeconds }
  return [{ station, fileType, period, kind: 'damaged', damaged: found, ...times }]
}
