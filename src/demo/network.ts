/** The stations of the demo, and which of their files arrive when. Pure: the same at each call. */
import {
  dayPath,
  secondsPerDay,
  secondsPerHour,
  secondsPerMinute,
  twoDigits,
} from '../parse/calendar.ts'

type DemoPeriod = '01D' | '01H' | '15M'

/** A file of the demo. */
export interface DemoFile {
  /** Path below the archive. */
  readonly path: string
  readonly type: 'o' | 'n'
  readonly period: DemoPeriod
  /** Start of its data (seconds since 1970). */
  readonly startSeconds: number
  /** When it arrives (seconds since 1970). */
  readonly arrivesAt: number
  readonly damage: 'cut' | 'changed' | undefined
}

/** Length of a period (seconds), and for how many days the demo has its files. */
const periods: Readonly<Record<DemoPeriod, { readonly seconds: number; readonly days: number }>> = {
  '01D': { seconds: secondsPerDay, days: 730 },
  '01H': { seconds: secondsPerHour, days: 20 },
  '15M': { seconds: 15 * secondsPerMinute, days: 3 },
}

/** Longest time from the end of a file's data to its arrival (seconds). */
const longestDelay = secondsPerHour

interface Station {
  readonly code: string
  readonly periods: readonly DemoPeriod[]
  /** Whether it delivers a slot, by the days and seconds from the slot to the start of the demo. */
  readonly delivers?: (slot: { readonly ago: number; readonly chance: number }) => boolean
  /** Days before the start of the demo until which its names were short. */
  readonly shortUntil?: number
}

const all: readonly DemoPeriod[] = ['01D', '01H', '15M']
const slow: readonly DemoPeriod[] = ['01D', '01H']

/** All of Norway stopped 5 hours and 40 minutes before the start. */
const norway = ({ ago }: { ago: number }) => ago > 5 * secondsPerHour + 40 * secondsPerMinute

/** The stations exist; what is told of them does not. */
const stations: readonly Station[] = [
  { code: 'GRAZ00AUT', periods: all },
  { code: 'WTZR00DEU', periods: all },
  { code: 'POTS00DEU', periods: all },
  { code: 'ZIMM00CHE', periods: all, shortUntil: 400 },
  { code: 'ONSA00SWE', periods: all },
  { code: 'GOPE00CZE', periods: all },
  // It lost twenty days.
  {
    code: 'PASA00ESP',
    periods: all,
    delivers: ({ ago }) => ago < 120 * secondsPerDay || ago > 140 * secondsPerDay,
  },
  { code: 'BRUX00BEL', periods: all, delivers: ({ chance }) => chance < 0.8 },
  { code: 'MATE00ITA', periods: slow, delivers: ({ ago }) => ago > 9 * secondsPerDay },
  { code: 'TRDS00NOR', periods: slow, delivers: norway },
  { code: 'TROM00NOR', periods: slow, delivers: norway },
  { code: 'NYA100NOR', periods: slow, delivers: norway },
  { code: 'HKBL', periods: ['01D'], shortUntil: 0 },
]

/**
 * The files that arrive after `from` until `to`, in that order.
 * @param startedAt when the demo began: outages end, and its history begins, relative to it
 */
export function filesArriving(from: number, to: number, startedAt: number): readonly DemoFile[] {
  const files: DemoFile[] = []
  for (const [period, { seconds, days }] of Object.entries(periods) as [
    DemoPeriod,
    (typeof periods)[DemoPeriod],
  ][]) {
    const earliest = Math.max(from - longestDelay - seconds, startedAt - days * secondsPerDay)
    const first = Math.floor(earliest / seconds) * seconds
    for (let start = first; start + seconds <= to; start += seconds)
      for (const [index, station] of stations.entries())
        files.push(...filesOf(station, index, { period, start, startedAt }))
  }
  return files
    .filter(({ arrivesAt }) => arrivesAt > from && arrivesAt <= to)
    .sort((a, b) => a.arrivesAt - b.arrivesAt)
}

interface Slot {
  readonly period: DemoPeriod
  readonly start: number
  readonly startedAt: number
}

/** The files of a station and a slot: observations, and navigation unless they are of minutes. */
function filesOf(station: Station, index: number, slot: Slot): readonly DemoFile[] {
  const { period, start, startedAt } = slot
  const { seconds } = periods[period]
  const chance = chanceOf(`${station.code} ${period} ${start}`)
  const ago = startedAt - start - seconds
  const isDelivered = station.delivers?.({ ago, chance }) ?? true
  if (!station.periods.includes(period) || !isDelivered) return []
  const delays = { '01D': 600 + 200 * index, '01H': 60 + 40 * index, '15M': 20 + 100 * index }
  return (period === '15M' ? (['o'] as const) : (['o', 'n'] as const)).map((type) => ({
    path: `${directoryOf(station, slot)}/${nameOf(station, type, slot)}`,
    type,
    period,
    startSeconds: start,
    arrivesAt: start + seconds + delays[period] + (type === 'n' ? 12 : 0) + Math.floor(chance * 15),
    damage: type === 'o' ? damageOf(station, slot) : undefined,
  }))
}

/** The slot of a period that had ended this many periods before the start of the demo. */
function isSlotBefore({ period, start, startedAt }: Slot, count: number): boolean {
  const { seconds } = periods[period]
  return start === (Math.floor(startedAt / seconds) - count) * seconds
}

/** Two files are damaged, so that there are problems to be seen. */
function damageOf({ code }: Station, slot: Slot): DemoFile['damage'] {
  if (code === 'ONSA00SWE' && slot.period === '01H' && isSlotBefore(slot, 6)) return 'cut'
  if (code === 'ZIMM00CHE' && slot.period === '01D' && isSlotBefore(slot, 4)) return 'changed'
  return undefined
}

/** One file is misplaced: it lies in the directory of the next day. */
function directoryOf({ code }: Station, slot: Slot): string {
  const { period, start } = slot
  const isMisplaced = code === 'GOPE00CZE' && period === '01D' && isSlotBefore(slot, 12)
  if (period === '01D') return `obs/${dayPath(start + (isMisplaced ? secondsPerDay : 0))}`
  return `nrt/${dayPath(start)}/${twoDigits(hourOf(start))}`
}

const hourOf = (seconds: number) => Math.floor((seconds % secondsPerDay) / secondsPerHour)

function nameOf({ code, shortUntil }: Station, type: 'o' | 'n', slot: Slot): string {
  const { period, start, startedAt } = slot
  const [year = '', day = ''] = dayPath(start).split('/')
  const hour = hourOf(start)
  const minute = twoDigits((start % secondsPerHour) / secondsPerMinute)
  const isShort = shortUntil !== undefined && start < startedAt - shortUntil * secondsPerDay
  if (!isShort) {
    const time = `${year}${day}${twoDigits(hour)}${minute}`
    const content = type === 'n' ? 'MN' : `${period === '15M' ? '01S' : '30S'}_MO`
    return `${code}_R_${time}_${period}_${content}.rnx.gz`
  }
  const letter = String.fromCharCode(97 + hour)
  const session = { '01D': '0', '01H': letter, '15M': letter + minute }[period]
  return `${code.slice(0, 4).toLowerCase()}${day}${session}.${year.slice(2)}${type}.gz`
}

/** A number in [0, 1) that follows from a text (FNV-1a, mixed). */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
