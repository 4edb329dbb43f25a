/** What is said of an outage: of whom, of what, when, and what is known of it. Pure. */
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryName, countryOf } from '../../parse/countries.ts'
import { counted, readableNumber, readableShare, readableSize } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { periodRules, periods, slotAt, startOf } from '../../series/series.ts'
import {
  dayAt,
  hoursWords,
  momentWords,
  periodNoun,
  shortDay,
  shortDays,
  slotCount,
  slotsWords,
  spanWords,
} from '../pages/date-words.ts'
import { typeLabel } from '../pages/labels.ts'
import { slotMarks } from '../pages/marks.ts'
import { keyOf } from '../series/known-series.ts'
import type { MissingSlot } from './missing-slots.ts'
import { timesOf } from './missing-slots.ts'
import type { Outage } from './outages.ts'
import { isFaulty, runsOf, stationsOf, timeOf } from './outages.ts'

/** Stations that are named; more are counted. */
const namedStations = 3

/** `GRAZ00AUT`, `Norway, 8 stations`. */
export function whoWords(outage: Outage): string {
  const stations = stationsOf(outage)
  if (stations.length <= namedStations) return stations.join(', ')
  const [country, ...others] = new Set(stations.map(countryOf))
  const place = country === undefined || others.length > 0 ? '' : `${countryName(country)}, `
  return `${place}${counted(stations.length, 'station', 'stations')}`
}

/** `days and hours, observation and navigation` */
export function whatWords(outage: Outage): string {
  const own = new Set(outage.map(({ series }) => series.period))
  const nouns = periods
    .filter((period) => own.has(period))
    .map((period) => {
      const slots = new Set(outage.flatMap((each) => (isOf(each, period) ? each.slot : [])))
      return periodNoun(period, slots.size)
    })
  const types = (['o', 'n', 'm'] as const).filter((type) =>
    outage.some(({ series }) => series.fileType === type),
  )
  return `${inWords(nouns.toReversed())}, ${inWords(types.map(typeLabel))}`
}

const isOf = ({ series }: MissingSlot, period: Period): boolean => series.period === period

function inWords(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' and $1')
}

/**
 * `12 to 14 Oct`, `27 Nov 08–15 h`, `18 Nov to now`; of many stretches also their number. An end of
 * days is the last day.
 * @param asOf seconds since 1970
 */
export function whenWords(outage: Outage, asOf: number): string {
  const { start, end } = timeOf(outage)
  const [first, last] = [dayAt(start), dayAt(end - 1)]
  const runs = runsOf(largestSeries(outage))
  if (runs.length > 1) {
    const daily = everyDay(runs)
    const how = daily === '' ? counted(runs.length, 'stretch', 'stretches') : daily
    return `${shortDays(first, last, asOf)}, ${how}`
  }
  const isOfDay = first === last
  return isOpen(outage) && !isOfDay
    ? `${shortDay(first, asOf)} to now`
    : spanWords(start, end, asOf)
}

/** `17 times 22–04 h`, if all stretches are at the same hours. */
function everyDay(runs: readonly Outage[]): string {
  const hours = new Set(
    runs.map((run) => {
      const { start, end } = timeOf(run)
      return end - start < secondsPerDay ? hoursWords(start, end) : ''
    }),
  )
  const [only = '', ...others] = hours
  return only === '' || others.length > 0 ? '' : `${readableNumber(runs.length)} times ${only}`
}

/** The slots of the series with most of them. */
function largestSeries(outage: Outage): Outage {
  const bySeries = Map.groupBy(outage, ({ series }) => keyOf(series)).values()
  return Array.from(bySeries).reduce<Outage>(
    (most, each) => (each.length > most.length ? each : most),
    [],
  )
}

/** True if nothing came after it. */
function isOpen(outage: Outage): boolean {
  return outage.some(({ series: { summary, period }, slot }) => {
    const isLost = summary.state === 'late' || summary.state === 'down'
    return isLost && startOf(slot, period) >= (summary.since ?? -Infinity)
  })
}

/**
 * What is known of an outage besides its time: since when it was due, the last file before it, the
 * sizes of a damaged or half file and of its neighbours, and what is wrong inside. May be empty.
 */
export function knownWords(outage: Outage, asOf: number): string {
  const damaged = outage.filter(({ state }) => state === 'damaged')
  if (isFaulty(outage)) return damaged.length > 0 ? damagedWords(damaged) : halfWords(outage)
  const others = damaged.length > 0 ? `${readableNumber(damaged.length)} of them damaged` : ''
  const largest = largestSeries(outage)
  const missing = runsOf(largest).length > 1 ? shareWords(largest) : lateWords(outage, asOf)
  return [missing, others].filter(Boolean).join('; ')
}

function damagedWords([first, ...others]: Outage): string {
  if (first?.size === undefined || others.length > 0) return 'damaged'
  return `damaged: ${first.why ? `${first.why}; ` : ''}${sizesWords(first)}`
}

/** `45.0 % of its epochs; 131 kB, neighbours 290 kB` */
function halfWords(outage: Outage): string {
  const [first, ...others] = outage
  const shares = outage.flatMap(({ share }) => share ?? [])
  if (first === undefined || shares.length === 0) return slotMarks.half
  const best = readableShare(Math.max(...shares))
  if (others.length > 0) return `at most ${best} of their epochs`
  return [`${best} of its epochs`, sizesWords(first)].filter(Boolean).join('; ')
}

function sizesWords({ size, usualSize }: MissingSlot): string {
  if (size === undefined) return ''
  const beside = usualSize === undefined ? '' : `, neighbours ${readableSize(usualSize)}`
  return `${readableSize(size)}${beside}`
}

/** `48 of 189 hours are missing`, of a series that comes and goes. */
function shareWords(slots: Outage): string {
  const { period } = slots[0]?.series ?? { period: '01H' as const }
  const { start, end } = timeOf(slots)
  const all = (end - start) / periodRules[period].seconds
  return `${readableNumber(slots.length)} of ${slotCount(all, period)} missing`
}

function lateWords(outage: Outage, asOf: number): string {
  const late = outage.filter(({ state }) => state === 'late')
  const isAllLate = late.length === outage.length
  if (isOpen(outage) && !isAllLate) return sinceWords(outage, asOf)
  if (late.length === 0) return ''
  const due = Math.min(...late.map((slot) => timesOf(slot).expectedBy))
  const words = `due since ${momentWords(due, asOf)}`
  return isAllLate ? `late, ${words}` : `${readableNumber(late.length)} late, ${words}`
}

/** `nothing since 18 Nov 17–18 h`: the last file, of hours rather than of days. */
function sinceWords(outage: Outage, asOf: number): string {
  const [first] = outage
    .map(({ series }) => series)
    .toSorted((a, b) => periodRules[a.period].seconds - periodRules[b.period].seconds)
  if (first === undefined) return ''
  const { since } = first.summary
  if (since === undefined) return 'nothing ever came'
  const last = { firstSlot: slotAt(since - 1, first.period), slots: 1 }
  return `nothing since ${slotsWords(last, first.period, asOf)}`
}
