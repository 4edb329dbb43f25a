/** Computes the open alerts from the states of all series and the current time. Pure. */
import { secondsPerHour, secondsToIso } from '../parse/calendar.ts'
import type { AlertSeries, StationSeries } from './incidents.ts'
import { periodRules } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'

/**
 * `ingest-stalled`: several stations have alerts, and no file of any station arrives (see
 * `stalledAlert`). `late` and `down`: the state of one series. `not-current`: the catalogue does
 * not follow the archive, so that nothing else is known; only messages have it.
 */
export const alertKinds = ['ingest-stalled', 'late', 'down', 'not-current'] as const
export type AlertKind = (typeof alertKinds)[number]

export interface Alert {
  /** A later alert of the same series has another id; one that becomes `down` keeps it. */
  readonly id: string
  readonly kind: AlertKind
  /**
   * The `since` of its series; for `ingest-stalled`, the time of the latest arrival, or null if no
   * file was seen arriving; for `not-current` the time up to which the catalogue is known to equal
   * the archive.
   */
  readonly since: string | null
  /** Time at which the alert opened. */
  readonly opened: string
  /** Time since which it has its kind. */
  readonly changed: string
  /**
   * One series; for `ingest-stalled`, all series whose alerts it replaces; none for `not-current`.
   */
  readonly series: readonly AlertSeries[]
}

/** An alert of the kind `late` or `down`, which has exactly one series. */
interface SeriesAlert extends Alert {
  readonly series: readonly [AlertSeries]
}

/**
 * An alert opens when its series has been late for this time, or for its limit of lateness if that
 * is longer.
 */
const patienceSeconds = secondsPerHour

/**
 * Finds the open alerts, the longest loss first. An alert of the kind `ingest-stalled` comes before
 * all others, and replaces the alerts of its series.
 * @param states sorted by station
 * @param asOf seconds since 1970
 */
export function openAlerts(states: readonly StationSeries[], asOf: number): readonly Alert[] {
  const alerts = states
    .flatMap((each) => seriesAlert(each, asOf))
    .sort((a, b) => compareText(a.since ?? '', b.since ?? ''))
  const isActive = ({ summary: { state } }: StationSeries): boolean =>
    state === 'present' || state === 'late' || state === 'down'
  const isHourly = ({ period }: Pick<AlertSeries, 'period'>): boolean => period !== '01D'
  // Daily files say nothing about the last hours, so they count only in an archive in which no
  // shorter files arrive.
  const counts = states.some((each) => isActive(each) && isHourly(each)) ? isHourly : () => true
  const stalled = stalledAlert(
    alerts.filter(({ series: [each] }) => counts(each)),
    latestArrival(states.filter(counts)),
    asOf,
  )
  if (stalled === undefined) return alerts
  return [stalled, ...alerts.filter(({ series: [each] }) => !counts(each))]
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function seriesAlert(
  { station, fileType, period, summary }: StationSeries,
  asOf: number,
): readonly SeriesAlert[] {
  const { state, since, lateAfter } = summary
  if (state !== 'late' && state !== 'down') return []
  const { seconds, downAfter } = periodRules[period]
  const opened =
    (firstOverdue(summary, seconds) + 1) * seconds +
    lateAfter +
    Math.max(patienceSeconds, lateAfter)
  if (asOf < opened) return []
  const key = { station, file_type: fileType, period }
  const series = { ...key, since: since === undefined ? null : secondsToIso(since) }
  const id = ['loss', ...Object.values(key), series.since ?? 'never'].join('-')
  const down = since === undefined ? opened : since + lateAfter + downAfter
  return [
    {
      id,
      kind: state,
      since: series.since,
      opened: secondsToIso(opened),
      changed: secondsToIso(state === 'down' ? Math.max(opened, down) : opened),
      series: [series],
    },
  ]
}

/**
 * The first of the last late or missing slots that have no delivered one between them. In a series
 * with rules, a slot that is not expected may be delivered after them. The series must have a late
 * or missing slot. The runs begin 28 days ago: a loss that is longer began with the slot after the
 * last delivered one.
 */
function firstOverdue({ runs, since }: SeriesSummary, seconds: number): number {
  let slot = NaN
  for (const { state, firstSlot } of runs.toReversed()) {
    if (state === 'late' || state === 'missing') slot = firstSlot
    else if (!Number.isNaN(slot) && (state === 'present' || state === 'removed')) return slot
  }
  const isLonger = slot === runs[0]?.firstSlot
  return isLonger && since !== undefined ? since / seconds : slot
}

/**
 * Time at which the newest file of all series arrived, in seconds since 1970; `-Infinity` if none
 * was seen arriving.
 */
function latestArrival(states: readonly StationSeries[]): number {
  return states.reduce(
    (latest, { summary: { lastArrival = -Infinity } }) => Math.max(latest, lastArrival),
    -Infinity,
  )
}

/**
 * The alert `ingest-stalled`. It opens if two stations have alerts and no file arrived for two
 * hours, or for two days if one of these alerts is that of a daily series.
 */
function stalledAlert(
  alerts: readonly SeriesAlert[],
  arrival: number,
  asOf: number,
): Alert | undefined {
  const [first, ...later] = alerts.toSorted((a, b) => (a.opened < b.opened ? -1 : 1))
  const second = later.find(({ series: [each] }) => each.station !== first?.series[0].station)
  if (second === undefined) return undefined
  const lengths = alerts.map(({ series: [each] }) => periodRules[each.period].seconds)
  const silentFrom = arrival + 2 * Math.max(secondsPerHour, ...lengths)
  if (asOf < silentFrom) return undefined
  const since = arrival === -Infinity ? null : secondsToIso(arrival)
  const opened = [second.opened, ...(since === null ? [] : [secondsToIso(silentFrom)])].toSorted()
  const last = opened.at(-1) ?? second.opened
  return {
    id: `ingest-stalled-${since ?? 'never'}`,
    kind: 'ingest-stalled',
    since,
    opened: last,
    changed: last,
    series: alerts.flatMap(({ series }) => series),
  }
}
