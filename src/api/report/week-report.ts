/** The report of a week, as the central bureaus of networks mail it. Pure. */
import type { ReplacedFiles } from '../../catalogue/reader.ts'
import { lowerBound, shareClass } from '../../insight/slot-states.ts'
import type { Week } from '../../insight/weeks.ts'
import { secondsPerDay } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { microsecondsToIso, secondsToIso } from '../files/serialise.ts'
import { missingSlots } from '../missing/missing-rows.ts'
import type { SeriesDays } from '../series/network-states.ts'
import { shareOrNull } from '../series/series-rows.ts'
import { missingPatterns } from './name-patterns.ts'
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'

/** Target of hourly files in seconds. */
const timely = 600

/** @param series the series of the days of the week */
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
    from: dateOf(week.fromDay),
    to: dateOf(week.toDay),
    stations: Array.from(byStation, ([station, found]) => stationReport(station, found, week)),
    replaced: replaced.files.map(({ path, modifiedUs }) => ({
      path,
      modified: microsecondsToIso(modifiedUs),
    })),
    replaced_complete: replaced.isComplete,
  }
}

/** Series that are neither expected nor delivered in the week are left out. */
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

function dateOf(day: number): string {
  return secondsToIso(day * secondsPerDay).slice(0, 10)
}
