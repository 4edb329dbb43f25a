/** Makes the report of a week, as the central bureaus of networks mail it. Pure. */
import { dayToIso, secondsPerDay } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { AsOf } from '../../series/as-of.ts'
import { completenessOf, shareClass } from '../../series/completeness.ts'
import { endOfSlot } from '../../series/series.ts'
import { withinTarget } from '../../series/series-summary.ts'
import type { StateRun } from '../../series/slot-states.ts'
import type { Week } from '../../series/weeks.ts'
import { csvText } from '../http/formats.ts'
import { missingPatterns, missingSlots } from '../missing/missing-slots.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import { serialiseAsOf } from '../series/network-context.ts'
import type { SeriesOfDays } from '../series/network-days.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'

/** @param series those of observation files, with their slots of the week */
export function weekReport(week: Week, asOf: AsOf, series: readonly SeriesOfDays[]): WireReport {
  const stations = Array.from(Map.groupBy(series.filter(isOfWeek), ({ station }) => station))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([station, found]) => stationReport(station, found, week))
  return {
    week: String(week.number),
    from: dayToIso(week.fromDay),
    to: dayToIso(week.toDay),
    ...serialiseAsOf(asOf),
    ended: series.filter((each) => hasEnded(each, week)).length,
    stations,
  }
}

/** True if a series is expected or delivered in the week; the report leaves out other series. */
function isOfWeek({ slots }: SeriesOfDays): boolean {
  const isThere = ({ state }: StateRun): boolean => state === 'present' || state === 'damaged'
  return slots.expected > 0 || slots.runs.some(isThere)
}

/** True if a series has ended, with its last file by this week: it counts in no sum. */
export function hasEnded(
  { period, summary: { ended, lastSlot } }: SeriesStatus,
  week: Week,
): boolean {
  const weekEnd = (week.toDay + 1) * secondsPerDay
  return ended && (lastSlot === undefined || endOfSlot(lastSlot, period) <= weekEnd)
}

function stationReport(
  station: string,
  series: readonly SeriesOfDays[],
  week: Week,
): WireReportStation {
  const [daily, hourly] = (['01D', '01H'] as const).map((wanted) =>
    series.find(({ period }) => period === wanted),
  )
  const inTime = withinTarget('01H', hourly?.latencies ?? [])
  return {
    station,
    country: countryOf(station) ?? null,
    daily: shareOf(daily, week),
    hourly: shareOf(hourly, week),
    within_600: shareOrNull(inTime),
    timeliness: shareClass(inTime) ?? null,
    missing: series.flatMap((each) =>
      missingPatterns(
        each,
        Array.from(missingSlots(each, each.slots.runs, week), ({ slot }) => slot),
      ),
    ),
  }
}

function shareOf(series: SeriesOfDays | undefined, week: Week): WireReportShare | null {
  if (series === undefined) return null
  const { possible, delivered, completeness } = completenessOf(series.slots)
  const ended = hasEnded(series, week)
  return {
    possible,
    delivered,
    completeness: shareOrNull(completeness),
    class: (ended ? undefined : shareClass(completeness)) ?? null,
    ended,
  }
}

const shareColumns = ['possible', 'delivered', 'completeness', 'class', 'ended'] as const

/** The stations, a line each. */
export function reportCsv({ stations }: WireReport): string {
  const columns = [
    'station',
    'country',
    ...shareColumns.map((name) => `daily_${name}`),
    ...shareColumns.map((name) => `hourly_${name}`),
    'within_600',
    'timeliness',
    'missing',
  ]
  const cells = (share: WireReportShare | null): (string | number | null)[] =>
    shareColumns.map((name) => {
      const value = share?.[name] ?? null
      return typeof value === 'boolean' ? String(value) : value
    })
  return csvText(
    columns,
    stations.map((row) => [
      row.station,
      row.country,
      ...cells(row.daily),
      ...cells(row.hourly),
      row.within_600,
      row.timeliness,
      row.missing.join(' '),
    ]),
  )
}
