/** Draws the availability of a series as SVG. Pure. */
import { dateOf, secondsToIso, twoDigits } from '../../parse/calendar.ts'
import { dayAndMonth } from '../../runtime/readable.ts'
import type { Period } from '../../series/series.ts'
import { periodRules, slotsPerDay } from '../../series/series.ts'
import type { ShownState, SlotState, StateRun } from '../../series/slot-states.ts'
import { slotWords } from '../../series/slot-states.ts'
import { daysWords, months } from '../pages/date-words.ts'
import type { Html } from '../pages/html.ts'
import type { Mark } from '../pages/svg.ts'
import { gridSvg, looks } from '../pages/svg.ts'
import type { CalendarLine } from './serialise.ts'
import { linesOf } from './serialise.ts'
import type { SeriesAvailability } from './series-reader.ts'

/** The look of a day: `part` has files and lacks others. */
type DayState = SlotState | 'part'

const marks: Readonly<Record<Exclude<ShownState | DayState, 'future'>, Mark>> = {
  present: looks.good,
  removed: looks.fair,
  part: { ...looks.fair, color: looks.poor.color },
  damaged: { ...looks.poor, top: 0.4, height: 0.3 },
  due: looks.open,
  late: looks.poor,
  missing: looks.bad,
  silent: looks.open,
  unknown: { ...looks.open, top: 0.45, height: 0.1 },
}

/** What the calendar shows of a series. */
interface DrawnSeries extends Pick<SeriesAvailability, 'station' | 'fileType' | 'period'> {
  readonly availability: Pick<SeriesAvailability['availability'], 'runs'>
}

/** The availability calendar: a row is a year of daily files, or a day; no future slots. */
export function calendarSvg(series: DrawnSeries): Html {
  const { period, station, availability } = series
  const lines = linesOf(availability.runs, period)
  const { seconds } = periodRules[period]
  return gridSvg({
    ...gridOf(lines, period),
    title: `Availability of ${station}, ${period}, file type ${series.fileType}`,
    runLink: (row, first, cells, state) => {
      const slot = (lines[row]?.firstSlot ?? NaN) + first
      const [start, end] = [slot, slot + cells].map((each) => secondsToIso(each * seconds))
      return { title: `${start ?? ''} to ${end ?? ''}: ${state}, ${cells}` }
    },
  })
}

/** The marks, rows and columns of a calendar. */
function gridOf(lines: readonly CalendarLine<ShownState | DayState>[], period: Period) {
  const { seconds } = periodRules[period]
  return {
    marks,
    labelWidth: 84,
    columnLabels: columnLabels(period),
    columns: Math.max(1, ...lines.map(({ cells }) => cells.length), period === '01D' ? 366 : 0),
    rows: lines.map(({ label, cells, firstSlot }) => ({
      label: period === '01D' ? label : dayAndMonth(secondsToIso(firstSlot * seconds).slice(0, 10)),
      cells: cells.map((state) => (state === 'future' ? undefined : state)),
    })),
  }
}

/** The labels of the columns: the months, of a year without a leap day, or every third hour. */
function columnLabels(period: Period): (readonly [number, string])[] {
  if (period === '01D')
    return months.map((name, month) => [Date.UTC(2026, month) / 864e5 - 20_454, name.slice(0, 3)])
  const perHour = 3600 / periodRules[period].seconds
  return [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => [hour * perHour, `${twoDigits(hour)} h`])
}

/**
 * The days of a series, a row for each year. Equal days beside each other, at most those of a
 * month, lead to their files.
 * @param hrefOf returns the URL of the files of some UTC days since 1970, both included
 */
export function yearsSvg(
  title: string,
  days: readonly StateRun<DayState>[],
  hrefOf: (firstDay: number, lastDay: number) => string,
): Html {
  const lines = linesOf(days, '01D')
  const dayAt = (row: number, column: number) => (lines[row]?.firstSlot ?? NaN) + column
  const grid = gridOf(lines, '01D')
  return gridSvg({
    ...grid,
    title,
    rows: grid.rows.map((row, index) => {
      const [first, last] = [dayAt(index, 0), dayAt(index, row.cells.length - 1)]
      return { ...row, href: hrefOf(first, last) }
    }),
    startsRun: (row, column) => dateOf(dayAt(row, column)).day === 1,
    runLink: (row, column, count, state) => {
      const [first, last] = [dayAt(row, column), dayAt(row, column + count - 1)]
      return { title: `${daysWords(first, last)}: ${state}`, href: hrefOf(first, last) }
    },
  })
}

/** The states of days, from the runs of a series without gaps between them. */
export function daysOf(runs: readonly StateRun[], period: Period): StateRun<DayState>[] {
  const perDay = slotsPerDay(period)
  const states = new Map<number, Set<SlotState>>()
  for (const { state, firstSlot, slots } of runs)
    for (let day = Math.floor(firstSlot / perDay); day * perDay < firstSlot + slots; day++)
      states.set(day, (states.get(day) ?? new Set()).add(state))
  return Array.from(states, ([day, ofDay]) => ({
    state: dayState(ofDay),
    firstSlot: day,
    slots: 1,
  }))
}

/** A day has the worst state of its slots. */
const worstFirst = Object.keys(slotWords) as readonly SlotState[]

function dayState(states: ReadonlySet<SlotState>): DayState {
  const worst = worstFirst.find((state) => states.has(state)) ?? 'present'
  if (!states.has('present')) return worst
  // What is not expected lacks in no day that has files.
  return ['silent', 'due', 'future', 'present'].includes(worst) ? 'present' : 'part'
}
