/** The page of missing files: runs of missing slots, and the sums of the stations. */
import { secondsToIso } from '../../parse/calendar.ts'
import { counted, readableDate, readableNumber, readableTime } from '../../runtime/readable.ts'
import type { QueryPair } from '../http/links.ts'
import { queryText } from '../http/links.ts'
import type { ViewColumn } from '../pages/collection.ts'
import type { Child } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { typeLabel } from '../pages/labels.ts'
import { link } from '../pages/parts.ts'
import {
  codeLines,
  dateCell,
  endCell,
  headerColumn,
  numberColumns,
  periodCell,
  stateCell,
  table,
} from '../pages/table.ts'
import type { Groups } from '../resources/collection.ts'
import { keyOf } from '../series/known-series.ts'
import { stationCell } from '../series/series-fields.ts'
import type { MissingSlot } from './missing-slots.ts'
import { missingPatterns, timesOf } from './missing-slots.ts'

/** Consecutive slots of a series in the same state, in the order of the list. */
type Run = readonly MissingSlot[]

/** Joins the slots of each series that follow one another, ascending or descending. */
function runsOf(slots: readonly MissingSlot[]): readonly Run[] {
  const runs: MissingSlot[][] = []
  const latest = new Map<string, MissingSlot[]>()
  for (const each of slots) {
    const key = keyOf(each.series)
    const run = latest.get(key)
    const last = run?.at(-1)
    const follows = last?.state === each.state && Math.abs(last.slot - each.slot) === 1
    if (run !== undefined && follows) run.push(each)
    else {
      const begun = [each]
      latest.set(key, begun)
      runs.push(begun)
    }
  }
  return runs
}

/** The first and the last slot of a run by their times. */
function endsOf(run: Run): readonly [MissingSlot, MissingSlot] {
  const [first, last] = [run[0], run.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a run has a slot')
  return first.slot <= last.slot ? [first, last] : [last, first]
}

/** A column of the first slot of the run. */
function column(
  label: string,
  cell: (first: MissingSlot, last: MissingSlot, run: Run) => Child,
  more: Partial<Omit<ViewColumn<Run>, 'cell'>> = {},
): ViewColumn<Run> {
  return { label, cell: (run) => cell(...endsOf(run), run), ...more }
}

const isoOf = (slot: MissingSlot, time: keyof ReturnType<typeof timesOf>): string =>
  secondsToIso(timesOf(slot)[time])

/** Maximum number of names in a row; the CSV has all. */
const maxNames = 50

const columns = [
  column('Station', ({ series }) => stationCell(series), {
    key: 'station',
    first: 'ascending',
    isHeader: true,
  }),
  column('Type', ({ series }) => typeLabel(series.fileType)),
  column('Period', ({ series }) => periodCell(series.period)),
  column('From', (first) => dateCell(isoOf(first, 'start')), { key: 'start', first: 'descending' }),
  column('To', (_first, last) => endCell(timesOf(last).end, last.series.period === '01D')),
  column('Files', (_first, _last, run) => readableNumber(run.length), { isNumber: true }),
  column('State', ({ state }) => stateCell(state)),
  column('Expected by', (first) => readableTime(isoOf(first, 'expectedBy')), {
    key: 'expected_by',
    first: 'descending',
  }),
  column('Names to look for', ({ series }, _last, run) => {
    const slots = run.map(({ slot }) => slot).toSorted((a, b) => a - b)
    const names = missingPatterns(series, slots)
    const [name = ''] = names
    if (names.length === 1) return html`<code>${name}</code>`
    const more = names.length - maxNames
    const rest = more > 0 ? [`and ${more} more in the CSV`] : []
    return codeLines([...names.slice(0, maxNames), ...rest], counted(names.length, 'name', 'names'))
  }),
] as const

/** Stations that are shown; the others are folded. */
const shownStations = 5

/** The number of missing files of each station, those with most first. */
function sumsOf(slots: readonly MissingSlot[], kept: readonly QueryPair[]): Child {
  if (slots.length === 0) return undefined
  const stations = Array.from(Map.groupBy(slots, ({ series }) => series.station))
    .map(([station, found]) => ({ station, found, files: found.length }))
    .sort((a, b) => b.files - a.files || (a.station < b.station ? -1 : 1))
  const rest = kept.filter(([name]) => name !== 'station')
  const rows = stations.map(({ station, found, files }) => {
    const starts = found.map((slot) => timesOf(slot).start)
    const newest = starts.reduce((latest, start) => Math.max(latest, start))
    return [
      stationCell({ station }),
      link(
        readableNumber(files),
        `?${queryText([...rest, ['station', station]])}`,
        `${counted(files, 'missing file', 'missing files')} of ${station}`,
      ),
      readableNumber(found.filter(({ state }) => state === 'late').length),
      readableNumber(found.filter(({ state }) => state === 'damaged').length),
      readableDate(secondsToIso(newest)),
    ]
  })
  const sums = {
    className: 'narrow',
    caption: 'Missing files of each station',
    columns: [headerColumn('Station'), ...numberColumns('Files', 'Late', 'Damaged'), 'Newest'],
  }
  const files = counted(slots.length, 'file', 'files')
  const verb = slots.length === 1 ? 'is' : 'are'
  const words = slots.some(({ state }) => state === 'damaged') ? 'missing or damaged' : 'missing'
  const more = rows.slice(shownStations)
  return html`<p class="lead">${files} of ${counted(stations.length, 'station', 'stations')} ${verb} ${words}.</p>
${rows.length > 1 && table({ ...sums, label: 'Stations', rows: rows.slice(0, shownStations) })}
${
  more.length > 0 &&
  html`<details><summary>${counted(more.length, 'more station', 'more stations')}</summary>
${table({ ...sums, label: 'More stations', rows: more })}</details>
`
}`
}

/** The page has a row for a run, and the sums above. */
export const missingRuns: Groups<MissingSlot> = {
  noun: ['gap', 'gaps'],
  of: runsOf,
  columns,
  above: sumsOf,
}
