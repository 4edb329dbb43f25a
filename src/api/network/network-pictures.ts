/**
 * The pictures of the network: a row is a station, a column an hour or a day, the newest at the
 * left. The stations that are worst now come first, by country; complete ones are only named. Pure.
 */
import {
  dayToIso,
  secondsPerDay,
  secondsPerHour,
  secondsToIso,
  twoDigits,
} from '../../parse/calendar.ts'
import { countryOf } from '../../parse/countries.ts'
import { shareClass } from '../../series/completeness.ts'
import { recentDays, slotsPerDay } from '../../series/series.ts'
import type { SlotState } from '../../series/slot-states.ts'
import { counted, escaped, readableShare } from '../pages/labels.ts'
import { gridSvg, looks, markSvg } from '../pages/svg.ts'
import type { Grid } from '../pages/svg.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { stationHref } from '../series/series-fields.ts'

/** `poor` and `late` look the same, because no picture has both. */
const marks = {
  good: { ...looks.good, label: 'delivered' },
  fair: { ...looks.fair, label: '80 to 90 %' },
  poor: { ...looks.poor, label: 'below 80 %' },
  late: { ...looks.poor, label: 'late' },
  none: { ...looks.bad, label: 'nothing' },
  due: { ...looks.open, label: 'due' },
}

type Mark = keyof typeof marks
type Cells = readonly (Mark | undefined)[]

const hourMarks: Readonly<Partial<Record<SlotState, Mark>>> = {
  present: 'good',
  removed: 'good',
  late: 'late',
  missing: 'none',
  silent: 'none',
  due: 'due',
}

const lostStates: ReadonlySet<SlotState | undefined> = new Set(['late', 'missing', 'silent'])

/** A picture, with an SVG for each country that has stations that are not complete. */
export interface Picture {
  readonly label: string
  readonly legend: readonly { readonly svg: string; readonly label: string }[]
  readonly countries: readonly {
    readonly name: string
    readonly note: string
    readonly svg: string
  }[]
  readonly complete: {
    readonly label: string
    readonly countries: readonly { readonly name: string; readonly stations: readonly string[] }[]
  }
}

/** A station in a picture. */
interface Row {
  readonly series: KnownSeries
  readonly cells: Cells
  readonly title: string
  readonly end: string
}

/** What distinguishes the pictures. Columns are counted from now back. */
interface Drawing {
  readonly label: string
  readonly columns: number
  readonly columnLabels: Grid<Mark>['columnLabels']
  /** The name of the stations that have only cells of this mark. */
  readonly complete: (count: number) => string
  /** The times of some columns, oldest first, and the days that contain them. */
  readonly timesOf: (first: number, count: number) => Times
}

interface Times {
  readonly words: string
  /** The range of the list of files, as its parameters have it. */
  readonly startDate: string
  readonly endDate: string
}

/** The last 24 hours of hourly series that have ended. */
export function hoursPicture(states: readonly KnownSeries[], nowSeconds: number): Picture {
  const newest = Math.floor(nowSeconds / secondsPerHour) - 1
  const hourOf = (column: number): string => `${twoDigits((newest - column) % 24)} h`
  const timeOf = (hour: number): string => secondsToIso(hour * secondsPerHour).slice(0, 16)
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
    columnLabels: [0, 4, 8, 12, 16, 20].map((column) => [column, hourOf(column)]),
    complete: (count) =>
      `${counted(count, 'station has', 'stations have')} delivered all of these hours`,
    timesOf: (first, count) => ({
      words: spanText(hourOf(first + count - 1), hourOf(first)),
      startDate: timeOf(newest - first - count + 1),
      endDate: timeOf(newest - first),
    }),
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
    columnLabels: [0, 7, 14, 21].map((column) => [column, dayLabel(today - column)]),
    complete: (count) =>
      `${counted(count, 'station has', 'stations have')} delivered more than 90 % of each day`,
    timesOf: (first, count) => ({
      words: spanText(dayLabel(today - first - count + 1), dayLabel(today - first)),
      startDate: dayToIso(today - first - count + 1),
      endDate: dayToIso(today - first),
    }),
  })
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** `26 Nov` */
function dayLabel(day: number): string {
  return dayFormat.format(day * secondsPerDay * 1000)
}

function spanText(from: string, to: string): string {
  return from === to ? from : `${from} to ${to}`
}

function pictureOf(all: readonly Row[], drawing: Drawing): Picture {
  const rows = all.toSorted(worstNow)
  const byCountry = Map.groupBy(rows, ({ series }) => countryOf(series.station))
  const found = new Set(rows.flatMap(({ cells }) => cells))
  const isShort = shortCodes(rows)
  const countries = Array.from(byCountry, ([code, ofCountry]) => ({
    name: nameOf(code),
    shown: ofCountry.filter((row) => !isComplete(row)),
    all: ofCountry.length,
    complete: ofCountry.filter(isComplete).map(({ series }) => series.station),
  }))
  return {
    label: drawing.label,
    legend: (Object.keys(marks) as Mark[])
      .filter((mark) => found.has(mark))
      .map((mark) => ({ svg: markSvg(marks[mark]), label: marks[mark].label })),
    countries: countries
      .filter(({ shown }) => shown.length > 0)
      .map(({ name, shown, all }) => ({
        name,
        note: `${shown.length} of ${counted(all, 'station', 'stations')}`,
        svg: countrySvg(name, shown, drawing, isShort),
      })),
    complete: {
      label: drawing.complete(rows.filter(isComplete).length),
      countries: countries
        .filter(({ complete }) => complete.length > 0)
        .map(({ name, complete }) => ({ name, stations: complete.toSorted() })),
    },
  }
}

function nameOf(country: string | undefined): string {
  return country ?? 'Without a country'
}

/** Fits in a phone of 360 pixels, so that it need not scroll. */
const sizes = { width: 328, labelWidth: 84, endWidth: 48, hasLegend: false }

function countrySvg(
  name: string,
  rows: readonly Row[],
  { label, columns, columnLabels, timesOf }: Drawing,
  codeOf: (station: string) => string,
): string {
  return gridSvg<Mark>({
    ...sizes,
    title: `${label}: ${escaped(name)}`,
    marks,
    columns,
    columnLabels,
    rows: rows.map(({ series: { station }, ...row }) => ({
      ...row,
      label: station,
      href: escaped(stationHref({ station })),
    })),
    runTitle: (row, first, count, mark) => {
      const { words, ...times } = timesOf(first, count)
      const title = `${words}: ${marks[mark].label}`
      const series = rows[row]?.series
      if (series === undefined || mark === 'due') return title
      const isLost = mark === 'late' || mark === 'none'
      const href = isLost ? lostHref(series, times) : filesHref(series, times, codeOf)
      return { title, href: escaped(href) }
    },
  })
}

type Range = Pick<Times, 'startDate' | 'endDate'>

/** The files of some slots in the list of files. */
function filesHref(
  { station, fileType, period }: KnownSeries,
  { startDate, endDate }: Range,
  codeOf: (station: string) => string,
): string {
  const duration = period === '01D' ? 'd' : 'h'
  return `../rinex-file/?station=${codeOf(station)}&file_type=${fileType}&file_duration=${duration}&startDate=${startDate}&endDate=${endDate}`
}

/** The missing files of some days. */
function lostHref({ station, period }: KnownSeries, { startDate, endDate }: Range): string {
  return `../missing/?station=${station}&period=${period}&from=${startDate.slice(0, 10)}&to=${endDate.slice(0, 10)}`
}

/**
 * How a filter names a station: a code of four characters has the files of both name forms, but if
 * several stations begin with it, also those of the others.
 */
function shortCodes(rows: readonly Row[]): (station: string) => string {
  const counts = new Map<string, number>()
  for (const { series } of rows) {
    const short = series.station.slice(0, 4)
    counts.set(short, (counts.get(short) ?? 0) + 1)
  }
  return (station) => {
    const short = station.slice(0, 4)
    return counts.get(short) === 1 ? short : station
  }
}

const isLost = (mark: Mark | undefined): boolean =>
  mark !== undefined && mark !== 'good' && mark !== 'due'

function isComplete({ series, cells }: Row): boolean {
  const { state } = series.summary
  return state !== 'down' && state !== 'late' && !cells.some(isLost)
}

/** Down before late, the longest loss first; then those with the most lost cells. */
function worstNow(a: Row, b: Row): number {
  const [first, second] = [a, b].map(({ series: { summary, station }, cells }) => {
    const { state, since = -Infinity } = summary
    const lost = cells.filter(isLost).length
    const rank = state === 'down' ? 0 : state === 'late' ? 1 : 2
    return { rank, since: rank === 2 ? 0 : since, lost, station }
  }) as [Order, Order]
  return (
    first.rank - second.rank ||
    (first.since === second.since ? 0 : first.since - second.since) ||
    second.lost - first.lost ||
    (first.station < second.station ? -1 : 1)
  )
}

interface Order {
  readonly rank: number
  readonly since: number
  readonly lost: number
  readonly station: string
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
