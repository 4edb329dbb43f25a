/** How a station is, in the words of its row in the list. Pure. */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { counted, dayAndMonth, readableDuration } from '../../runtime/readable.ts'
import type { Loss } from '../../series/loss.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, slotsPerDay, startOf } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import type { StationDays } from '../../series/station-days.ts'
import { observations } from '../../series/station-days.ts'
import { lostWords } from '../alerts/loss-words.ts'
import { periodNoun, shortDay, slotsWords } from '../pages/date-words.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { mainSeries } from '../series/known-series.ts'

/** A station of the network with all that its row says. */
export interface KnownStation extends StationDays {
  readonly series: readonly KnownSeries[]
  /** The open loss to which it belongs. */
  readonly loss: Loss | undefined
  readonly asOf: number
}

/** `delivers`, `nothing since 18 Nov, 9 days late`, `no hour since 07–08, 6 h 53 min late`. */
export function howWords(station: KnownStation): string {
  const { state } = station
  if (state === 'down' || state === 'late') return lateWords(station)
  if (state === 'present') return presentWords(station)
  if (state === 'unknown') return 'not known before the first scan has ended'
  const last = lastDataOf(station)
  const end = last === undefined ? '' : `; last file ${dayAndMonth(dayToIso(last.day))}`
  return `${state === 'ended' ? 'ended' : 'not expected now'}${end}`
}

/** In the words of a loss; it is late since the first file was due. */
function lateWords(station: KnownStation): string {
  const { series, loss, asOf, state } = station
  const lost = series.filter(({ summary }) => summary.state === 'late' || summary.state === 'down')
  const isAlive = series.some(({ summary }) => summary.state === 'present')
  const keys = lost.map(({ fileType, period, summary: { since } }) => ({ fileType, period, since }))
  const words = lostWords({ series: keys, isAlive }, asOf)
  const flaky = state === 'late' ? flakyWords(station) : undefined
  if (flaky !== undefined) return `${flaky}, ${words}`
  const late = Math.max(...lost.flatMap(({ lateSeconds }) => lateSeconds ?? []))
  const others = (loss?.stations.length ?? 1) - 1
  return [
    words,
    ...(Number.isFinite(late) ? [`${readableDuration(late)} late`] : []),
    ...(others > 0 ? [`with ${counted(others, 'other', 'others')}`] : []),
  ].join(', ')
}

/** Below this completeness, the words say how much it delivers. */
const flakyBelow = 0.9

/** `delivers about 3 of 4 hours`, of a main series that comes and goes. */
function flakyWords({ series }: KnownStation): string | undefined {
  const [main] = mainSeries(series).values()
  const share = main === undefined ? 1 : shareBeforeLoss(main)
  return main && share < flakyBelow ? `delivers ${fractionWords(share, main)}` : undefined
}

/** The completeness of 28 days, up to what is lost now. */
function shareBeforeLoss({ period, summary }: KnownSeries): number {
  const { runs, since = Infinity, delivered, possible } = summary
  const lost = runs
    .filter((run) => isLost(run) && startOf(run.firstSlot, period) >= since)
    .reduce((sum, { slots }) => sum + slots, 0)
  return possible > lost ? delivered / (possible - lost) : 1
}

function presentWords(station: KnownStation): string {
  const flaky = flakyWords(station)
  if (flaky !== undefined) return flaky
  if (station.delivery !== 'gaps') return newWords(station)
  const gap = lastGapOf(station)
  if (gap === undefined) return 'delivers'
  const words = slotsWords(gap, gap.period, station.asOf)
  if (gap.state !== 'damaged') return `delivers; last gap ${words}`
  return gap.period === '01D' && gap.slots === 1
    ? `day of ${words} is damaged`
    : `${words} ${gap.slots === 1 ? 'is' : 'are'} damaged`
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
