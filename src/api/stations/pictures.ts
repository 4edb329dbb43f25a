/** Draws the availability of a series as SVG. Pure. */
import { periodRules } from '../../series/series.ts'
import type { ShownState } from '../../series/slot-states.ts'
import { secondsToIso, twoDigits } from '../../parse/calendar.ts'
import { months } from '../pages/date-words.ts'
import { readableDate } from '../pages/labels.ts'
import { gridSvg, looks } from '../pages/svg.ts'
import type { Mark } from '../pages/svg.ts'
import { linesOf } from './series-formats.ts'
import type { SeriesAvailability } from './series-reader.ts'

const labelWidth = 84

const marks: Readonly<Record<Exclude<ShownState, 'future'>, Mark>> = {
  present: looks.good,
  removed: looks.fair,
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
export function calendarSvg(series: DrawnSeries): string {
  const { period, station, availability } = series
  const lines = linesOf(availability.runs, period)
  const { seconds } = periodRules[period]
  return gridSvg({
    title: `Availability of ${station}, ${period}, file type ${series.fileType}`,
    marks,
    labelWidth,
    columnLabels: columnLabels(period),
    columns: Math.max(1, ...lines.map(({ cells }) => cells.length), period === '01D' ? 366 : 0),
    rows: lines.map(({ label, cells, firstSlot }) => ({
      label: period === '01D' ? label : readableDate(secondsToIso(firstSlot * seconds)).slice(5),
      cells: cells.map((state) => (state === 'future' ? undefined : state)),
    })),
    runLink: (row, first, cells, state) => {
      const slot = (lines[row]?.firstSlot ?? NaN) + first
      const [start, end] = [slot, slot + cells].map((each) => secondsToIso(each * seconds))
      return { title: `${start ?? ''} to ${end ?? ''}: ${state}, ${cells}` }
    },
  })
}

/** The labels of the columns: the months, of a year without a leap day, or every third hour. */
function columnLabels(period: SeriesAvailability['period']): (readonly [number, string])[] {
  if (period === '01D')
    return months.map((name, month) => [Date.UTC(2026, month) / 864e5 - 20_454, name.slice(0, 3)])
  const perHour = 3600 / periodRules[period].seconds
  return [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => [hour * perHour, `${twoDigits(hour)} h`])
}
