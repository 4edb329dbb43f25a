/**
 * A network of 18 months with everything that happens to stations, and what its tree says of it:
 * the numbers are counted in the names on the disk, by the rules of docs/api.md and without the
 * program.
 */
import type { DiskSeries, Period } from './series-tree.ts'
import { countSlots, dayMs, deliver, hourMs, lengths, slotsBetween } from './series-tree.ts'

/** A Monday, with a leap day in the 18 months before it; far ahead, so that no file is young. */
export const now = Date.UTC(2029, 5, 18, 12, 20)
export const today = Date.UTC(2029, 5, 18)
export const daysAgo = (days: number): number => today - days * dayMs
export const [begin, hourlyBegin, thisHour] = [daysAgo(548), daysAgo(40), today + 12 * hourMs]

const isIn =
  (from: number, end: number) =>
  (start: number): boolean =>
    start >= from && start < end
/** A month without daily files, and five hours of a day without hourly ones. */
const lostMonth = isIn(daysAgo(230), daysAgo(199))
const lostHours = isIn(daysAgo(34) + 3 * hourMs, daysAgo(34) + 8 * hourMs)
const everyThird = (start: number): boolean =>
  start > begin + 5 * dayMs && ((today - start) / dayMs) % 3 === 0
const daytime = (start: number): boolean => isIn(4, 18)((start % dayMs) / hourMs)

type Pieces = readonly [Period, readonly [number, number], ((start: number) => boolean)?]
export const network: Readonly<Record<string, readonly Pieces[]>> = {
  HEAL00AUT: [
    ['01D', [begin, today]],
    ['01D', [Date.UTC(1999, 0, 5), Date.UTC(1999, 0, 6)]],
    ['01H', [hourlyBegin, thisHour]],
  ],
  GAPM00DEU: [
    ['01D', [begin, today], lostMonth],
    ['01H', [hourlyBegin, thisHour], lostHours],
  ],
  DEAD00ITA: [['01D', [begin, daysAgo(9)]]],
  FLKY00FRA: [['01D', [begin, today], everyThird]],
  NEWS00CHE: [['01D', [daysAgo(21), today]]],
  ENDD00POL: [['01D', [begin, daysAgo(199)]]],
  STRA00CZE: [['01D', [daysAgo(100), daysAgo(99)]]],
  NIGH00NOR: [['01H', [hourlyBegin, thisHour], daytime]],
}

/** What the words of the series must be; the numbers are counted. */
export const words: Readonly<Record<string, string>> = {
  'DEAD00ITA 01D': 'down',
  'ENDD00POL 01D': 'silent ended',
  'FLKY00FRA 01D': 'present',
  'GAPM00DEU 01D': 'present',
  'GAPM00DEU 01H': 'present',
  'HEAL00AUT 01D': 'present',
  'HEAL00AUT 01H': 'present',
  'NEWS00CHE 01D': 'present',
  'NIGH00NOR 01H': 'silent',
  'STRA00CZE 01D': 'silent',
}

export const keyOf = ({ station, period }: Pick<DiskSeries, 'station' | 'period'>) =>
  `${station} ${period}`
export const hasEnded = (series: DiskSeries): boolean => words[keyOf(series)] === 'silent ended'
export const firstOf = ({ starts }: DiskSeries): number => starts[0] ?? Infinity
export const lastOf = ({ starts }: DiskSeries): number => starts.at(-1) ?? NaN
export const rounded = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4
export const percent = (part: number, whole: number): string =>
  `${((100 * part) / whole).toFixed(1)} %`

export function count(series: DiskSeries, from: number, end: number) {
  const last = hasEnded(series) ? lastOf(series) + dayMs : Infinity
  return countSlots(series, { first: firstOf(series), from, end: Math.min(end, last) }, now)
}

/** The four weeks before the running slot. */
export function recent(series: DiskSeries) {
  const current = Math.floor(now / lengths[series.period]) * lengths[series.period]
  return { ...count(series, current - 28 * dayMs, current), from: current - 28 * dayMs }
}

/** The slots for which a file is missed: those of a series that was never expected are not. */
export function missed(series: DiskSeries, from: number, end: number): readonly number[] {
  if (['NIGH00NOR', 'STRA00CZE'].includes(series.station)) return []
  const last = hasEnded(series) ? lastOf(series) + 91 * dayMs : Infinity
  const range = { first: firstOf(series), from, end: Math.min(end, last) }
  return countSlots(series, range, now).absent
}

/** For `present` the start of the run, at most 28 days back; else the end of the last file. */
export function sinceOf(series: DiskSeries): number {
  const length = lengths[series.period]
  if (words[keyOf(series)] !== 'present') return lastOf(series) + length
  const there = new Set(series.starts)
  let first = lastOf(series)
  while (there.has(first - length) && first - length >= recent(series).from) first -= length
  return first
}

/** Writes the files of the network. */
export function fillArchive(archive: string): void {
  for (const [station, pieces] of Object.entries(network))
    for (const [period, range, isLost] of pieces)
      deliver(archive, station, period, slotsBetween(period, range, isLost))
}
