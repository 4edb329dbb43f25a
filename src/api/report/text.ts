/** The report of a week as plain text, for a mail. Pure. */
import type { WireReport, WireReportShare, WireReportStation } from './schema.ts'

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
