/** Which files of the demo arrive when. Pure: the same at each call. */
import {
  dayPath,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  twoDigits,
} from '../parse/calendar.ts'
import type { LayoutLists } from '../parse/layout.ts'
import { chanceOf } from './chance.ts'
import type { DemoPeriod, DemoStation } from './stations.ts'
import { demoStations } from './stations.ts'

/** Days, hours, and the days of stations in directories of their own. */
export const demoLists: LayoutLists = {
  areas: ['obs', 'nrt', 'stations'],
  suffixes: ['.gz', '.Z'],
  exclude: [],
}

/** A file of the demo. */
export interface DemoFile {
  /** Path below the archive. */
  readonly path: string
  readonly station: DemoStation
  readonly type: 'o' | 'n'
  readonly period: DemoPeriod
  /** True if its name is a short one. */
  readonly isShort: boolean
  /** Start of its data (seconds since 1970), and their length (seconds). */
  readonly startSeconds: number
  readonly lengthSeconds: number
  /** From the end of its data to the start of the demo (seconds). */
  readonly ago: number
  /** When it arrives (seconds since 1970). */
  readonly arrivesAt: number
  readonly fault: Fault | undefined
}

/**
 * What is wrong with a file: its stream is cut, or changed within; its text ends within a line, or
 * lacks a part of its middle; it holds half of its hour; its header is that of another station.
 */
export type Fault = 'cut' | 'changed' | 'unfinished' | 'torn' | 'half' | 'mislabelled'

/** Length of a period (seconds), and for how many days the demo has its files. */
const periods: Readonly<Record<DemoPeriod, { readonly seconds: number; readonly days: number }>> = {
  '01D': { seconds: secondsPerDay, days: 730 },
  '01H': { seconds: secondsPerHour, days: 20 },
  '15M': { seconds: 15 * secondsPerMinute, days: 3 },
}

/** Longest time from the end of a file's data to its arrival (seconds). */
const longestDelay = 7 * secondsPerHour

/** For how many days hourly files are kept. */
export const keptDays = periods['01H'].days

/** For how many days before its start somebody has seen the files of the demo arrive. */
export const seenDays = 104

/**
 * The files that arrive after `from` until `to`, in that order.
 * @param startedAt when the demo began: outages end, and its history begins, relative to it
 */
export function filesArriving(from: number, to: number, startedAt: number): readonly DemoFile[] {
  const files = demoPeriods.flatMap((period) => {
    const { seconds, days } = periods[period]
    const earliest = Math.max(from - longestDelay - seconds, startedAt - days * secondsPerDay)
    return filesStarting(period, earliest, to - seconds, startedAt)
  })
  return inOrder(files.filter(({ arrivesAt }) => arrivesAt > from && arrivesAt <= to))
}

/** Hourly observation files that were seen arriving, and were purged before the demo began. */
export function purgedFiles(startedAt: number): readonly DemoFile[] {
  const begin = startedAt - seenDays * secondsPerDay
  const end = startedAt - keptDays * secondsPerDay - secondsPerHour
  return inOrder(filesStarting('01H', begin, end, startedAt).filter(({ type }) => type === 'o'))
}

const demoPeriods = Object.keys(periods) as readonly DemoPeriod[]

/** The files of a period whose data start in a range. */
function filesStarting(
  period: DemoPeriod,
  earliest: number,
  latest: number,
  startedAt: number,
): readonly DemoFile[] {
  const files: DemoFile[] = []
  const { seconds } = periods[period]
  for (let start = Math.floor(earliest / seconds) * seconds; start <= latest; start += seconds)
    for (const [index, station] of demoStations.entries())
      files.push(...filesOf(station, index, { period, start, startedAt }))
  return files
}

function inOrder(files: readonly DemoFile[]): readonly DemoFile[] {
  return files.toSorted((a, b) => a.arrivesAt - b.arrivesAt)
}

interface Slot {
  readonly period: DemoPeriod
  readonly start: number
  readonly startedAt: number
}

/** The files of a station and a slot: observations, and navigation unless they are of minutes. */
function filesOf(station: DemoStation, index: number, slot: Slot): readonly DemoFile[] {
  const { period, start, startedAt } = slot
  const { seconds } = periods[period]
  const chance = chanceOf(`${station.code} ${period} ${start}`)
  const ago = startedAt - start - seconds
  const { since = Infinity, delivers = () => true } = station
  const isDelivered = ago < since * secondsPerDay && delivers({ ago, chance })
  if (!station.periods.includes(period) || !isDelivered) return []
  const lag = lagOf(chance, ago)
  const delays = { '01D': 600 + 200 * index, '01H': 60 + 40 * index, '15M': 20 + 100 * index }
  const isShort = isShortAt(station, slot)
  return (period === '15M' ? (['o'] as const) : (['o', 'n'] as const)).map((type) => ({
    path: `${directoryOf(station, slot)}/${nameOf(station, { type, isShort }, slot)}`,
    station,
    type,
    period,
    isShort,
    startSeconds: start,
    lengthSeconds: seconds,
    ago,
    arrivesAt: sentAt(station, slot) + delays[period] + (type === 'n' ? 12 : 0) + lag,
    fault: type === 'o' ? faultOf(station, slot) : undefined,
  }))
}

/** When a station sends a file (seconds since 1970): at the end of its data, or of the batch. */
function sentAt({ batchHours }: DemoStation, { period, start }: Slot): number {
  const end = start + periods[period].seconds
  const batch = (period === '01H' ? (batchHours ?? 0) : 0) * secondsPerHour
  return batch === 0 ? end : Math.ceil(end / batch) * batch
}

/**
 * What a file takes longer than usual (seconds): a few, and one of 65 up to half an hour more; but
 * not in the last day, so that what is late now is what is told of the stations.
 */
function lagOf(chance: number, ago: number): number {
  const isSlow = chance > 0.985 && ago > secondsPerDay
  return Math.floor(chance * 15 + (isSlow ? (chance - 0.985) * 120_000 : 0))
}

/** The slot of a period that had ended this many periods before the start of the demo. */
function isSlotBefore({ period, start, startedAt }: Slot, count: number): boolean {
  const { seconds } = periods[period]
  return start === (Math.floor(startedAt / seconds) - count) * seconds
}

/** The faults, each of one file: its station, its period, and which it is, the last one being 0. */
const faults: readonly (readonly [Fault, code: string, DemoPeriod, count: number])[] = [
  ['cut', 'ONSA00SWE', '01H', 6],
  ['changed', 'ZIMM00CHE', '01D', 4],
  ['unfinished', 'POTS00DEU', '01H', 9],
  ['torn', 'ONSA00SWE', '01H', 10],
  ['half', 'WTZR00DEU', '01H', 12],
  ['mislabelled', 'GOPE00CZE', '01H', 15],
]

function faultOf({ code }: DemoStation, slot: Slot): Fault | undefined {
  const isOf = ([, station, period, count]: (typeof faults)[number]) =>
    station === code && period === slot.period && isSlotBefore(slot, count)
  return faults.find(isOf)?.[0]
}

/** One file is misplaced: it lies in the directory of the next day. */
function directoryOf({ code, hasOwnDirectory }: DemoStation, slot: Slot): string {
  const { period, start } = slot
  if (hasOwnDirectory) return `stations/${code}/${dayPath(start).slice(0, 4)}`
  const isMisplaced = code === 'GOPE00CZE' && period === '01D' && isSlotBefore(slot, 12)
  if (period === '01D') return `obs/${dayPath(start + (isMisplaced ? secondsPerDay : 0))}`
  return `nrt/${dayPath(start)}/${twoDigits(hourOf(start))}`
}

const hourOf = (seconds: number) => Math.floor((seconds % secondsPerDay) / secondsPerHour)

function isShortAt({ shortUntil }: DemoStation, { start, startedAt }: Slot): boolean {
  return shortUntil !== undefined && start < startedAt - shortUntil * secondsPerDay
}

function nameOf(
  { code, hasOwnDirectory }: DemoStation,
  { type, isShort }: Pick<DemoFile, 'type' | 'isShort'>,
  { period, start }: Slot,
): string {
  const [year = '', day = ''] = dayPath(start).split('/')
  const hour = hourOf(start)
  const minute = twoDigits((start % secondsPerHour) / secondsPerMinute)
  if (!isShort) {
    const time = `${year}${day}${twoDigits(hour)}${minute}`
    const content = type === 'n' ? 'MN.rnx' : `${period === '15M' ? '01S' : '30S'}_MO.crx`
    return `${code}_R_${time}_${period}_${content}.gz`
  }
  const letter = String.fromCharCode(97 + hour)
  const session = { '01D': '0', '01H': letter, '15M': letter + minute }[period]
  const stem = `${code.slice(0, 4).toLowerCase()}${day}${session}.${year.slice(2)}`
  return `${stem}${type === 'o' ? 'd' : 'n'}${hasOwnDirectory ? '.Z' : '.gz'}`
}
