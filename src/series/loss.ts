/**
 * A loss is what one cause explains of the series that are late or down now; the one of all is that
 * no files arrive: then the cause is not with the stations. Pure; times in seconds since 1970.
 */
import { secondsPerHour, secondsToIso } from '../parse/calendar.ts'
import { compareText } from './ascending.ts'
import type { DueTimes } from './due.ts'
import type { SeriesKey } from './series.ts'
import { endOfSlot, periodRules, startOf } from './series.ts'
import type { StationSeries } from './station-states.ts'

/** A series that is late or down, or has damaged files. */
export interface LostSeries extends SeriesKey, DueTimes {
  readonly station: string
  readonly kind: 'late' | 'down' | 'damaged'
  /**
   * End of the last slot with a file; `undefined` if there was never one. Of damaged files, when
   * the first was found so.
   */
  readonly since: number | undefined
  /** The damaged slots, ascending. */
  readonly damaged?: readonly number[]
}

/**
 * `late`, `down`: a station, or stations of a country. `ingest-stalled`: nothing arrives from any
 * station. `damaged`: files of a station.
 */
export const lossKinds = ['ingest-stalled', 'down', 'late', 'damaged'] as const
type LossKind = (typeof lossKinds)[number]

/** Series that are late, down or damaged, by one cause. */
export interface Loss {
  /**
   * Names the place and `since`: the loss keeps its id when it becomes `down`, and when series join
   * that were lost later. A later loss has another one.
   */
  readonly id: string
  /** `down` if one of its series is. */
  readonly kind: LossKind
  /** The station; `undefined` for a loss of a country or of all. */
  readonly station: string | undefined
  /** The code of the country; `undefined` for a loss of a station or of all. */
  readonly country: string | undefined
  /** All its stations, by code. */
  readonly stations: readonly string[]
  /** Number of the stations of the country that are expected; `undefined` without a country. */
  readonly expectedStations: number | undefined
  readonly series: readonly LostSeries[]
  /**
   * End of the last slot with a file: of a station, of the series that was late first; of a
   * country, of the station that stopped first. `undefined` if there was never a file.
   */
  readonly since: number | undefined
  /** Time at which the first missing slot was late. */
  readonly due: number
  readonly lateSeconds: number
  /** True if it has been late for an hour, or for its limit if that is longer. */
  readonly alert: boolean
}

/** @param found.place the station or the country, which is part of the id */
export function lossOf(found: {
  readonly kind: LossKind
  readonly place: Partial<Pick<Loss, 'station' | 'country' | 'expectedStations'>>
  readonly series: readonly LostSeries[]
  readonly since: number | undefined
  readonly due: number
  readonly alert: boolean
  readonly asOf: number
}): Loss {
  const { kind, series, since, due, alert, asOf } = found
  const { station, country, expectedStations } = found.place
  const name = kind === 'late' || kind === 'down' ? 'loss' : kind
  const begin = since === undefined ? 'never' : secondsToIso(since)
  return {
    id: [name, station ?? country, begin].filter((part) => part !== undefined).join('-'),
    kind,
    station,
    country,
    stations: codesOf(series),
    expectedStations,
    series: series.toSorted(bySeries),
    since,
    due,
    // Damage may be found after `asOf`.
    lateSeconds: Math.max(0, asOf - due),
    alert,
  }
}

/** The stations of some series, by code. */
function codesOf(series: readonly LostSeries[]): readonly string[] {
  return [...new Set(series.map(({ station }) => station))].sort()
}

/** By station; of a station, the one that was late first. */
function bySeries(a: LostSeries, b: LostSeries): number {
  return compareText(a.station, b.station) || a.due - b.due
}

/** Of losses of one time, the one with more stations comes first. */
export function newestFirst(a: Loss, b: Loss): number {
  return b.due - a.due || b.stations.length - a.stations.length || compareText(a.id, b.id)
}

/**
 * The loss `ingest-stalled`, and the losses that it does not explain. It opens when series of two
 * stations have been late for long enough for an alert, and no file arrived for two hours, or for
 * two days if one of these series is daily. It takes all losses with such series.
 * @param losses those of stations and countries
 * @param asOf seconds since 1970
 */
export function stalledLoss(
  losses: readonly Loss[],
  states: readonly StationSeries[],
  asOf: number,
): { readonly loss: Loss; readonly others: readonly Loss[] } | undefined {
  // Daily files say nothing about the last hours, so they count only in an archive in which no
  // shorter files arrive.
  const counts = states.some((each) => isActive(each) && isHourly(each)) ? isHourly : () => true
  const overdue = losses
    .flatMap(({ series }) => series)
    .filter((each) => each.alertFrom <= asOf && counts(each))
    .sort((a, b) => a.alertFrom - b.alertFrom)
  const second = overdue.find(({ station }) => station !== overdue[0]?.station)
  if (second === undefined) return undefined
  const arrival = arrivedBy(states.filter(counts), asOf)
  const lengths = overdue.map(({ period }) => periodRules[period].seconds)
  const silentFrom = arrival + 2 * Math.max(secondsPerHour, ...lengths)
  if (asOf < silentFrom) return undefined
  const [taken, others] = [true, false].map((isTaken) =>
    losses.filter(({ series }) => series.some(counts) === isTaken),
  ) as [Loss[], Loss[]]
  const series = taken.flatMap((each) => each.series)
  const since = arrival === -Infinity ? undefined : arrival
  const due = Math.max(silentFrom, second.alertFrom)
  const found = {
    kind: 'ingest-stalled',
    place: {},
    series,
    since,
    due,
    alert: true,
    asOf,
  } as const
  return { loss: lossOf(found), others }
}

type Arriving = Pick<StationSeries, 'period' | 'summary'>

function isActive({ summary: { state } }: StationSeries): boolean {
  return state === 'present' || state === 'late' || state === 'down'
}

/** Files of hours, or of quarters of an hour. */
function isHourly({ period }: Pick<SeriesKey, 'period'>): boolean {
  return period !== '01D'
}

/**
 * Time at which the newest file of all series was seen arriving, in seconds since 1970; `-Infinity`
 * if none was.
 */
function latestArrival(states: readonly Arriving[]): number {
  return states.reduce(
    (latest, { summary: { lastArrival = -Infinity } }) => Math.max(latest, lastArrival),
    -Infinity,
  )
}

/**
 * The latest time after which a file is known to have arrived; `-Infinity` without files. A scan
 * finds files without seeing them arrive: they arrived after their data.
 */
export function arrivedBy(states: readonly Arriving[], asOf: number): number {
  return states.reduce((latest, { period, summary: { lastSlot } }) => {
    if (lastSlot === undefined) return latest
    const end = endOfSlot(lastSlot, period)
    return Math.max(latest, end <= asOf ? end : startOf(lastSlot, period))
  }, latestArrival(states))
}
