/** Computes the open alerts from the states of all series and the current time. Pure. */
import { secondsPerHour } from '../parse/calendar.ts'
import type { FileType } from '../parse/types.ts'
import { periodRules } from './series.ts'
import type { Period, SeriesKey } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'

/**
 * `ingest-stalled`: several stations have alerts, and no file of any station arrives (see `stalledAlert`). `late` and `missing`:
 * the state of one series.
 */
export const alertKinds = ['ingest-stalled', 'late', 'missing'] as const
export type AlertKind = (typeof alertKinds)[number]

/** A series with an alert, in the form that clients and receivers of messages get. */
export interface AlertSeries {
  readonly station: string
  readonly file_type: FileType
  readonly period: Period
  /**
   * Start of the first late or missing slot after the last slot that was delivered or has the state `unknown`. If the last 28
   * days have neither a delivered nor an unknown slot: start of the slot after the last delivered one, or null if nothing was
   * ever delivered.
   */
  readonly since: string | null
}

export interface Alert {
  /** A later alert of the same series has another id. */
  readonly id: string
  readonly kind: AlertKind
  /** The `since` of its series; for `ingest-stalled`, the time of the latest arrival, or null if no file was seen arriving. */
  readonly since: string | null
  /** Time at which the alert opened. */
  readonly opened: string
  /** One series; for `ingest-stalled`, all series whose alerts it replaces. */
  readonly series: readonly AlertSeries[]
}

/** A series of the network with its state. */
export interface StationSeries extends SeriesKey {
  readonly station: string
  readonly summary: SeriesSummary
}

/** An alert of the kind `late` or `missing`, which has exactly one series. */
interface SeriesAlert extends Alert {
  readonly series: readonly [AlertSeries]
}

/** An alert opens when its series has been late for this time, or for its usual latency if that is longer. */
const patienceSeconds = secondsPerHour

/**
 * Finds the open alerts, in the order of the series. An alert of the kind `ingest-stalled` comes first, and replaces the alerts of
 * its series.
 * @param states sorted by station
 */
export function openAlerts(states: readonly StationSeries[], nowSeconds: number): readonly Alert[] {
  const alerts = states.flatMap((each) => seriesAlert(each, nowSeconds))
  const isActive = ({ summary: { state } }: StationSeries): boolean =>
    state === 'present' || state === 'late' || state === 'missing'
  const isHourly = ({ period }: Pick<AlertSeries, 'period'>): boolean => period !== '01D'
  // Daily files say nothing about the last hours, so they count only in an archive in which no shorter files arrive.
  const counts = states.some((each) => isActive(each) && isHourly(each)) ? isHourly : () => true
  const stalled = stalledAlert(
    alerts.filter(({ series: [each] }) => counts(each)),
    latestArrival(states.filter(counts)),
    nowSeconds,
  )
  if (stalled === undefined) return alerts
  return [stalled, ...alerts.filter(({ series: [each] }) => !counts(each))]
}

function seriesAlert(
  { station, fileType, period, summary }: StationSeries,
  nowSeconds: number,
): readonly SeriesAlert[] {
  const { state, usualLatency } = summary
  if (state !== 'late' && state !== 'missing') return []
  const { seconds } = periodRules[period]
  const { slot, since } = firstOverdue(summary)
  const opened = (slot + 1) * seconds + usualLatency + Math.max(patienceSeconds, usualLatency)
  if (nowSeconds < opened) return []
  const key = { station, file_type: fileType, period }
  const series = { ...key, since: since === undefined ? null : isoOf(since * seconds) }
  const id = [state, ...Object.values(key), series.since ?? 'never'].join('-')
  return [{ id, kind: state, since: series.since, opened: isoOf(opened), series: [series] }]
}

/**
 * The first late or missing slot since the last slot that was delivered or is `unknown`, and the slot at which the `since` of the
 * alert begins. The series must have a late or missing slot.
 */
function firstOverdue({ runs, sinceSlot }: SeriesSummary) {
  let slot = NaN
  for (const run of runs.toReversed()) {
    if (run.state === 'late' || run.state === 'missing') slot = run.firstSlot
    else if (!['silent', 'due', 'future'].includes(run.state)) return { slot, since: slot }
  }
  // Nothing was delivered in the last 28 days. The runs begin 28 days ago, so the first missing slot may be earlier.
  return { slot, since: sinceSlot }
}

/** Time at which the newest file of all series arrived, in seconds since 1970; `-Infinity` if none was seen arriving. */
function latestArrival(states: readonly StationSeries[]): number {
  return states.reduce(
    (latest, { summary: { lastArrival = -Infinity } }) => Math.max(latest, lastArrival),
    -Infinity,
  )
}

/**
 * The alert `ingest-stalled`. It opens if two stations have alerts and no file arrived for two hours, or for two days if one of
 * these alerts is that of a daily series.
 */
function stalledAlert(
  alerts: readonly SeriesAlert[],
  arrival: number,
  nowSeconds: number,
): Alert | undefined {
  const [first, ...later] = alerts.toSorted((a, b) => (a.opened < b.opened ? -1 : 1))
  const second = later.find(({ series: [each] }) => each.station !== first?.series[0].station)
  if (second === undefined) return undefined
  const lengths = alerts.map(({ series: [each] }) => periodRules[each.period].seconds)
  const silentFrom = arrival + 2 * Math.max(secondsPerHour, ...lengths)
  if (nowSeconds < silentFrom) return undefined
  const since = arrival === -Infinity ? null : isoOf(arrival)
  const opened = [second.opened, ...(since === null ? [] : [isoOf(silentFrom)])].toSorted()
  return {
    ...{ id: `ingest-stalled-${since ?? 'never'}`, kind: 'ingest-stalled', since },
    ...{ opened: opened.at(-1) ?? second.opened, series: alerts.flatMap(({ series }) => series) },
  }
}

/** Formats a time: `2026-01-22T05:00:00Z`. */
function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}
