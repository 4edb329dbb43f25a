/**
 * The matrix of all stations: one axis, a row for each country, and one for each station that is
 * not complete; a country opens the others, without a script. Pure.
 */
import { twoDigits } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted } from '../../runtime/readable.ts'
import { recentDays } from '../../series/series.ts'
import { shortDay, shortDays } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { cellMarks, markRuns, runMark, slotLegend, slotMarks } from '../pages/marks.ts'
import { stationHref } from '../series/series-fields.ts'
import type { CountryRows, StationRow } from './matrix-cells.ts'
import { columnsAt, hourColumns, isComplete, isLost } from './matrix-cells.ts'

/** In pixels: a column, the gap between days and hours, the heights of rows. */
const size = { cell: 9, gap: 14, row: 12, country: 14 } as const
const hoursX = recentDays * size.cell + size.gap
const width = hoursX + hourColumns * size.cell

/** The two parts of a row, and where each begins. */
const parts = [
  ['days', 0],
  ['hours', hoursX],
] as const

/** The columns of a matrix, and the cells that are drawn: most stations have the same ones. */
interface Drawing extends ReturnType<typeof columnsAt> {
  readonly asOf: number
  readonly drawn: Map<string, DrawnCells>
}

/** The cells of days, or of hours: those that are lost stand alone, with their words. */
interface DrawnCells {
  readonly fine: readonly Html[]
  readonly lost: readonly Html[]
}

/** @param asOf seconds since 1970 */
export function matrix(countries: readonly CountryRows[], asOf: number): Child {
  if (countries.length === 0) return undefined
  const drawing = { ...columnsAt(asOf), asOf, drawn: new Map<string, DrawnCells>() }
  const found = countries.flatMap(({ rows }) => rows.flatMap(({ days, hours }) => [days, hours]))
  return html`<section class="matrix">
<h2>All stations, 28 days and 24 hours <span class="note">a country opens its complete ones</span></h2>
<div class="wide" tabindex="0" role="region" aria-label="All stations, 28 days and 24 hours">
<div class="axis cells"><span></span>${axis(drawing)}</div>
${countries.map((country) => countryPart(country, drawing))}</div>
${slotLegend(new Set(found.flat()), 'nothing expected')}</section>
`
}

function axis({ firstDay, firstHour, asOf }: Drawing): Html {
  const days = [0, 7, 14, 21].map(
    (day) => html`<text x="${day * size.cell}" y="11">${shortDay(firstDay + day, asOf)}</text>`,
  )
  const hours = [0, 6, 12].map((hour) => {
    const text = `${twoDigits((firstHour + hour) % 24)} h`
    return html`<text x="${hoursX + hour * size.cell}" y="11">${text}</text>`
  })
  const now = html`<text x="${width}" y="11" text-anchor="end">now, UTC</text>`
  return picture(size.country, html`${days}${hours}${now}`)
}

/** @param label what it shows; without one, the row says it */
function picture(height: number, content: Child, label?: string, role = 'img'): Html {
  const said =
    label === undefined ? html`aria-hidden="true"` : html`role="${role}" aria-label="${label}"`
  return html`<svg width="${width}" height="${height}" ${said}>${content}</svg>`
}

/** A country with the rows of those stations that are not complete; the others are folded. */
function countryPart({ code, rows }: CountryRows, drawing: Drawing): Html {
  const name = code === undefined ? 'Short names' : countryName(code)
  const isDark = rows.every(({ delivery }) => delivery === 'down')
  const [shown, folded] = [true, false].map((isShown) =>
    rows.filter((row) => (isDark ? false : !isComplete(row)) === isShown),
  ) as [StationRow[], StationRow[]]
  const complete = rows.filter(isComplete).length
  const words = `${name}: ${complete} of ${counted(rows.length, 'station', 'stations')} complete`
  return html`<details id="country-${code}">
<summary class="cells" title="${words}"><span><b>${name}</b> ${complete}/${rows.length}</span>${shares(rows)}</summary>
${folded.map((row) => stationPart(row, drawing))}</details>
${shown.map((row) => stationPart(row, drawing))}`
}

/** How many of the stations of a country delivered, as the height of each column. */
function shares(rows: readonly StationRow[]): Html {
  const [top, high, wide] = [2, size.country - 4, size.cell - 1]
  const place = { cell: size.cell, height: high, y: top }
  const drawn = parts.map(([part, left]) => {
    let lost = ''
    const columns = Array.from({ length: rows[0]?.[part].length ?? 0 }, (_, column) => {
      let [known, bad, due] = [0, 0, 0]
      for (const row of rows) {
        const cell = row[part][column]
        if (cell === 'due') due++
        else if (cell !== undefined) known++
        if (isLost(cell)) bad++
      }
      const height = known === 0 ? 0 : Math.round((10 * high * bad) / known) / 10
      if (height > 0) lost += `M${left + column * size.cell} ${top}h${wide}v${height}h-${wide}z`
      return known > 0 ? 'present' : due > 0 ? 'due' : undefined
    })
    return [
      html`<g class="sum">${cellMarks(columns, { ...place, x: left })}</g>`,
      lost && html`<path class="lost" d="${lost}"/>`,
    ]
  })
  return picture(size.country, drawn)
}

/** The name of a station, how much of it is lost, and its cells. */
function stationPart(row: StationRow, drawing: Drawing): Html {
  const { station } = row
  const { days, hours } = row.lost
  const lost = [days && `${days} d`, hours && `${hours} h`].filter(Boolean).join(' ')
  const name = html`<a href="${stationHref({ station })}">${station}</a> ${lost || 'complete'}`
  return html`<div class="cells"><span>${name}</span>${cellsOf(row, drawing)}</div>\n`
}

/** The cells of a station; those that are lost lead to the list of what is missing. */
function cellsOf(row: StationRow, drawing: Drawing): Html {
  const { station } = row
  const cells = parts.map(([part, x]) => drawnCells(part, row[part], x, drawing))
  const [fine, lost] = [cells.map((each) => each.fine), cells.flatMap((each) => each.lost)]
  if (lost.length === 0) return picture(size.row, fine)
  const href = `../missing/?station=${station}&format=api`
  return picture(
    size.row,
    html`${fine}<a href="${href}" tabindex="-1">${lost}</a>`,
    `What ${station} lost of 28 days and 24 hours`,
    'group',
  )
}

function drawnCells(
  part: 'days' | 'hours',
  cells: StationRow['days'],
  x: number,
  drawing: Drawing,
): DrawnCells {
  const key = cells.join()
  const known = drawing.drawn.get(key)
  if (known !== undefined) return known
  const place = { cell: size.cell, height: 8, y: 2, x }
  const others = cells.map((cell) => (isLost(cell) ? undefined : cell))
  const lost = markRuns(cells.map((cell) => (isLost(cell) ? cell : undefined)))
  const drawn = {
    fine: cellMarks(others, place),
    lost: lost.map((run) => {
      const words = part === 'days' ? daysWords(run, drawing) : hoursWords(run, drawing)
      const title = html`<title>${words}: ${slotMarks[run.mark]}</title>`
      return runMark(run.mark, run, place, title)
    }),
  }
  drawing.drawn.set(key, drawn)
  return drawn
}

type Run = ReturnType<typeof markRuns>[number]

/** `26 Nov`, `18 to 27 Nov`. */
function daysWords({ first, count }: Run, { firstDay, asOf }: Drawing): string {
  return shortDays(firstDay + first, firstDay + first + count - 1, asOf)
}

/** `13–14 h UTC` */
function hoursWords({ first, count }: Run, { firstHour }: Drawing): string {
  const [from, last] = [firstHour + first, firstHour + first + count - 1]
  return `${twoDigits(from % 24)}–${twoDigits((last % 24) + 1)} h UTC`
}
