/** Whether files arrive at all: if not, the cause is not with the stations. Pure. */
import { secondsPerHour } from '../parse/calendar.ts'
import type { Loss } from './loss.ts'
import { lossOf } from './loss.ts'
import type { SeriesKey } from './series.ts'
import { endOfSlot, periodRules, startOf } from './series.ts'
import type { StationSeries } from './station-states.ts'

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
