/** Makes the report of a week, as the central bureaus of networks mail it. Pure. */
import type { ReplacedFiles } from '../../catalogue/series-queries.ts'
import { lowerBound, shareClass } from '../../series/slot-states.ts'
import type { Week } from '../../series/weeks.ts'
import { dayToIso } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { microsecondsToIso } from '../files/serialise.ts'
import { missingSlots } from '../missing/missing-rows.ts'
import type { SeriesDays } from '../series/network-status.ts'
import { shareOrNull } from '../series/series-list.ts'
import { missingPatterns } from './name-patterns.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'

/** Target for the latency of hourly files, in seconds. */
const timely = 600

/** @param series all series, with their slots in this week */
export function weekReport(
  week: Week,
  series: readonly SeriesDays[],
  replaced: ReplacedFiles,
): WireReport {
  const byStation = new Map<string, SeriesDays[]>()
  for (const each of series)
    if (each.fileType === 'o' && isOfWeek(each))
      byStation.set(each.station, [...(byStation.get(each.station) ?? []), each])
  return {
    week: week.name,
    from: dayToIso(week.fromDay),
    to: dayToIso(week.toDay),
    stations: Array.from(byStation)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([station, found]) => stationReport(station, found, week)),
    replaced: replaced.files.map(({ path, modifiedUs }) => ({
      path,
      modified: microsecondsToIso(modifiedUs),
    })),
    replaced_complete: replaced.isComplete,
  }
}

/** True if a series is expected or delivered in the week; the report leaves out other series. */
function isOfWeek({ slots }: SeriesDays): boolean {
  return slots.expected > 0 || slots.runs.some(({ state }) => state === 'present')
}

function stationReport(
  station: string,
  series: readonly SeriesDays[],
  week: Week,
): WireReportStation {
  const [daily, hourly] = (['01D', '01H'] as const).map((wanted) =>
    series.find(({ period }) => period === wanted),
  )
  const arrivals = hourly?.latencies ?? []
  const inTime =
    arrivals.length === 0 ? undefined : lowerBound(arrivals, timely + 1) / arrivals.length
  return {
    ...{ station, country: countryOf(station) ?? null },
    daily: shareOf(daily),
    hourly: shareOf(hourly),
    within_600: shareOrNull(inTime),
    timeliness: shareClass(inTime) ?? null,
    missing: series.flatMap((each) =>
      missingPatterns(
        each,
        missingSlots(each, each.slots.runs, week).map(({ slot }) => slot),
      ),
    ),
  }
}

function shareOf(series: SeriesDays | undefined): WireReportShare | null {
  if (series === undefined) return null
  const { expected, delivered } = series.slots
  const share = expected === 0 ? undefined : delivered / expected
  return { expected, delivered, share: shareOrNull(share), class: shareClass(share) ?? null }
}

/** The report as plain text, for a mail. */
export function reportText(report: WireReport): string {
  const { stations, replaced } = report
  const missing = stations.flatMap((station) => station.missing)
  return [
    `RINEX observation files of ${weekLabel(report.week)}, ${report.from} to ${report.to}`,
    '',
    `${'Station'.padEnd(10)}${'Daily'.padStart(20)}${'Hourly'.padStart(20)}${'In 10 min'.padStart(12)}`,
    ...stations.map(stationLine),
    '',
    `Missing files: ${missing.length === 0 ? 'none' : ''}`.trimEnd(),
    ...missing.map((pattern) => `  ${pattern}`),
    '',
    `Replaced files: ${replaced.length === 0 ? 'none' : ''}`.trimEnd(),
    ...replaced.map(({ path, modified }) => `  ${modified.slice(0, 16)}Z  ${path}`),
    ...(report.replaced_complete ? [] : ['  and more']),
    '',
  ].join('\n')
}

/** `GPS week 2393`, `week 2026-W47`. */
export function weekLabel(week: string): string {
  return week.includes('W') ? `week ${week}` : `GPS week ${week}`
}

function stationLine({ station, daily, hourly, within_600: inTime }: WireReportStation): string {
  const share = inTime === null ? '-' : percent(inTime)
  return `${station.padEnd(10)}${shareText(daily).padStart(20)}${shareText(hourly).padStart(20)}${share.padStart(12)}`
}

function shareText(share: WireReportShare | null): string {
  if (share === null) return '-'
  const counts = `${share.delivered}/${share.expected}`
  return share.share === null ? counts : `${counts.padStart(9)} ${percent(share.share).padStart(8)}`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
