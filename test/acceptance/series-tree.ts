/**
 * Writes archives of daily and hourly observation files, and counts what they hold by the names on
 * the disk. It uses nothing of the program, so that its numbers prove those of the program. All
 * times are milliseconds since 1970.
 */
import { readdirSync } from 'node:fs'
import { put } from './tree.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export type Period = '01D' | '01H'

export const lengths: Readonly<Record<Period, number>> = { '01D': dayMs, '01H': hourMs }

/** The limit of lateness of a series none of whose files was seen arriving. */
export const limits: Readonly<Record<Period, number>> = { '01D': dayMs, '01H': hourMs }

const digits = (value: number, count: number): string => String(value).padStart(count, '0')

/** `2029169` and `12`: the day of the year and the hour of a time. */
function partsOf(start: number) {
  const date = new Date(start)
  const year = date.getUTCFullYear()
  const dayOfYear = Math.floor((start - Date.UTC(year, 0)) / dayMs) + 1
  return { year: String(year), day: digits(dayOfYear, 3), hour: digits(date.getUTCHours(), 2) }
}

/** `GRAZ00AUT_R_20291691200_01H_30S_MO.crx.gz` */
export function nameOf(station: string, period: Period, start: number): string {
  const { year, day, hour } = partsOf(start)
  return `${station}_R_${year}${day}${hour}00_${period}_30S_MO.crx.gz`
}

/** The path of a file below the archive root, `obs/2029/169/…` or `nrt/2029/169/12/…`. */
export function pathOf(station: string, period: Period, start: number): string {
  const { year, day, hour } = partsOf(start)
  const directory = period === '01D' ? `obs/${year}/${day}` : `nrt/${year}/${day}/${hour}`
  return `${directory}/${nameOf(station, period, start)}`
}

/** The starts of the slots from one time until before another, without those that `isLost`. */
export function slotsBetween(
  period: Period,
  [from, end]: readonly [number, number],
  isLost: (start: number) => boolean = () => false,
): readonly number[] {
  const count = Math.floor((end - from) / lengths[period])
  const all = Array.from({ length: count }, (_value, index) => from + index * lengths[period])
  return all.filter((start) => !isLost(start))
}

export function deliver(
  archive: string,
  station: string,
  period: Period,
  starts: readonly number[],
): void {
  for (const start of starts) put(archive, pathOf(station, period, start))
}

/** A series as the disk has it. */
export interface DiskSeries {
  readonly station: string
  readonly period: Period
  /** The starts of its files, ascending, as their names say. */
  readonly starts: readonly number[]
}

const pattern = /(?:^|\/)([A-Z0-9]{9})_[RS]_(\d{4})(\d{3})(\d\d)\d\d_(01D|01H)_30S_MO\.crx\.gz$/

/** All series of an archive, by station and period. */
export function seriesOnDisk(archive: string): readonly DiskSeries[] {
  const found = new Map<string, DiskSeries & { readonly starts: number[] }>()
  for (const path of readdirSync(archive, { recursive: true, encoding: 'utf8' })) {
    const [, station, year, day, hour, period] = pattern.exec(path) ?? []
    if (station === undefined) continue
    const key = `${station} ${period ?? ''}`
    const series = found.get(key) ?? { station, period: period as Period, starts: [] }
    series.starts.push(Date.UTC(Number(year), 0, Number(day), Number(hour)))
    found.set(key, series)
  }
  const all = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series)
  for (const { starts } of all) starts.sort((a, b) => a - b)
  return all
}

/**
 * The slots of a range that could be there: from the first file on, ended, and either there or past
 * the limit of lateness.
 */
export function countSlots(
  { period, starts }: DiskSeries,
  range: { readonly first: number; readonly from: number; readonly end: number },
  asOf: number,
) {
  const [length, there] = [lengths[period], new Set(starts)]
  const isSettled = (start: number): boolean =>
    start + length + (there.has(start) ? 0 : limits[period]) <= asOf
  const from = Math.max(range.first, range.from)
  const possible = slotsBetween(period, [from, range.end]).filter(isSettled)
  const absent = possible.filter((start) => !there.has(start))
  return { possible: possible.length, delivered: possible.length - absent.length, absent }
}

/** The rows of a CSV without quotes, as objects. */
export function rowsOfCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [columns = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  return rows.map((row) =>
    Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])),
  )
}

/** `2029-06-18T12:00:00Z` */
export function isoOf(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z')
}
