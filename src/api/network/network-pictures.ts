/**
 * The pictures of the network: a row is a station, a column an hour or a day, the newest at the
 * left. Pure.
 */
import { secondsPerDay, secondsPerHour, secondsToIso, twoDigits } from '../../parse/calendar.ts'
import { shareClass } from '../../series/completeness.ts'
import { recentDays, slotsPerDay } from '../../series/series.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { escaped, readableShare } from '../pages/labels.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { marks, pictureOf } from './by-country.ts'
import type { Mark, Picture, RunLinks } from './by-country.ts'

const hourMarks: Readonly<Partial<Record<SlotState, Mark>>> = {
  present: 'good',
  removed: 'good',
  late: 'late',
  missing: 'none',
  silent: 'none',
  due: 'due',
}

const lostStates: ReadonlySet<SlotState | undefined> = new Set(['late', 'missing', 'silent'])

/** The last 24 hours of hourly series that have ended. A cell leads to its files. */
export function hoursPicture(states: readonly KnownSeries[], nowSeconds: number): Picture {
  const newest = Math.floor(nowSeconds / secondsPerHour) - 1
  const rows = states.map((series) => {
    const cells = slotCells(series, newest - 23, newest).map((state) => state && hourMarks[state])
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
    const { completeness, possible, present } = series.summary
    return {
      series,
      cells: dayCells(series, today - recentDays + 1, today).reverse(),
      title: `${present} of ${possible} files`,
      end: readableShare(completeness ?? null),
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

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** `26 Nov` */
function dayText(day: number): string {
  return dayFormat.format(day * secondsPerDay * 1000)
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
    return { title, href: escaped(href) }
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

/** The states of some slots; `undefined` without one, and for silence before the first. */
function slotCells(
  { summary, past }: KnownSeries,
  from: number,
  to: number,
): (SlotState | undefined)[] {
  const cells = Array<SlotState | undefined>(to - from + 1).fill(undefined)
  const { first = Infinity } = past
  for (const { state, firstSlot, slots } of summary.runs) {
    const start = state === 'silent' ? Math.max(firstSlot, first) : firstSlot
    const end = firstSlot + slots - from
    if (start - from < end) cells.fill(state, Math.max(0, start - from), Math.max(0, end))
  }
  return cells
}

/** The mark of each day by its share; `due` or none for a day without possible slots. */
function dayCells(series: KnownSeries, firstDay: number, today: number): (Mark | undefined)[] {
  const perDay = slotsPerDay(series.period)
  const slots = slotCells(series, firstDay * perDay, (today + 1) * perDay - 1)
  return Array.from({ length: today - firstDay + 1 }, (_value, day) => {
    const states = slots.slice(day * perDay, (day + 1) * perDay)
    const delivered = states.filter((state) => state === 'present' || state === 'removed').length
    const lost = states.filter((state) => lostStates.has(state)).length
    if (delivered + lost === 0) return states.includes('due') ? 'due' : undefined
    return delivered === 0 ? 'none' : shareClass(delivered / (delivered + lost))
  })
}
