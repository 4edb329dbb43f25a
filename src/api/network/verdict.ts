/** Whether the network is well; if not, who, since when, and whether the cause is here. Pure. */
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted, hourWords, readableDuration } from '../../runtime/readable.ts'
import type { AsOf } from '../../series/as-of.ts'
import { indexerStopped } from '../../series/as-of.ts'
import { arrivedBy } from '../../series/loss.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, slotAt, startOf } from '../../series/series.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { countStates } from '../../series/station-states.ts'
import { momentWords, shortDay } from '../pages/date-words.ts'
import type { KnownSeries, NetworkStatus, SeriesStatus } from '../series/known-series.ts'
import { standstillOf } from '../series/network-context.ts'
import type { RecentArrivals } from './arrivals.ts'
import { latestArrival, recentArrivals } from './arrivals.ts'

/**
 * What the indexer does: it follows the archive (`watching`), with problems or not at all
 * (`degraded`), makes its first scan, or is stopped.
 */
export const indexerStates = ['watching', 'degraded', 'scanning', 'stopped'] as const

export interface Verdict {
  /** True if the catalogue is current without problems, and no station is late or down. */
  readonly ok: boolean
  /** Who does not deliver. */
  readonly headline: string
  /** What was delivered, and whether the cause is here; empty if nothing is known. */
  readonly detail: string
  /** Both, and why the catalogue stands still. */
  readonly words: string
  readonly indexer: (typeof indexerStates)[number]
  /**
   * When the newest file arrived, in seconds since 1970; `undefined` if it was not seen arriving,
   * as on the first day.
   */
  readonly newest: number | undefined
  /** Numbers of stations. */
  readonly late: number
  readonly down: number
}

type Network = Pick<NetworkStatus, 'stations' | 'losses' | 'asOf'> & {
  readonly states: readonly KnownSeries[]
}

/** What the sentences say. */
interface Facts extends Network {
  readonly recent: RecentArrivals
  /** Now, or when the states stood still. */
  readonly now: number
  readonly isCurrent: boolean
  /** Stations that do not deliver, and all that deliver or should. */
  readonly lost: number
  readonly all: number
  readonly newest: number | undefined
}

/** @param now seconds since 1970 by our clock: a file may have arrived after `asOf.seconds` */
export function verdictOf(
  network: Network,
  now: number,
  recent = recentArrivals(network),
): Verdict {
  const { stations, asOf } = network
  const { late, down, present } = countStates(stations)
  const indexer = indexerState(asOf)
  const isCurrent = asOf.notCurrent === undefined
  const until = isCurrent ? now : (asOf.seconds ?? now)
  const newest = newestArrival(network, recent, until)
  const lost = late + down
  const facts = { ...network, recent, now: until, isCurrent, lost, all: lost + present, newest }
  const isKnown = asOf.seconds !== undefined
  const headline = isKnown ? headlineOf(facts) : 'The states of the stations are not known yet'
  const detail = isKnown ? detailOf(facts, asOf.seconds) : ''
  return {
    ok: indexer === 'watching' && lost === 0,
    headline,
    detail,
    words: wordsOf(asOf, headline, detail),
    indexer,
    newest,
    late,
    down,
  }
}

/** For programs, which have no banner beside it. */
function wordsOf(asOf: AsOf, headline: string, detail: string): string {
  const { seconds, notCurrent, problems } = asOf
  if (seconds === undefined) return standstillOf(asOf)
  const found = problems.map((problem) => ` The indexer reports: ${problem}.`).join('')
  const said = `${detail === '' ? '' : ` ${detail}`}${found}`
  if (notCurrent === undefined) return `${headline}.${said}`
  const begin = headline.replace(/^(All|No|Nothing)\b/, (word) => word.toLowerCase())
  return `${standstillOf(asOf)} At that time ${begin}.${said}`
}

/**
 * The newest arrival until a time. `undefined` also if newer data were found that were not seen
 * arriving, as after a stop.
 */
function newestArrival(
  { states, asOf: { seconds: asOf } }: Network,
  recent: RecentArrivals,
  until: number,
): number | undefined {
  if (asOf === undefined) return undefined
  const arrival = latestArrival(states, recent, until)
  return arrival > -Infinity && arrival >= arrivedBy(states, asOf) ? arrival : undefined
}

function indexerState({ seconds, notCurrent, problems }: AsOf): Verdict['indexer'] {
  if (notCurrent === indexerStopped) return 'stopped'
  if (seconds === undefined) return 'scanning'
  return notCurrent === undefined && problems.length === 0 ? 'watching' : 'degraded'
}

/** `11 of 124 stations do not deliver, 8 of them in Norway since 08:10`. */
function headlineOf({ losses, lost, all, isCurrent, now }: Facts): string {
  const isOne = all === 1
  if (all === 0)
    return `No station ${isCurrent ? 'is expected to deliver now' : 'was expected to deliver'}`
  if (lost === 0) {
    const verb = isCurrent ? (isOne ? 'delivers' : 'deliver') : 'delivered'
    return isOne ? `The only station ${verb}` : `All ${counted(all, '', 'stations')} ${verb}`
  }
  const { since } = losses.find(({ kind }) => kind === 'ingest-stalled') ?? {}
  if (since !== undefined && isCurrent)
    return `Nothing arrives from any station since ${momentWords(since, now)} UTC`
  const verb = isCurrent ? (lost === 1 ? 'does not deliver' : 'do not deliver') : 'did not deliver'
  const subject = `${lost} of ${counted(all, 'station', 'stations')} ${verb}`
  return `${subject}${whoOf(losses, lost, now)}`
}

/** Most stations of a loss whose names the headline says. */
const maxNames = 3

/** The country with the most lost stations, or the few that are lost. */
function whoOf(losses: NetworkStatus['losses'], lost: number, now: number): string {
  const [largest] = losses
    .filter(({ country }) => country !== undefined)
    .toSorted((a, b) => b.stations.length - a.stations.length)
  if (largest?.country !== undefined) {
    const { length } = largest.stations
    const many = length === lost ? 'all' : `${length} of them`
    return `, ${many} in ${countryName(largest.country)} since ${momentWords(largest.due, now)}`
  }
  const named = losses.filter(({ kind }) => kind === 'late' || kind === 'down')
  const codes = [...new Set(named.flatMap(({ stations }) => stations))].sort()
  return codes.length === lost && lost <= maxNames ? `: ${codes.join(', ')}` : ''
}

function detailOf(facts: Facts, asOf = 0): string {
  return [...deliveredFact(facts, asOf), ...causeFact(facts, asOf)].join(' ')
}

/** Whether the cause may be here: the archive was looked at, and others arrive, or not. */
function causeFact({ states, losses, newest, ...facts }: Facts, asOf: number): readonly string[] {
  const { lost, isCurrent, now } = facts
  const arrived = newest === undefined ? dataFact(states, asOf) : [arrivalFact(newest, facts)]
  if (lost === 0 || !isCurrent) return arrived.map((words) => `The newest ${words}.`)
  const seconds = Math.round(now - asOf)
  const looked = `The archive was looked at ${seconds < 2 ? 'just now' : `${readableDuration(seconds)} ago`}`
  if (facts.asOf.problems.length > 0)
    return [`${looked}, but the indexer reports a problem: the cause may be here.`]
  if (losses.some(({ kind }) => kind === 'ingest-stalled'))
    return [`${looked} and no file comes: the cause may be here, or between here and all stations.`]
  if (doOthersArrive(states, facts.recent, now))
    return [`${looked} and files of other stations arrive: the cause is not here.`]
  return [`${[looked, ...arrived.map((words) => `the newest ${words}`)].join('; ')}.`]
}

/**
 * True if a file of a station that delivers arrived in the last two hours; where only daily files
 * are expected, on the last day.
 */
function doOthersArrive(
  states: readonly KnownSeries[],
  recent: RecentArrivals,
  now: number,
): boolean {
  const isHourly = ({ period }: KnownSeries): boolean => period !== '01D'
  const hasHours = states.some((each) => isHourly(each) && each.summary.isExpected)
  const others = states.filter(
    (each) => each.summary.state === 'present' && (!hasHours || isHourly(each)),
  )
  return now - latestArrival(others, recent, now) <= (hasHours ? 2 * secondsPerHour : secondsPerDay)
}

function arrivalFact(newest: number, { isCurrent, now }: Pick<Facts, 'isCurrent' | 'now'>): string {
  return isCurrent
    ? `file arrived ${readableDuration(Math.max(0, now - newest))} ago`
    : `file had arrived at ${momentWords(newest, now)} UTC`
}

interface Newest {
  readonly period: Period
  readonly start: number
}

/** Of when the newest data are: a first scan finds files, but does not see them arrive. */
function dataFact(states: readonly SeriesStatus[], asOf: number): readonly string[] {
  const newest = states
    .flatMap(({ period, summary: { lastSlot } }) =>
      lastSlot === undefined ? [] : [{ period, start: startOf(lastSlot, period) }],
    )
    .reduce<Newest | undefined>((last, each) => (isNewer(each, last) ? each : last), undefined)
  return newest === undefined ? [] : [`data are of ${dataTime(newest, asOf)}`]
}

/** Of files that begin at midnight, an hour says more than a day. */
function isNewer({ start, period }: Newest, last: Newest | undefined): boolean {
  if (last === undefined || start > last.start) return true
  return start === last.start && period !== '01D'
}

/** `14:00` of the day of `asOf`; otherwise with its day. */
function dataTime({ period, start }: Newest, asOf: number): string {
  return period === '01D'
    ? shortDay(Math.floor(start / secondsPerDay), asOf)
    : momentWords(start, asOf)
}

/**
 * How many of the stations whose newest file is due have sent it. It is the newest hour that is due
 * of at least half of the stations that are expected; without hourly stations, the newest day. So
 * the figure does not fall at the full hour, when no file is due yet. Nothing is said of a time at
 * which nothing was expected.
 */
function deliveredFact({ states, isCurrent }: Facts, asOf: number): readonly string[] {
  for (const period of ['01H', '01D'] as const) {
    const expected = states.filter(
      ({ fileType, period: own, summary }) =>
        fileType === 'o' && own === period && summary.isExpected,
    )
    if (expected.length === 0) continue
    const newest = slotAt(asOf, period) - 1
    for (let slot = newest; slot > newest - 24; slot--) {
      const due = expected.filter(
        ({ summary }) => asOf >= endOfSlot(slot, period) + summary.lateAfter,
      )
      if (due.length * 2 < expected.length) continue
      const found = due.map(({ summary }) => slotState(summary.runs, slot))
      const count = (...wanted: readonly SlotState[]): number =>
        found.filter((state) => state !== undefined && wanted.includes(state)).length
      const delivered = count('present', 'removed')
      // A damaged file is no delivery.
      const all = delivered + count('damaged', 'late', 'missing')
      if (all === 0) break
      const [is, has] = isCurrent ? ['is', 'has'] : ['was', 'had']
      const [are, have] = isCurrent ? ['are', 'have'] : ['were', 'had']
      const stations = counted(
        all,
        `station that ${is} due ${has}`,
        `stations that ${are} due ${have}`,
      )
      return [`${delivered} of ${stations} sent the ${slotName(slot, period, asOf)}.`]
    }
  }
  return []
}

function slotState(runs: SeriesStatus['summary']['runs'], slot: number): SlotState | undefined {
  return runs.findLast(({ firstSlot }) => firstSlot <= slot)?.state
}

/** `hour 15–16 UTC`, or `day 22 Jan`. */
function slotName(slot: number, period: Exclude<Period, '15M'>, asOf: number): string {
  return period === '01D'
    ? `day ${shortDay(slot, asOf)}`
    : `hour ${hourWords(startOf(slot, period))} UTC`
}
