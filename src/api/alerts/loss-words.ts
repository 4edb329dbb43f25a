/** One sentence for each loss, for its pages and the network. Pure. */
import { secondsToIso } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted, readableDate, readableDuration, readableTime } from '../../runtime/readable.ts'
import type { Loss, LostSeries } from '../../series/loss.ts'
import { periodLabel, typeLabel } from '../pages/labels.ts'

/**
 * `Norway: 8 of 8 stations, nothing since 10:00, late for 4 h 30`, `MATE00ITA (day): nothing since
 * 2026-01-13, down for 7 days`. Names the period and the type of its series if all have one other
 * than hourly observation files. It is late from the time on at which the first file was due.
 */
export function lossWords(loss: Loss): string {
  const { kind, country, station, stations, expectedStations = 0, series, lateSeconds } = loss
  const { length } = stations
  if (kind === 'ingest-stalled') {
    const time = loss.since === undefined ? '' : ` since ${timeText(loss.since)} UTC`
    return `No files arrive${time}: ${series.length} series of ${counted(length, 'station', 'stations')}`
  }
  if (kind === 'damaged')
    return `${station ?? ''}${qualifier(series)}: damaged files found since ${recentTime(loss, loss.since ?? loss.due)}`
  const place =
    country === undefined
      ? `${station ?? ''}${qualifier(series)}: `
      : `${countryName(country)}${qualifier(series)}: ${length} of ${counted(expectedStations, 'station', 'stations')}, `
  return `${place}${nothingSince(loss)}, ${kind} for ${readableDuration(lateSeconds)}`
}

/** `GRAZ00AUT observation files (hour): nothing since 2026-01-22 05:00 UTC, late`. */
export function lostSeriesWords({ station, fileType, period, kind, since }: LostSeries): string {
  const name = `${station} ${typeLabel(fileType)} files (${periodLabel(period)})`
  if (kind === 'damaged') return `${name}: damaged, found ${timeText(since ?? 0)} UTC`
  const start = since === undefined ? 'never delivered' : `nothing since ${timeText(since)} UTC`
  return `${name}: ${start}, ${kind}`
}

/** ` (day)`, ` (navigation)`, ` (15 minutes, navigation)`, or nothing. */
function qualifier(series: readonly LostSeries[]): string {
  const [period, ...periods] = new Set(series.map((each) => each.period))
  const [type, ...types] = new Set(series.map(({ fileType }) => fileType))
  const words = [
    ...(period === undefined || period === '01H' || periods.length > 0
      ? []
      : [periodLabel(period)]),
    ...(type === undefined || type === 'o' || types.length > 0 ? [] : [typeLabel(type)]),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** `nothing since 10:00`, with its date on another day; of daily files, the day without a file. */
function nothingSince(loss: Loss): string {
  const { since, series } = loss
  if (since === undefined) return 'nothing was ever delivered'
  if (series.every(({ period }) => period === '01D'))
    return `nothing since ${readableDate(secondsToIso(since), { hasClock: false })}`
  return `nothing since ${recentTime(loss, since)}`
}

/** `10:00`, with its date on another day than now. */
function recentTime({ due, lateSeconds }: Loss, seconds: number): string {
  const [iso, now] = [secondsToIso(seconds), secondsToIso(due + lateSeconds)]
  return iso.slice(0, 10) === now.slice(0, 10) ? iso.slice(11, 16) : readableTime(iso)
}

function timeText(seconds: number): string {
  return readableTime(secondsToIso(seconds))
}
