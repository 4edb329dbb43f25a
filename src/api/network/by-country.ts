/**
 * Groups the stations of a picture by country, those that are worst now first, and draws them;
 * complete stations are only named. Pure.
 */
import { countryName, countryOf } from '../../parse/countries.ts'
import { counted } from '../../runtime/readable.ts'
import type { Html } from '../pages/html.ts'
import type { Grid, RunLink } from '../pages/svg.ts'
import { gridSvg, looks, markSvg } from '../pages/svg.ts'
import type { KnownSeries } from '../series/known-series.ts'
import { stationHref } from '../series/series-fields.ts'

/** `poor` and `late` look the same, because no picture has both. */
export const marks = {
  good: { ...looks.good, label: 'delivered' },
  fair: { ...looks.fair, label: '80 to 90 %' },
  poor: { ...looks.poor, label: 'below 80 %' },
  late: { ...looks.poor, label: 'late' },
  none: { ...looks.bad, label: 'nothing' },
  due: { ...looks.open, label: 'due' },
}

export type MarkName = keyof typeof marks

/** A station in a picture. */
interface PictureRow {
  readonly series: KnownSeries
  readonly cells: readonly (MarkName | undefined)[]
  readonly title: string
  readonly end: string
}

export type RunLinks = (
  series: KnownSeries,
  first: number,
  count: number,
  mark: MarkName,
) => RunLink

/** What distinguishes the pictures. */
interface Drawing {
  readonly label: string
  readonly columns: number
  readonly columnLabels: Grid<MarkName>['columnLabels']
  /** What complete stations have delivered. */
  readonly complete: string
  /** Where a run of cells leads. */
  readonly linkOf?: RunLinks
}

/** Stations that are named, and not drawn. */
interface NamedStations {
  readonly label: string
  readonly countries: readonly { readonly name: string; readonly stations: readonly string[] }[]
}

/** A picture, with an SVG for each country that has stations that are not complete. */
export interface Picture {
  readonly label: string
  readonly legend: readonly { readonly svg: Html; readonly label: string }[]
  readonly countries: readonly {
    readonly name: string
    /** How many of its stations are drawn. */
    readonly note: string
    readonly svg: Html
  }[]
  readonly named: readonly NamedStations[]
}

/** Maximum number of stations that are drawn; more are too many to look at, and too heavy. */
const maxRows = 100

export function pictureOf(all: readonly PictureRow[], drawing: Drawing): Picture {
  const rows = all.toSorted(worstNow)
  const incomplete = rows.filter((row) => !isComplete(row))
  const shown = incomplete.slice(0, maxRows)
  const counts = Map.groupBy(rows, countryOfRow)
  const found = new Set(shown.flatMap(({ cells }) => cells))
  return {
    label: drawing.label,
    legend: (Object.keys(marks) as MarkName[])
      .filter((mark) => found.has(mark))
      .map((mark) => ({ svg: markSvg(marks[mark]), label: marks[mark].label })),
    countries: Array.from(Map.groupBy(shown, countryOfRow), ([code, ofCountry]) => {
      const count = counts.get(code)?.length ?? 0
      const name = nameOf(code)
      const note = `${ofCountry.length} of ${counted(count, 'station', 'stations')}`
      return { name, note, svg: countrySvg(name, ofCountry, drawing) }
    }),
    named: [
      ...named('more is not complete', 'more are not complete', incomplete.slice(maxRows)),
      ...named(
        `station has delivered ${drawing.complete}`,
        `stations have delivered ${drawing.complete}`,
        rows.filter(isComplete),
      ),
    ],
  }
}

function countryOfRow({ series }: PictureRow): string | undefined {
  return countryOf(series.station)
}

function nameOf(code: string | undefined): string {
  return code === undefined ? 'Short names, without a country' : countryName(code)
}

function named(one: string, many: string, rows: readonly PictureRow[]): readonly NamedStations[] {
  if (rows.length === 0) return []
  const countries = Array.from(Map.groupBy(rows, countryOfRow), ([code, ofCountry]) => ({
    name: nameOf(code),
    stations: ofCountry.map(({ series }) => series.station).sort(),
  }))
  countries.sort((a, b) => (a.name < b.name ? -1 : 1))
  return [{ label: counted(rows.length, one, many), countries }]
}

/** Fits in a phone of 360 pixels, so that it need not scroll. */
const sizes = { width: 328, labelWidth: 84, endWidth: 48, hasLegend: false }

function countrySvg(name: string, rows: readonly PictureRow[], drawing: Drawing): Html {
  const { label, columns, columnLabels, linkOf } = drawing
  return gridSvg<MarkName>({
    ...sizes,
    title: `${label}: ${name}`,
    marks,
    columns,
    columnLabels,
    rows: rows.map(({ series: { station }, ...row }) => ({
      ...row,
      label: station,
      href: stationHref({ station }),
    })),
    ...(linkOf && {
      runLink: (row, first, count, mark) => {
        const { series } = rows[row] ?? {}
        return series && linkOf(series, first, count, mark)
      },
    }),
  })
}

const isLost = (mark: MarkName | undefined): boolean =>
  mark !== undefined && mark !== 'good' && mark !== 'due'

function isComplete({ series, cells }: PictureRow): boolean {
  return rankOf(series) === 2 && !cells.some(isLost)
}

function rankOf({ summary: { state } }: KnownSeries): number {
  return state === 'down' ? 0 : state === 'late' ? 1 : 2
}

/** Down before late, the longest loss first; then those with the most lost cells. */
function worstNow(a: PictureRow, b: PictureRow): number {
  const rank = rankOf(a.series)
  const [sinceA, sinceB] = [a, b].map(({ series }) => series.summary.since ?? 0) as [number, number]
  const lostOf = ({ cells }: PictureRow): number => cells.filter(isLost).length
  return (
    rank - rankOf(b.series) ||
    (rank === 2 ? 0 : sinceA - sinceB) ||
    lostOf(b) - lostOf(a) ||
    (a.series.station < b.series.station ? -1 : 1)
  )
}
