/** Joins missing slots to outages, each of which one cause may explain. Pure; times in seconds. */
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, periods, startOf } from '../../series/series.ts'
import { keyOf } from '../series/known-series.ts'
import type { MissingSlot } from './missing-slots.ts'

/** The slots of an outage, by station and series, ascending. */
export type Outage = readonly MissingSlot[]

/** Slots with the time from the first to the last. */
interface Stretch {
  readonly slots: Outage
  readonly start: number
  readonly end: number
  /** The same of its shortest period, by which stations are compared: a day says less. */
  readonly begin: number
  readonly stop: number
  /** True if there are files, and all are damaged or half. */
  readonly isFaulty: boolean
  /** False if slots between the first and the last are there. */
  readonly isWhole: boolean
}

/**
 * The outages of some slots. One outage are:
 *
 * - slots of a series that follow one another, in whatever state;
 * - at least four such stretches that are short and near each other (see `limitsOf`);
 * - the stretches of a station, of all types and periods, that share half of their time, or of
 *   which many short ones include the other (damaged or half files alone have their own cause);
 * - the same of stations of at least three countries, begun and ended at the same time;
 * - the same of at least three stations of a country, begun and ended within an hour.
 *
 * Slots that are half were delivered: they are in no outage of others.
 */
export function outagesOf(slots: readonly MissingSlot[]): readonly Outage[] {
  const byKind = Map.groupBy(slots, ({ state }) => state === 'half').values()
  return Array.from(byKind).flatMap(outagesOfKind)
}

function outagesOfKind(slots: readonly MissingSlot[]): readonly Outage[] {
  const bySeries = Map.groupBy(slots, ({ series }) => keyOf(series))
  const stretches = Array.from(bySeries.values()).flatMap(seriesStretches)
  const byStation = Map.groupBy(stretches, stationOf).values()
  return ofSeveral(Array.from(byStation).flatMap(ofStation)).map(({ slots: own }) =>
    own.toSorted(bySeriesAndSlot),
  )
}

/** The runs of slots without a break, ascending; of slots of one series. */
export function runsOf(slots: Outage): readonly Outage[] {
  const runs: MissingSlot[][] = []
  for (const each of slots.toSorted((a, b) => a.slot - b.slot)) {
    const run = runs.at(-1)
    if (run?.at(-1)?.slot === each.slot - 1) run.push(each)
    else runs.push([each])
  }
  return runs
}

/** When the slots begin and end. */
export function timeOf(slots: Outage): { readonly start: number; readonly end: number } {
  return slots.reduce(
    ({ start, end }, { slot, series: { period } }) => ({
      start: Math.min(start, startOf(slot, period)),
      end: Math.max(end, endOfSlot(slot, period)),
    }),
    { start: Infinity, end: -Infinity },
  )
}

function stretchOf(slots: Outage, isWhole = true): Stretch {
  const shortest = periods.find((period) => slots.some(({ series }) => series.period === period))
  const { start: begin, end: stop } = timeOf(
    slots.filter(({ series }) => series.period === shortest),
  )
  return { slots, ...timeOf(slots), begin, stop, isFaulty: isFaulty(slots), isWhole }
}

export function isFaulty(slots: Outage): boolean {
  return slots.every(({ state }) => state === 'damaged' || state === 'half')
}

const stationOf = ({ slots: [first] }: Stretch): string => first?.series.station ?? ''

const periodOf = ({ slots: [first] }: Stretch): Period => first?.series.period ?? '01D'

/** The longest of many stretches that are one outage, and the longest time between two of them. */
function limitsOf(period: Period) {
  return period === '01D'
    ? { length: 3 * secondsPerDay, between: 7 * secondsPerDay }
    : { length: secondsPerDay / 2, between: secondsPerDay }
}

/** The fewest stretches that are one outage. */
const leastStretches = 4

/** The stretches of a series; many short ones near each other are one. */
function seriesStretches(slots: Outage): readonly Stretch[] {
  const runs = runsOf(slots).map((run) => stretchOf(run))
  const groups: Stretch[][] = []
  for (const run of runs) {
    const last = groups.at(-1)?.at(-1)
    const limits = limitsOf(periodOf(run))
    const isShort = (each: Stretch): boolean => !each.isFaulty && length(each) <= limits.length
    const isNear = last && run.start - last.end <= limits.between && isShort(last) && isShort(run)
    if (isNear === true) groups.at(-1)?.push(run)
    else groups.push([run])
  }
  return groups.flatMap((group) => (group.length < leastStretches ? group : [joined(group, false)]))
}

function joined(stretches: readonly Stretch[], isWhole = true): Stretch {
  return stretchOf(
    stretches.flatMap(({ slots }) => slots),
    isWhole,
  )
}

/** Joins the stretches of the series of a station that have half of their time in common. */
function ofStation(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  for (const each of stretches.toSorted((a, b) => length(b) - length(a))) {
    const index = found.findIndex((other) => isSame(each, other))
    const other = found[index]
    if (other === undefined) found.push(each)
    else {
      found[index] = joined([other, each], each.isWhole && other.isWhole)
    }
  }
  return found
}

const length = ({ start, end }: Stretch): number => end - start

/** Hours are compared with days by the days that they touch, if they are half a day or more. */
function isSame(a: Stretch, b: Stretch): boolean {
  if (a.isFaulty !== b.isFaulty) return false
  const isIn = a.start >= b.start - secondsPerDay && a.end <= b.end + secondsPerDay
  if (!b.isWhole && isIn) return true
  const isOfDays = periodOf(a) === '01D' || periodOf(b) === '01D'
  const timeOf = (each: Stretch) =>
    isOfDays && length(each) * 2 >= secondsPerDay ? wholeDays(each) : each
  const [one, other] = [timeOf(a), timeOf(b)]
  const common = Math.min(one.end, other.end) - Math.max(one.start, other.start)
  const both = Math.max(one.end, other.end) - Math.min(one.start, other.start)
  return common * 2 >= both
}

function wholeDays({ start, end }: Stretch) {
  const day = (seconds: number): number => seconds / secondsPerDay
  return {
    start: Math.floor(day(start)) * secondsPerDay,
    end: Math.ceil(day(end)) * secondsPerDay,
  }
}

/** The fewest stations of an outage of a country, and countries of one of the whole archive. */
const leastStations = 3
const leastCountries = 3

/** Joins the outages of several stations that are the same. */
function ofSeveral(outages: readonly Stretch[]): readonly Stretch[] {
  const isAlone = ({ isWhole, isFaulty: isOwn }: Stretch): boolean => !isWhole || isOwn
  const equal = Array.from(
    Map.groupBy(
      outages.filter((each) => !isAlone(each)),
      (each) => `${each.begin} ${each.stop} ${what(each)}`,
    ).values(),
  )
  const isOfAll = (group: readonly Stretch[]): boolean =>
    new Set(group.map(placeOf)).size >= leastCountries
  const others = equal.filter((group) => !isOfAll(group)).flat()
  const byCountry = Map.groupBy(others, (each) => `${placeOf(each)} ${what(each)}`)
  return [
    ...outages.filter(isAlone),
    ...equal.filter(isOfAll).map((group) => joined(group)),
    ...Array.from(byCountry.values()).flatMap(withinAnHour),
  ]
}

/** The country of a station; a short code has none, and is a place of its own. */
function placeOf(of: Stretch): string {
  return countryOf(stationOf(of)) ?? stationOf(of)
}

/** Stations whose outages begin and end within an hour of the first; too few stay alone. */
function withinAnHour(outages: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  let left = outages.toSorted((a, b) => a.begin - b.begin)
  for (let [first] = left; first !== undefined; [first] = left) {
    const { begin, stop } = first
    const near = left.filter(
      (each) =>
        each.begin - begin <= secondsPerHour && Math.abs(each.stop - stop) <= secondsPerHour,
    )
    const members = near.length >= leastStations ? near : [first]
    found.push(joined(members))
    left = left.filter((each) => !members.includes(each))
  }
  return found
}

/** The periods of an outage. */
function what({ slots }: Stretch): string {
  return [...new Set(slots.map(({ series }) => series.period))].sort().join()
}

/** The stations of an outage, by code. */
export function stationsOf(slots: Outage): readonly string[] {
  return [...new Set(slots.map(({ series }) => series.station))].sort()
}

function bySeriesAndSlot(a: MissingSlot, b: MissingSlot): number {
  const [one, other] = [keyOf(a.series), keyOf(b.series)]
  return one === other ? a.slot - b.slot : one < other ? -1 : 1
}
