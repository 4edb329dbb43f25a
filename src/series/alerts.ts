/** Computes the open alerts from the states of all series and the current time. Pure. */
import { isoOrNull, secondsPerHour, secondsToIso } from '../parse/calendar.ts'
import { compareText, openIncidents } from './incidents.ts'
import type { AlertSeries, Incident, IncidentSeries, StationSeries } from './incidents.ts'
import { endOfSlot, periodRules, startOf } from './series.ts'
import type { SeriesSummary } from './series-summary.ts'

/**
 * `ingest-stalled`: several stations have alerts, and no file of any station arrives (see
 * `stalledAlert`). `late` and `down`: an incident.
 */
type AlertKind = 'ingest-stalled' | 'late' | 'down'

export interface Alert {
  /**
   * That of its incident: it stays when the incident becomes `down` or grows. A later alert has
   * another one.
   */
  readonly id: string
  readonly kind: AlertKind
  /** The incident of an alert of the kind `late` or `down`. */
  readonly incident?: Incident
  /**
   * The `since` of the incident; for `ingest-stalled`, the latest time at which a file is known to
   * have arrived (see `arrivedBy`), or null if there is no file.
   */
  readonly since: string | null
  /** Time at which the alert opened. */
  readonly opened: string
  /** Time since which it has its kind. */
  readonly changed: string
  /** Those of its incident; for `ingest-stalled`, all series whose alerts it replaces. */
  readonly series: readonly AlertSeries[]
}

/** An alert of an incident. */
type IncidentAlert = Alert & { readonly incident: Incident }

/** A series that is late or down; times in seconds since 1970. */
interface Overdue {
  /** Time at which it has been late for long enough for an alert. */
  readonly opened: number
  /** Time at which it is down. */
  readonly down: number
  readonly series: AlertSeries
}

/**
 * An alert opens when a series of the incident has been late for this time, or for its limit of
 * lateness if that is longer.
 */
const patienceSeconds = secondsPerHour

/**
 * Finds the open alerts, the longest loss first: the incidents of which a series has been late for
 * long enough. An alert of the kind `ingest-stalled` comes before all others, and replaces those
 * of the same periods.
 * @param states sorted by station
 * @param asOf seconds since 1970
 */
export function openAlerts(states: readonly StationSeries[], asOf: number): readonly Alert[] {
  const overdue = new Map(states.flatMap(overdueSeries).map((each) => [keyOf(each.series), each]))
  const alerts = openIncidents(states, asOf).flatMap((each) => incidentAlert(each, overdue, asOf))
  const isActive = ({ summary: { state } }: StationSeries): boolean =>
    state === 'present' || state === 'late' || state === 'down'
  const isHourly = ({ period }: Pick<AlertSeries, 'period'>): boolean => period !== '01D'
  // Daily files say nothing about the last hours, so they count only in an archive in which no
  // shorter files arrive.
  const counts = states.some((each) => isActive(each) && isHourly(each)) ? isHourly : () => true
  const stalled = stalledAlert(
    [...overdue.values()].filter(({ opened, series }) => opened <= asOf && counts(series)),
    arrivedBy(states.filter(counts), asOf),
    asOf,
  )
  if (stalled === undefined) return alerts
  return [stalled, ...alerts.filter(({ incident }) => !counts(incident))]
}

/** Identifies a series in the alerts. */
function keyOf({ station, file_type: type, period }: AlertSeries): string {
  return [station, type, period].join()
}

/** The alert of an incident; none if none of its series has been late for long enough. */
function incidentAlert(
  incident: Incident,
  overdue: ReadonlyMap<string, Overdue>,
  asOf: number,
): readonly IncidentAlert[] {
  const timesOf = (series: readonly IncidentSeries[], time: 'opened' | 'down'): number =>
    Math.min(...series.map((each) => overdue.get(keyOf(each))?.[time] ?? Infinity))
  const { id, kind, since, series } = incident
  const opened = timesOf(series, 'opened')
  if (asOf < opened) return []
  const down = timesOf(
    series.filter((each) => each.kind === 'down'),
    'down',
  )
  const changed = kind === 'down' ? Math.max(opened, down) : opened
  const times = { opened: secondsToIso(opened), changed: secondsToIso(changed) }
  return [{ id, kind, incident, since, ...times, series }]
}

/** A series that is late or down; none if it is not. */
function overdueSeries({ station, fileType, period, summary }: StationSeries): readonly Overdue[] {
  const { state, since, lateAfter } = summary
  if (state !== 'late' && state !== 'down') return []
  const { seconds, downAfter } = periodRules[period]
  const opened =
    (firstOverdue(summary, seconds) + 1) * seconds +
    lateAfter +
    Math.max(patienceSeconds, lateAfter)
  const iso = isoOrNull(since)
  return [
    {
      opened,
      down: since === undefined ? opened : since + lateAfter + downAfter,
      series: { station, file_type: fileType, period, since: iso },
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
 * Time at which the newest file of all series was seen arriving, in seconds since 1970; `-Infinity`
 * if none was.
 */
export function latestArrival(states: readonly StationSeries[]): number {
  return states.reduce(
    (latest, { summary: { lastArrival = -Infinity } }) => Math.max(latest, lastArrival),
    -Infinity,
  )
}

/**
 * The latest time after which a file is known to have arrived; `-Infinity` without files. A scan
 * finds files without seeing them arrive: they arrived after their data.
 */
export function arrivedBy(states: readonly StationSeries[], asOf: number): number {
  return states.reduce((latest, { period, summary: { lastSlot } }) => {
    if (lastSlot === undefined) return latest
    const end = endOfSlot(lastSlot, period)
    return Math.max(latest, end <= asOf ? end : startOf(lastSlot, period))
  }, latestArrival(states))
}

/**
 * The alert `ingest-stalled`. It opens if series of two stations have been late for long enough and
 * no file arrived for two hours, or for two days if one of these series is daily.
 */
function stalledAlert(
  overdue: readonly Overdue[],
  arrival: number,
  asOf: number,
): Alert | undefined {
  const [first, ...later] = overdue.toSorted((a, b) => a.opened - b.opened)
  const second = later.find(({ series }) => series.station !== first?.series.station)
  if (second === undefined) return undefined
  const lengths = overdue.map(({ series }) => periodRules[series.period].seconds)
  const silentFrom = arrival + 2 * Math.max(secondsPerHour, ...lengths)
  if (asOf < silentFrom) return undefined
  const since = arrival === -Infinity ? null : secondsToIso(arrival)
  const last = secondsToIso(Math.max(second.opened, silentFrom))
  return {
    id: `ingest-stalled-${since ?? 'never'}`,
    kind: 'ingest-stalled',
    since,
    opened: last,
    changed: last,
    series: overdue
      .map(({ series }) => series)
      .sort((a, b) => compareText(a.since ?? '', b.since ?? '')),
  }
}
