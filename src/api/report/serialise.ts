/** Writes the report of a week as JSON and CSV. Pure. */
import { dayToIso } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { AsOf } from '../../series/as-of.ts'
import { shareClass } from '../../series/completeness.ts'
import { csvText } from '../http/send.ts'
import { serialiseAsOf } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'
import type { SeriesWeek, StationWeek, WeekReport } from './week-report.ts'

export function serialiseReport({ week, ended, stations }: WeekReport, asOf: AsOf): WireReport {
  return {
    week: String(week.number),
    from: dayToIso(week.fromDay),
    to: dayToIso(week.toDay),
    ...serialiseAsOf(asOf),
    ended,
    stations: stations.map(serialiseStation),
  }
}

function serialiseStation(row: StationWeek): WireReportStation {
  const { station, daily, hourly, inTime, missing } = row
  return {
    station,
    country: countryOf(station) ?? null,
    daily: serialiseSeries(daily),
    hourly: serialiseSeries(hourly),
    within_600: shareOrNull(inTime),
    timeliness: shareClass(inTime) ?? null,
    missing,
  }
}

function serialiseSeries(series: SeriesWeek | undefined): WireReportShare | null {
  if (series === undefined) return null
  const { possible, delivered, completeness, class: name, ended } = series
  return {
    possible,
    delivered,
    completeness: shareOrNull(completeness),
    class: name ?? null,
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
