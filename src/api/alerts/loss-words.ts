/** What a loss is in words, for its rows and the verdict. Pure; times in seconds since 1970. */
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted, hourWords, readableDuration } from '../../runtime/readable.ts'
import type { Loss, LostSeries } from '../../series/loss.ts'
import { endOfSlot, periodRules, slotAt } from '../../series/series.ts'
import { clockWords, momentWords, periodNoun, shortDay } from '../pages/date-words.ts'
import { typeLabel } from '../pages/labels.ts'

/** A loss in words: who, what and for how long. */
export interface LossWords {
  readonly who: string
  readonly what: string
  /** Since the first file was due; empty for damaged files. */
  readonly late: string
}

/** `Norway, 8 of 8 stations` · `no hour since 07–08` · `6 h 53 min` */
export function lossWords(loss: Loss): LossWords {
  const { kind, country, station = '', stations, expectedStations = 0, lateSeconds } = loss
  const late = readableDuration(lateSeconds)
  if (kind === 'ingest-stalled') {
    const since =
      loss.since === undefined ? '' : ` since ${momentWords(loss.since, nowOf(loss))} UTC`
    const lost = counted(stations.length, 'is lost', 'are lost')
    return { who: 'All stations', what: `nothing arrives${since}, ${lost}`, late }
  }
  const who =
    country === undefined
      ? station
      : `${countryName(country)}, ${stations.length} of ${counted(expectedStations, 'station', 'stations')}`
  if (kind === 'damaged') return { who, what: damagedWords(loss), late: '' }
  const { series, since, due } = loss
  const lost = { series, ...(country !== undefined && { since }) }
  return { who, what: lostWords(lost, due + lateSeconds), late }
}

function nowOf({ due, lateSeconds }: Loss): number {
  return due + lateSeconds
}

/** `day of 24 Nov is damaged`, `hour 13–14 is damaged`; of several files, their number. */
function damagedWords(loss: Loss): string {
  const now = nowOf(loss)
  const all = loss.series
    .flatMap(({ period, damaged = [] }) => damaged.map((slot) => ({ slot, period })))
    .sort((a, b) => endOfSlot(a.slot, a.period) - endOfSlot(b.slot, b.period))
  const { slot = 0, period = '01D' } = all.at(-1) ?? {}
  const end = endOfSlot(slot, period)
  const day = shortDay(slotAt(end - 1, '01D'), now)
  if (all.length > 1) return `${all.length} files are damaged, the last of ${day}`
  if (period === '01D') return `day of ${day} is damaged`
  return `${periodNoun(period)} ${slotText(end, periodRules[period].seconds, now)} is damaged`
}

/** Series of which nothing comes. */
interface Lost {
  readonly series: readonly Pick<LostSeries, 'fileType' | 'period' | 'since'>[]
  /** End of the last slot with a file, if it is not the latest of the series. */
  readonly since?: number | undefined
  /** True if other files come. */
  readonly isAlive?: boolean
}

/**
 * `no hour since 07–08, no day of 26 Nov`, `nothing since 18 Nov, days and hours`, `no day since 23
 * Nov`. Names the type of the files if they are not observations.
 */
export function lostWords({ series, isAlive = false, ...loss }: Lost, now: number): string {
  const [daily = [], shorter = []] = [true, false].map((isDaily) =>
    series.filter(({ period }) => (period === '01D') === isDaily),
  )
  return `${lostPeriods({ daily, shorter, isAlive, ...loss }, now)}${typesOf(series)}`
}

interface LostPeriods extends Omit<Lost, 'series'> {
  readonly daily: Lost['series']
  readonly shorter: Lost['series']
}

function lostPeriods({ daily, shorter, isAlive, ...loss }: LostPeriods, now: number): string {
  const days = daysWords(daily, now)
  const ends = shorter.flatMap(({ since }) => since ?? [])
  const [last] = shorter
  if (last === undefined) return days
  if (ends.length === 0) return ['nothing was ever delivered', days].filter(Boolean).join(', ')
  const { since = Math.max(...ends) } = loss
  if (isAlive !== true && now - since > 2 * secondsPerDay)
    return `nothing since ${shortDay(slotAt(since - 1, '01D'), now)}${days && ', days and hours'}`
  const isHourly = shorter.some(({ period }) => period === '01H')
  const none = `no ${periodNoun(isHourly ? '01H' : '15M')}`
  return [`${none} since ${slotText(since, isHourly ? 3600 : 900, now)}`, days]
    .filter(Boolean)
    .join(', ')
}

/** `no day of 26 Nov` for the only one that lacks, or `no day since 23 Nov`. */
function daysWords(daily: Lost['series'], now: number): string {
  const ends = daily.flatMap(({ since }) => since ?? [])
  if (daily.length === 0) return ''
  if (ends.length === 0) return 'no day was ever delivered'
  const next = Math.floor(Math.max(...ends) / secondsPerDay)
  const isOne = next >= Math.floor(now / secondsPerDay) - 1
  return isOne ? `no day of ${shortDay(next, now)}` : `no day since ${shortDay(next - 1, now)}`
}

/** `, navigation only`, for files that are no observations. */
function typesOf(series: Lost['series']): string {
  const [type, ...others] = new Set(series.map(({ fileType }) => fileType))
  return type === undefined || type === 'o' || others.length > 0 ? '' : `, ${typeLabel(type)} only`
}

/** `07–08`, `18–19 yesterday`, `18–19 on 18 Nov`: the slot that ends at a time. */
function slotText(end: number, length: number, now: number): string {
  const start = end - length
  const text =
    length === secondsPerHour ? hourWords(start) : `${clockWords(start)}–${clockWords(end)}`
  const day = slotAt(start, '01D')
  const ago = Math.floor(now / secondsPerDay) - day
  return ago === 0 ? text : `${text} ${ago === 1 ? 'yesterday' : `on ${shortDay(day, now)}`}`
}

/** `observation, hour: nothing since 22 Jan 05:00 UTC`. */
export function lostSeriesWords(
  { fileType, period, kind, since }: LostSeries,
  now: number,
): string {
  const name = `${typeLabel(fileType)}, ${periodNoun(period)}`
  if (kind === 'damaged') return `${name}: damaged, found ${momentWords(since ?? 0, now)} UTC`
  return since === undefined
    ? `${name}: never delivered`
    : `${name}: nothing since ${momentWords(since, now)} UTC`
}
