/** Makes the report of a week, as the central bureaus of networks mail it. Pure. */
import type { ReplacedFiles } from '../../catalogue/series-queries.ts'
import { completenessOf, shareClass, sumOf } from '../../series/completeness.ts'
import type { Currency } from '../../series/currency.ts'
import { withinTarget } from '../../series/series-summary.ts'
import { endOfSlot } from '../../series/series.ts'
import type { StateRun } from '../../series/slot-states.ts'
import { weekBeside } from '../../series/weeks.ts'
import type { Week } from '../../series/weeks.ts'
import { dayToIso, secondsPerDay, microsecondsToIso } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { csvText } from '../http/formats.ts'
import { missingPatterns, missingSlots } from '../missing/missing-slots.ts'
import { counted, periodLabel, readableNumber, readableShare } from '../pages/labels.ts'
import { serialiseCurrency } from '../series/network-context.ts'
import type { SeriesStatus } from '../series/known-series.ts'
import type { SeriesOfDays } from '../series/network-days.ts'
import { shareOrNull } from '../series/series-fields.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'

interface ReportSources {
  readonly week: Week
  readonly currency: Currency
  /** The series of observation files, with their slots of this week and of the week before. */
  readonly series: readonly SeriesOfDays[]
  readonly before: readonly SeriesOfDays[]
  readonly replaced: ReplacedFiles
}

export function weekReport(sources: ReportSources): WireReport {
  const { week, currency, series, before, replaced } = sources
  const shown = series.filter(isOfWeek)
  const stations = Array.from(Map.groupBy(shown, ({ station }) => station))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([station, found]) => stationReport(station, found, week))
  return {
    week: week.name,
    from: dayToIso(week.fromDay),
    to: dayToIso(week.toDay),
    ...serialiseCurrency(currency),
    summary: summaryOf(
      shown.filter((each) => !hasEnded(each, week)),
      before.filter((each) => isOfWeek(each) && !hasEnded(each, weekBeside(week, -1))),
    ),
    ended: series.filter((each) => hasEnded(each, week)).length,
    stations,
    replaced: replaced.files.map(({ path, modifiedUs }) => ({
      path,
      modified: microsecondsToIso(modifiedUs),
    })),
    replaced_complete: replaced.isComplete,
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

function summaryOf(series: readonly SeriesOfDays[], before: readonly SeriesOfDays[]): string[] {
  const completeness = ({ slots }: SeriesOfDays) => completenessOf(slots)
  const [now, earlier] = [sumOf(series.map(completeness)), sumOf(before.map(completeness))]
  if (now.completeness === undefined) return ['No files were possible in this week.']
  const share = readableShare(now.completeness)
  const files = `${readableNumber(now.delivered)} of ${readableNumber(now.possible)} files`
  const poor = series.filter((each) => shareClass(completeness(each).completeness) === 'poor')
  const names = poor.map(({ station, period }) => `${station} (${periodLabel(period)})`).join(', ')
  return [
    `${share} complete: ${files} of ${counted(series.length, 'series', 'series')} were delivered.`,
    poor.length === 0
      ? 'No series is below 80 %.'
      : `${counted(poor.length, 'series is', 'series are')} below 80 %: ${names}.`,
    changeSentence(now.completeness, earlier.completeness),
  ]
}

function changeSentence(now: number, before: number | undefined): string {
  if (before === undefined) return 'Nothing was possible in the week before.'
  const points = ((now - before) * 100).toFixed(1)
  if (Number(points) === 0) return `As in the week before (${readableShare(before)}).`
  const change = `${points.replace('-', '')} percentage points ${now < before ? 'less' : 'more'}`
  return `${change} than in the week before (${readableShare(before)}).`
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

/** The report as plain text, for a mail. */
export function reportText(report: WireReport): string {
  const { stations, replaced, as_of: asOf, not_current: reason } = report
  const missing = stations.flatMap((station) => station.missing)
  return [
    `RINEX observation files of ${weekLabel(report.week)}, ${report.from} to ${report.to}`,
    ...(asOf === null ? [] : [`As of ${asOf}`]),
    ...(reason === null ? [] : [`The catalogue is not current: ${reason}`]),
    '',
    ...report.summary,
    ...(report.ended === 0 ? [] : [`${report.ended} series had ended by the end of this week.`]),
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

/** `GPS week 2393`, `week 2026-W47`. */
export function weekLabel(week: string): string {
  return week.includes('W') ? `week ${week}` : `GPS week ${week}`
}

function stationLine({ station, daily, hourly, within_600: inTime }: WireReportStation): string {
  const share = inTime === null ? '-' : readableShare(inTime)
  return `${station.padEnd(10)}${shareText(daily).padStart(20)}${shareText(hourly).padStart(20)}${share.padStart(12)}`
}

function shareText(share: WireReportShare | null): string {
  if (share === null) return '-'
  const counts = `${share.delivered}/${share.possible}`
  if (share.completeness === null) return counts
  return `${counts.padStart(9)} ${readableShare(share.completeness).padStart(8)}`
}
