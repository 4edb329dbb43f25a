/**
 * The pictures of the network: a row is a station, a column an hour or a day, the newest at the
 * left. Pure.
 */
import {
  dateOf,
  secondsPerDay,
  secondsPerHour,
  secondsToIso,
  twoDigits,
} from '../../parse/calendar.ts'
import { readableShare } from '../../runtime/readable.ts'
import { shareClass } from '../../series/completeness.ts'
import { recentDays, slotsPerDay } from '../../series/series.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { months } from '../pages/date-words.ts'
import type { KnownSeries } from '../series/known-series.ts'
import type { MarkName, Picture, RunLinks } from './by-country.ts'
import { marks, pictureOf } from './by-country.ts'

const hourMarks: Readonly<Partial<Record<SlotState, MarkName>>> = {
  present: 'good',
  removed: 'good',
  damaged: 'late',
  late: 'late',
  missing: 'none',
  silent: 'none',
  due: 'due',
}

/** What the slots of a day count as. */
const dayKinds: Readonly<Partial<Record<SlotState, 'good' | 'none' | 'due'>>> = {
  present: 'good',
  removed: 'good',
  damaged: 'none',
  late: 'none',
  missing: 'none',
  silent: 'none',
  due: 'due',
}

/** The last 24 hours of hourly series that have ended. A cell leads to its files. */
export function hoursPicture(states: readonly KnownSeries[], nowSeconds: number): Picture {
  const newest = Math.floor(nowSeconds / secondsPerHour) - 1
  const rows = states.map((series) => {
    const cells = hourCells(series, newest - 23, newest)
    const words = (['good', 'late', 'due', 'none'] as const).flatMap((mark) => {
      const count = cells.filter((cell) => cell === mark).length
      return count === 0 ? [] : [`${count} ${marks[mark].label}`]
    })
    const end = String(cells.filter((cell) => cell === 'good').length)
    return { series, cells: cells.reverse(), title: words.join(', '), end }
  })
  return pictureOf(rows, {
    label: 'The last 24 hours',
    columns: 24,
    columnLabels: [0, 4, 8, 12, 16, 20].map((column) => [column, `${hourText(newest - column)} h`]),
    complete: 'all of these hours',
    linkOf: linksOf(states, newest),
  })
}

/** The last 28 days: each cell has the share of the day's possible files. */
export function daysPicture(states: readonly KnownSeries[], nowSeconds: number): Picture {
  const today = Math.floor(nowSeconds / secondsPerDay)
  const rows = states.map((series) => {
    const { completeness, possible, delivered } = series.summary
    return {
      series,
      cells: dayCells(series, today - recentDays + 1, today).reverse(),
      title: `${delivered} of ${possible} files`,
      end: readableShare(completeness),
    }
  })
  return pictureOf(rows, {
    label: 'The last 28 days',
    columns: recentDays,
    columnLabels: [0, 7, 14, 21].map((column) => [column, dayText(today - column)]),
    complete: 'more than 90 % of each day',
  })
}

function hourText(hour: number): string {
  return twoDigits(hour % 24)
}

/** `26 Nov` */
function dayText(day: number): string {
  const { day: ofMonth, month } = dateOf(day)
  return `${ofMonth} ${months[month - 1]?.slice(0, 3) ?? ''}`
}

/** Where the cells of hours lead: to their files, or to the list of what is missing. */
function linksOf(states: readonly KnownSeries[], newest: number): RunLinks {
  const codeOf = shortCodes(states)
  return ({ station, fileType }, first, count, mark) => {
    const [from, to] = [newest - first - count + 1, newest - first]
    const span = from === to ? hourText(to) : `${hourText(from)} to ${hourText(to)}`
    const title = `${span} h: ${marks[mark].label}`
    if (mark === 'due') return { title }
    const [start, end] = [from, to].map((hour) => secondsToIso(hour * secondsPerHour).slice(0, 16))
    if (start === undefined || end === undefined) return { title }
    const href =
      mark === 'good'
        ? `../rinex-file/?station=${codeOf(station)}&file_type=${fileType}&file_duration=h&startDate=${start}&endDate=${end}`
        : `../missing/?station=${station}&period=01H&from=${start.slice(0, 10)}&to=${end.slice(0, 10)}`
    return { title, href }
  }
}

/**
 * How the filter of files names a station: four characters have the files of both name forms, but
 * if several stations begin with them, also those of the others.
 */
function shortCodes(states: readonly KnownSeries[]): (station: string) => string {
  const bySite = Map.groupBy(states, ({ station }) => station.slice(0, 4))
  return (station) => {
    const short = station.slice(0, 4)
    return bySite.get(short)?.length === 1 ? short : station
  }
}

/** The runs of a series in a range of slots; silence before the first slot is left out. */
function* runsIn(
  { summary, past }: KnownSeries,
  from: number,
  to: number,
): Generator<{ readonly state: SlotState; readonly start: number; readonly end: number }> {
  const { first = Infinity } = past
  for (const { state, firstSlot, slots } of summary.runs) {
    const known = state === 'silent' ? Math.max(firstSlot, first) : firstSlot
    const [start, end] = [Math.max(known, from), Math.min(firstSlot + slots, to + 1)]
    if (start < end) yield { state, start, end }
  }
}

/** The marks of some hours; `undefined` without one. */
function hourCells(series: KnownSeries, from: number, to: number): (MarkName | undefined)[] {
  const cells = Array<MarkName | undefined>(to - from + 1).fill(undefined)
  for (const { state, start, end } of runsIn(series, from, to))
    cells.fill(hourMarks[state], start - from, end - from)
  return cells
}

/** The mark of each day by its share; `due` or none for a day without possible slots. */
function dayCells(series: KnownSeries, firstDay: number, today: number): (MarkName | undefined)[] {
  const perDay = slotsPerDay(series.period)
  const days = Array.from({ length: today - firstDay + 1 }, () => ({ good: 0, none: 0, due: 0 }))
  const [from, to] = [firstDay * perDay, (today + 1) * perDay - 1]
  for (const { state, start, end } of runsIn(series, from, to)) {
    const kind = dayKinds[state]
    if (kind === undefined) continue
    for (let slot = start; slot < end;) {
      const day = Math.floor(slot / perDay)
      const next = Math.min(end, (day + 1) * perDay)
      const counts = days[day - firstDay]
      if (counts !== undefined) counts[kind] += next - slot
      slot = next
    }
  }
  return days.map(({ good, none, due }) => {
    if (good + none === 0) return due > 0 ? 'due' : undefined
    return good === 0 ? 'none' : shareClass(good / (good + none))
  })
}
