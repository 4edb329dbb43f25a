/** Writes the report of a week as JSON and CSV. Pure. */
import { dayToIso } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import type { AsOf } from '../../series/as-of.ts'
import { shareClass } from '../../series/completeness.ts'
import type { FlaggedWeek, StationFlags } from '../../series/flags.ts'
import { csvText } from '../http/send.ts'
import { serialiseAsOf } from '../series/network-context.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'
import type { SeriesWeek, StationWeek, WeekReport } from './week-report.ts'

export function serialiseReport(
  { week, ended, stations, flagged }: WeekReport,
  asOf: AsOf,
): WireReport {
  const flags = new Map(flagged.stations.map((each) => [each.station, each]))
  return {
    week: String(week.number),
    from: dayToIso(week.fromDay),
    to: dayToIso(week.toDay),
    ...serialiseAsOf(asOf),
    ended,
    flagged: serialiseFlagged(flagged),
    stations: stations.map((row) => serialiseStation(row, flags.get(row.station))),
  }
}

function serialiseFlagged({ read, files, flags, days, stations }: FlaggedWeek) {
  return {
    read,
    files,
    flags,
    days: days.map(({ day, ...sums }) => ({ date: dayToIso(day), ...sums })),
    worst: stations.filter((each) => each.files > 0).map(({ station }) => station),
  }
}

function serialiseStation(
  row: StationWeek,
  { read, files, flags, always }: Omit<StationFlags, 'station'> = unread,
): WireReportStation {
  const { station, daily, hourly, inTime, missing } = row
  return {
    station,
    country: countryOf(station) ?? null,
    daily: serialiseSeries(daily),
    hourly: serialiseSeries(hourly),
    within_600: shareOrNull(inTime),
    timeliness: shareClass(inTime) ?? null,
    missing,
    read,
    flagged: files,
    flags,
    always: always.map(({ flag, files }) => ({ flag, files })),
  }
}

const unread = { read: 0, files: 0, flags: [], always: [] }

function serialiseSeries(series: SeriesWeek | undefined): WireReportShare | null {
  if (series === undefined) return null
  const { possible, delivered, half, completeness, class: name, ended } = series
  return {
    possible,
    delivered,
    half,
    completeness: shareOrNull(completeness),
    class: name ?? null,
    ended,
  }
}

const shareColumns = ['possible', 'delivered', 'completeness', 'class', 'ended', 'half'] as const

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
    'read',
    'flagged',
    'flags',
    'always',
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
      row.read,
      row.flagged,
      row.flags.map(({ flag, files }) => `${flag}:${files}`).join(' '),
      row.always.map(({ flag }) => flag).join(' '),
    ]),
  )
}
