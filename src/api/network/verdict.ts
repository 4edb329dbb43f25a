/** Whether the network is well, in one sentence. Pure. */
import { dayToIso, secondsPerDay, secondsToIso, twoDigits } from '../../parse/calendar.ts'
import { counted, readableDate, readableDuration, readableTime } from '../../runtime/readable.ts'
import type { AsOf } from '../../series/as-of.ts'
import { indexerStopped } from '../../series/as-of.ts'
import type { Period } from '../../series/series.ts'
import { endOfSlot, slotAt, startOf } from '../../series/series.ts'
import { lastArrivalOf } from '../../series/series-summary.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { arrivedBy } from '../../series/stalled.ts'
import { countStates } from '../../series/station-states.ts'
import type { KnownSeries, NetworkStatus, SeriesStatus } from '../series/known-series.ts'
import { standstillOf } from '../series/network-context.ts'

/**
 * What the indexer does: it follows the archive (`watching`), with problems or not at all
 * (`degraded`), makes its first scan, or is stopped.
 */
export const indexerStates = ['watching', 'degraded', 'scanning', 'stopped'] as const

export interface Verdict {
  /** True if the catalogue is current without problems, and no station is late or down. */
  readonly ok: boolean
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

/** @param now seconds since 1970 by our clock: a file may have arrived after `asOf.seconds` */
export function verdictOf(network: Network, now: number): Verdict {
  const { states, stations, asOf } = network
  const { late, down } = countStates(stations)
  const indexer = indexerState(asOf)
  const newest = newestArrival(states, asOf, now)
  return {
    ok: indexer === 'watching' && late + down === 0,
    words: wordsOf(network, { late, down }, newest === undefined ? undefined : { newest, now }),
    indexer,
    newest,
    late,
    down,
  }
}

/**
 * The newest arrival until now, or until the time at which the states stand still. `undefined` also
 * if newer data were found that were not seen arriving, as after a stop.
 */
function newestArrival(
  states: readonly KnownSeries[],
  { seconds: asOf, notCurrent }: AsOf,
  now: number,
): number | undefined {
  if (asOf === undefined) return undefined
  const until = notCurrent === undefined ? now : asOf
  const arrival = states.reduce(
    (latest, { period, past }) =>
      Math.max(latest, lastArrivalOf(past.arrivals, period, until) ?? -Infinity),
    -Infinity,
  )
  return arrival > -Infinity && arrival >= arrivedBy(states, asOf) ? arrival : undefined
}

function indexerState({ seconds, notCurrent, problems }: AsOf): Verdict['indexer'] {
  if (notCurrent === indexerStopped) return 'stopped'
  if (seconds === undefined) return 'scanning'
  return notCurrent === undefined && problems.length === 0 ? 'watching' : 'degraded'
}

/** The newest arrival, and now. */
interface Arrived {
  readonly newest: number
  readonly now: number
}

/**
 * `All well: newest file 14 s ago, 86 of 95 stations that are due have sent the hour 15–16.`, or
 * what is not.
 */
function wordsOf(
  { states, losses: open, asOf }: Network,
  lost: { late: number; down: number },
  arrived: Arrived | undefined,
): string {
  const { seconds, notCurrent, problems } = asOf
  if (seconds === undefined) return standstillOf(asOf)
  const losses = (['late', 'down'] as const)
    .filter((state) => lost[state] > 0)
    .map((state, index) => {
      const [one, many] = index === 0 ? ['station is', 'stations are'] : ['is', 'are']
      return `${counted(lost[state], one, many)} ${state}`
    })
  const isCurrent = notCurrent === undefined
  const facts = [
    ...newestFact(states, seconds, { arrived, isCurrent }),
    ...deliveredFact(states, seconds),
  ]
  if (!isCurrent) {
    const then = [...losses, ...facts].join(', ')
    return `${standstillOf(asOf)}${then === '' ? '' : ` At that time: ${then}.`}`
  }
  facts.push(...problems.map((problem) => `the indexer reports: ${problem}`))
  const head = [...stalledFact(open), ...losses].join(', ')
  const wellness = isAnyExpected(states) ? 'All well' : 'No station is expected to deliver now'
  const subject = head !== '' ? head : problems.length === 0 ? wellness : 'All stations are well'
  return `${subject}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}.`
}

function isAnyExpected(states: readonly SeriesStatus[]): boolean {
  return states.some(({ summary: { state } }) => state !== 'silent' && state !== 'unknown')
}

/** Several stations have alerts, and nothing arrives from any: the cause may be on our side. */
function stalledFact(losses: NetworkStatus['losses']): readonly string[] {
  const { since } = losses.find(({ kind }) => kind === 'ingest-stalled') ?? {}
  if (since === undefined) return []
  return [`Nothing arrives from any station since ${readableTime(secondsToIso(since))} UTC`]
}

/**
 * How old the newest file is. Without arrivals it says of when the newest data are: a first scan
 * finds files, but does not see them arrive.
 */
function newestFact(
  states: readonly SeriesStatus[],
  asOf: number,
  { arrived, isCurrent }: { readonly arrived: Arrived | undefined; readonly isCurrent: boolean },
): readonly string[] {
  if (arrived !== undefined)
    return isCurrent
      ? [`newest file ${readableDuration(arrived.now - arrived.newest)} ago`]
      : [`newest file of ${readableTime(secondsToIso(arrived.newest))} UTC`]
  const newest = states
    .flatMap(({ period, summary: { lastSlot } }) =>
      lastSlot === undefined ? [] : [{ period, start: startOf(lastSlot, period) }],
    )
    .reduce<Newest | undefined>((last, each) => (isNewer(each, last) ? each : last), undefined)
  return newest === undefined ? [] : [`newest data of ${dataTime(newest, asOf)}`]
}

interface Newest {
  readonly period: Period
  readonly start: number
}

/** Of files that begin at midnight, an hour says more than a day. */
function isNewer({ start, period }: Newest, last: Newest | undefined): boolean {
  if (last === undefined || start > last.start) return true
  return start === last.start && period !== '01D'
}

/** `14:00` of the day of `asOf`; otherwise with its day. */
function dataTime({ period, start }: Newest, asOf: number): string {
  const [iso, day] = [secondsToIso(start), Math.floor(start / secondsPerDay)]
  const isToday = period !== '01D' && day === Math.floor(asOf / secondsPerDay)
  return isToday ? iso.slice(11, 16) : readableDate(iso)
}

/**
 * How many of the stations whose newest file is due have sent it. It is the newest hour that is due
 * of at least half of the stations that are expected; without hourly stations, the newest day. So
 * the figure does not fall at the full hour, when no file is due yet. Nothing is said of a time at
 * which nothing was expected.
 */
function deliveredFact(states: readonly SeriesStatus[], asOf: number): readonly string[] {
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
      const stations = counted(all, 'station that is due has', 'stations that are due have')
      return [`${delivered} of ${stations} sent the ${slotName(slot, period)}`]
    }
  }
  return []
}

function slotState(runs: SeriesStatus['summary']['runs'], slot: number): SlotState | undefined {
  return runs.findLast(({ firstSlot }) => firstSlot <= slot)?.state
}

/** `hour 15–16`, or `day 2026-01-22`. */
function slotName(slot: number, period: Exclude<Period, '15M'>): string {
  if (period === '01D') return `day ${dayToIso(slot)}`
  const hour = slot % 24
  return `hour ${twoDigits(hour)}–${twoDigits(hour + 1)}`
}
