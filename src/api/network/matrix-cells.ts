/** The cells of all stations, 28 days and 24 hours, oldest first, by country. Pure. */
import { secondsPerDay, secondsPerHour } from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { apartHalf } from '../../series/half.ts'
import { periodRules, recentDays } from '../../series/series.ts'
import type { DrawnState } from '../../series/station-days.ts'
import type { StationDelivery } from '../../series/station-states.ts'
import type { SlotMark } from '../pages/marks.ts'
import type { KnownSeries, NetworkStatus } from '../series/known-series.ts'

/** Columns of hours; those of days are `recentDays`. */
export const hourColumns = 24

/** The parts of a row. */
export const parts = ['days', 'hours'] as const

type Part = (typeof parts)[number]

/** Something for each column. */
export type Columns<T> = Readonly<Record<Part, readonly T[]>>

/** The state of a station in a column; `undefined` if nothing was expected and nothing is there. */
export type Cell = SlotMark | undefined

export interface StationRow extends Columns<Cell> {
  readonly station: string
  readonly delivery: StationDelivery
  /** Numbers of cells that are lost. */
  readonly lost: { readonly days: number; readonly hours: number }
}

/** The stations of a country, the worst first. */
export interface CountryRows {
  /** `undefined` for short names without a long one. */
  readonly code: string | undefined
  readonly rows: readonly StationRow[]
}

/** @param asOf seconds since 1970: its day is the last one, its hour follows the last one */
export function columnsAt(asOf: number) {
  return {
    firstDay: Math.floor(asOf / secondsPerDay) - recentDays + 1,
    firstHour: Math.floor(asOf / secondsPerHour) - hourColumns,
  }
}

/** The countries with their stations, the worst first; without stations that nobody expects. */
export function countryRows(
  { states, stations }: Pick<NetworkStatus, 'states' | 'stations'>,
  asOf: number,
): readonly CountryRows[] {
  const columns = columnsAt(asOf)
  const byStation = Map.groupBy(states, ({ station }) => station)
  const rows = [...byStation].flatMap(([station, series]) => {
    const state = stations.get(station)
    if (state !== 'down' && state !== 'late' && state !== 'present') return []
    const { days, hours } = cellsOf(series, columns)
    const lost = { days: days.filter(isLost).length, hours: hours.filter(isLost).length }
    const hasGaps = state === 'present' && lost.days + lost.hours > 0
    const delivery = hasGaps ? 'gaps' : state === 'present' ? 'delivers' : state
    return [{ station, delivery, days, hours, lost } satisfies StationRow]
  })
  const byCountry = Map.groupBy(rows.toSorted(worstFirst), ({ station }) => countryOf(station))
  return Array.from(byCountry, ([code, rows]) => ({ code, rows })).toSorted(worstCountryFirst)
}

/** True for a station that is late or down, or lost something in a column. */
export function isComplete({ delivery }: StationRow): boolean {
  return delivery === 'delivers'
}

/** True for a cell of which files lack, or are damaged. */
export function isLost(cell: Cell): boolean {
  return cell === 'part' || isWhollyLost(cell)
}

/** States of cells in which no good file is, the worst first. */
const whollyLost = ['missing', 'damaged', 'late'] as const
type WhollyLost = (typeof whollyLost)[number]

function isWhollyLost(cell: Cell): cell is WhollyLost {
  return whollyLost.some((state) => state === cell)
}

/** The stations of a country in a column. */
interface Sum {
  readonly known: number
  readonly lost: number
  /** Those of them that delivered nothing good, and the worst of their states. */
  readonly wholly: number
  readonly worst: WhollyLost | undefined
  readonly due: number
}

export type Sums = Columns<Sum>

export function sumsOf(rows: readonly StationRow[]): Sums {
  const sumsIn = (part: Part) =>
    Array.from({ length: rows[0]?.[part].length ?? 0 }, (_, column) => {
      let [known, lost, due] = [0, 0, 0]
      const wholly: WhollyLost[] = []
      for (const row of rows) {
        const cell = row[part][column]
        if (cell === 'due') due++
        else if (cell !== undefined) known++
        if (isLost(cell)) lost++
        if (isWhollyLost(cell)) wholly.push(cell)
      }
      const worst = whollyLost.find((state) => wholly.includes(state))
      return { known, lost, wholly: wholly.length, worst, due }
    })
  return { days: sumsIn('days'), hours: sumsIn('hours') }
}

/** What is in a column, as bits: its files may have different states. */
const bits = { there: 1, due: 2, late: 4, missing: 8, damaged: 16, half: 32 } as const

const bitOf: Readonly<Partial<Record<DrawnState, number>>> = {
  present: bits.there,
  half: bits.there | bits.half,
  removed: bits.there,
  future: bits.due,
  due: bits.due,
  late: bits.late,
  missing: bits.missing,
  damaged: bits.damaged,
}

/** The cells of all files of a station, of hours and of days: a day has both. */
function cellsOf(
  series: readonly KnownSeries[],
  { firstDay, firstHour }: ReturnType<typeof columnsAt>,
): Columns<Cell> {
  const [days, hours] = [new Uint8Array(recentDays), new Uint8Array(hourColumns)]
  for (const { period, summary, past } of series) {
    const { seconds } = periodRules[period]
    for (const { state, firstSlot, slots } of apartHalf(summary.runs, past.half)) {
      const bit = bitOf[state]
      if (bit === undefined) continue
      const [start, end] = [firstSlot * seconds, (firstSlot + slots) * seconds]
      mark(days, bit, start / secondsPerDay - firstDay, end / secondsPerDay - firstDay)
      if (period !== '01D')
        mark(hours, bit, start / secondsPerHour - firstHour, end / secondsPerHour - firstHour)
    }
  }
  return { days: Array.from(days, cellOf), hours: Array.from(hours, cellOf) }
}

/** Marks the columns of a run. @param start in columns, `end` is not in it */
function mark(columns: Uint8Array, bit: number, start: number, end: number): void {
  const last = Math.min(Math.ceil(end), columns.length)
  for (let column = Math.max(0, Math.floor(start)); column < last; column++)
    columns[column] = (columns[column] ?? 0) | bit
}

function cellOf(found: number): Cell {
  if (found & (bits.late | bits.missing)) {
    if (found & (bits.there | bits.damaged)) return 'part'
    return found & bits.missing ? 'missing' : 'late'
  }
  if (found & bits.damaged) return 'damaged'
  if (found & bits.half) return 'half'
  return found & bits.there ? 'present' : found & bits.due ? 'due' : undefined
}

const severity: readonly StationDelivery[] = ['down', 'late', 'gaps', 'delivers']

function worstFirst(a: StationRow, b: StationRow): number {
  const lost = ({ lost: { days, hours } }: StationRow): number => days + hours
  return (
    severity.indexOf(a.delivery) - severity.indexOf(b.delivery) ||
    lost(b) - lost(a) ||
    (a.station < b.station ? -1 : 1)
  )
}

/**
 * By the share of their stations that do not deliver now, and by their number; then by the share
 * that is not complete; by code if they are equal.
 */
function worstCountryFirst(a: CountryRows, b: CountryRows): number {
  const [one, other] = [a, b].map(({ rows }) => {
    const silent = rows.filter(({ delivery }) => delivery === 'down' || delivery === 'late').length
    const gaps = rows.filter((row) => !isComplete(row)).length
    return [silent / rows.length, silent, gaps / rows.length]
  }) as [number[], number[]]
  const differs = one.findIndex((value, index) => value !== other[index])
  if (differs >= 0) return (other[differs] ?? 0) - (one[differs] ?? 0)
  return (a.code ?? '~') < (b.code ?? '~') ? -1 : 1
}
