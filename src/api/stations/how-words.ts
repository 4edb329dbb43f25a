/** How a station is, in the words of its row in the list. Pure. */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { counted, dayAndMonth, readableDuration } from '../../runtime/readable.ts'
import type { Loss } from '../../series/loss.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, slotsPerDay, startOf } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import type { StationDays } from '../../series/station-days.ts'
import { observations } from '../../series/station-days.ts'
import { stateOf } from '../../series/station-states.ts'
import { periodNoun, shortDay, slotsWords } from '../pages/date-words.ts'
import { typeLabel } from '../pages/labels.ts'
import type { KnownSeries } from '../series/known-series.ts'

/** A station of the network with all that its row says. */
export interface KnownStation extends StationDays {
  readonly series: readonly KnownSeries[]
  /** The open loss to which it belongs. */
  readonly loss: Loss | undefined
  readonly asOf: number
}

/** `delivers`, `nothing for 9 days`, `no hour for 20 h, day of 26 Nov`. */
export function howWords(station: KnownStation): string {
  const { state } = station
  if (state === 'down' || state === 'late') return lostWords(station)
  if (state === 'present') return presentWords(station)
  if (state === 'unknown') return 'not known before the first scan has ended'
  const last = lastDataOf(station)
  const end = last === undefined ? '' : `; last file ${dayAndMonth(dayToIso(last.day))}`
  return `${state === 'ended' ? 'ended' : 'not expected now'}${end}`
}

function lostWords({ series, loss, asOf }: KnownStation): string {
  const lost = series.filter(({ summary: { state } }) => state === 'late' || state === 'down')
  const ends = lost.flatMap(({ summary: { since } }) => since ?? [])
  if (ends.length === 0) return 'nothing ever came'
  const [hourly, daily] = [lost.filter(isOfHours), lost.filter((each) => !isOfHours(each))]
  const isAlive = series.some(({ summary: { state } }) => state === 'present')
  const age = asOf - Math.max(...ends)
  const type = lost.find(({ fileType }) => fileType === 'o') ?? lost[0]
  const of = type === undefined || type.fileType === 'o' ? '' : ` of ${typeLabel(type.fileType)}`
  const others = (loss?.stations.length ?? 1) - 1
  const more = others > 0 ? [`with ${counted(others, 'other', 'others')}`] : []
  if (!isAlive && age >= 2 * secondsPerDay)
    return [`nothing for ${readableDuration(age)}`, ...more].join(', ')
  const [hours, days] = [hoursWords(hourly, asOf), daysWords(daily, asOf)]
  return [...hours, ...(hours.length > 0 ? days : days.map((text) => `no ${text}`))]
    .map((text) => `${text}${of}`)
    .concat(more)
    .join(', ')
}

function isOfHours({ period }: KnownSeries): boolean {
  return period !== '01D'
}

/** `no hour for 20 h` */
function hoursWords(lost: readonly KnownSeries[], asOf: number): readonly string[] {
  const ends = lost.flatMap(({ summary: { since } }) => since ?? [])
  if (ends.length === 0) return []
  const noun = periodNoun(lost.some(({ period }) => period === '01H') ? '01H' : '15M')
  return [`no ${noun} for ${readableDuration(asOf - Math.max(...ends))}`]
}

/** Days up to this number are named. */
const namedDays = 7

/** What follows `no`: `day of 26 Nov`, `days of 24 to 26 Nov`, `day for 9 days`. */
function daysWords(lost: readonly KnownSeries[], asOf: number): readonly string[] {
  const ends = lost.flatMap(({ summary: { since } }) => since ?? [])
  if (ends.length === 0) return []
  const first = Math.max(...ends) / secondsPerDay
  const missing = lost.flatMap(({ summary: { runs } }) =>
    runs.filter(isLost).map(({ firstSlot, slots }) => firstSlot + slots - 1),
  )
  const last = Math.max(first, ...missing)
  const days = last - first + 1
  if (days > namedDays) return [`day for ${days} days`]
  const words = slotsWords({ firstSlot: first, slots: days }, '01D', asOf)
  return [days === 1 ? `day of ${words}` : `days of ${words}`]
}

/** Below this completeness, the words say how much it delivers. */
const flakyBelow = 0.9

function presentWords(station: KnownStation): string {
  const main = observations(station.series).filter(
    ({ summary }) => stateOf(summary) === 'present' && summary.completeness !== undefined,
  )
  const worst = main.toSorted(byCompleteness)[0]
  const share = worst?.summary.completeness ?? 1
  if (worst !== undefined && share < flakyBelow) return `delivers ${fractionWords(share, worst)}`
  if (station.delivery !== 'gaps') return newWords(station)
  const gap = lastGapOf(station)
  if (gap === undefined) return 'delivers'
  const words = slotsWords(gap, gap.period, station.asOf)
  if (gap.state !== 'damaged') return `delivers; last gap ${words}`
  return gap.period === '01D' ? `day of ${words} is damaged` : `${words} is damaged`
}

function byCompleteness(a: KnownSeries, b: KnownSeries): number {
  return (a.summary.completeness ?? 1) - (b.summary.completeness ?? 1)
}

/** `3 of 4 hours`, the nearest such fraction. */
function fractionWords(share: number, { period }: KnownSeries): string {
  const fractions = [2, 3, 4, 5, 10].map((of) => ({ of, count: Math.round(share * of) }))
  const distance = ({ count, of }: { count: number; of: number }) => Math.abs(count / of - share)
  const nearest = fractions
    .filter(({ count, of }) => count > 0 && count < of)
    .reduce((best, each) => (distance(each) < distance(best) - 0.01 ? each : best), {
      count: 1,
      of: 10,
    })
  return `about ${nearest.count} of ${nearest.of} ${periodNoun(period, nearest.of)}`
}

/** A station that began in these 28 days says when. */
function newWords({ series, days, asOf }: KnownStation): string {
  if (days[0] !== undefined) return 'delivers'
  const firsts = series.flatMap(({ period, past }) =>
    past.first === undefined ? [] : [startOf(past.first, period)],
  )
  if (firsts.length === 0) return 'delivers'
  return `delivers since ${shortDay(Math.floor(Math.min(...firsts) / secondsPerDay), asOf)}`
}

/** A run of lost slots of a series. */
interface Lost extends StateRun {
  readonly period: Period
}

/** The newest loss of the last 28 days. */
export function lastGapOf({ series }: Pick<KnownStation, 'series'>): Lost | undefined {
  const lost = observations(series).flatMap(({ period, summary, past }) =>
    summary.runs
      .filter((run) => isLost(run) && run.firstSlot >= (past.first ?? Infinity))
      .map((run) => ({ ...run, period })),
  )
  const endOf = ({ firstSlot, slots, period }: Lost) => endOfSlot(firstSlot + slots - 1, period)
  return lost.sort((a, b) => endOf(b) - endOf(a))[0]
}

export function isLost({ state }: StateRun): boolean {
  return state === 'missing' || state === 'late' || state === 'damaged'
}

/** The newest data of a station: the day, and in words. */
export function lastDataOf({ series, asOf }: Pick<KnownStation, 'series' | 'asOf'>) {
  const newest = observations(series)
    .flatMap(({ period, summary: { lastSlot } }) =>
      lastSlot === undefined ? [] : [{ period, lastSlot, end: endOfSlot(lastSlot, period) }],
    )
    // Of data up to midnight, an hour says more than a day.
    .sort((a, b) => b.end - a.end || slotsPerDay(b.period) - slotsPerDay(a.period))[0]
  if (newest === undefined) return undefined
  const { period, lastSlot, end } = newest
  const words = slotsWords({ firstSlot: lastSlot, slots: 1 }, period, asOf)
  return { day: Math.floor((end - 1) / secondsPerDay), start: startOf(lastSlot, period), words }
}
