/**
 * The matrix of all stations: one axis, a row for each country, and one for each station that is
 * not complete. What is lost leads to the list of missing files; a country opens it in words, so
 * that it is read without a mouse, and its complete stations. Pure.
 */
import { twoDigits } from '../../parse/calendar.ts'
import { countryName } from '../../parse/countries.ts'
import { counted } from '../../runtime/readable.ts'
import { recentDays } from '../../series/series.ts'
import { shortDay } from '../pages/date-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { cellMarks, slotLegend } from '../pages/marks.ts'
import { stationHref } from '../series/series-fields.ts'
import type { CountryRows, StationRow, Sums } from './matrix-cells.ts'
import { columnsAt, hourColumns, isComplete, parts, sumsOf } from './matrix-cells.ts'
import type { Lost } from './matrix-losses.ts'
import { Losses } from './matrix-losses.ts'

/** In pixels: a column, the gap between days and hours, the heights of rows. */
const size = { cell: 9, gap: 14, row: 12, country: 14 } as const
const hoursX = recentDays * size.cell + size.gap
const width = hoursX + hourColumns * size.cell

/** Where each part of a row begins. */
const left = { days: 0, hours: hoursX } as const

interface Drawing {
  readonly losses: Losses
  /** The cells of rows: most stations have the same ones. */
  readonly cells: Map<string, readonly Html[]>
}

/** @param asOf seconds since 1970 */
export function matrix(countries: readonly CountryRows[], asOf: number): Child {
  if (countries.length === 0) return undefined
  const drawing = { losses: new Losses(asOf), cells: new Map<string, readonly Html[]>() }
  const found = countries.flatMap(({ rows }) => rows.flatMap(({ days, hours }) => [days, hours]))
  return html`<section class="matrix">
<h2>All stations, 28 days and 24 hours <small>a country opens, in words</small></h2>
<div class="wide" tabindex="0" role="region" aria-label="All stations, 28 days and 24 hours">
<div class="cells"><span></span>${axis(asOf)}</div>
${countries.map((country) => countryPart(country, drawing))}</div>
${slotLegend(new Set(found.flat()), 'nothing expected')}</section>
`
}

function axis(asOf: number): Html {
  const { firstDay, firstHour } = columnsAt(asOf)
  const days = [0, 7, 14, 21].map(
    (day) => html`<text x="${day * size.cell}" y="11">${shortDay(firstDay + day, asOf)}</text>`,
  )
  const hours = [0, 6, 12].map((hour) => {
    const text = `${twoDigits((firstHour + hour) % 24)} h`
    return html`<text x="${hoursX + hour * size.cell}" y="11">${text}</text>`
  })
  const now = html`<text x="${width}" y="11" text-anchor="end">now, UTC</text>`
  return picture(size.country, [days, hours, now])
}

/** @param lost what leads to its files; as text, it is in the country that opens */
function picture(height: number, content: Child, lost: readonly Lost[] = []): Html {
  const links = lost.map(
    ({ part, first, count, href, words }) =>
      html`<a href="${href}" tabindex="-1"><title>${words}</title><rect x="${left[part] + first * size.cell}" width="${count * size.cell}" height="${height}"/></a>`,
  )
  return html`<svg width="${width}" height="${height}" aria-hidden="true">${content}${links}</svg>`
}

/**
 * A country, with those of its stations below it that are not complete; none if all are down. The
 * row of a country of one station is that of the station.
 */
function countryPart({ code, rows }: CountryRows, drawing: Drawing): Html {
  const name = code === undefined ? 'Short names' : countryName(code)
  const complete = rows.filter(isComplete)
  const lossy = rows
    .filter((row) => !isComplete(row))
    .map((row) => ({ row, lost: drawing.losses.ofStation(row) }))
  const words = `${name}: ${complete.length} of ${counted(rows.length, 'station', 'stations')} complete`
  const partOf = (
    short: Child,
    drawn: Html,
    opened: Child,
  ) => html`<div class="country">${drawn}<details id="country-${code}">
<summary class="cells" title="${words}"><span><b>${name}</b> ${short}</span></summary>
${opened}</details></div>
`
  const whole = complete.map((row) => ({ row, lost: drawing.losses.ofStation(row) }))
  const said = [...lossy, ...whole.filter(({ lost }) => lost.length > 0)].map(({ row, lost }) =>
    lostWords(stationLink(row), lost),
  )
  const stationRows = [...lossy, ...whole].map((each) => stationPart(each, drawing))
  const [only, ...others] = rows
  if (only !== undefined && others.length === 0) {
    const drawn = picture(size.country, marksOf(only, drawing), (lossy[0] ?? whole[0])?.lost)
    return partOf(only.station.slice(0, 4), drawn, complete.length > 0 ? [said, stationRows] : said)
  }
  const sums = sumsOf(rows)
  const lost = drawing.losses.ofCountry(code, sums)
  const shown = rows.every(({ delivery }) => delivery === 'down') ? 0 : lossy.length
  const drawn = picture(size.country, shares(sums), lost)
  const opened = [lost.length > 0 && lostWords(name, lost), said, stationRows.slice(shown)]
  return html`${partOf(`${complete.length}/${rows.length}`, drawn, opened)}${stationRows.slice(0, shown)}`
}

/** What is lost in words, each with the list of its files. */
function lostWords(who: Child, lost: readonly Lost[]): Html {
  return html`<p class="small">${who}${lost.map(({ href, words }) => html` · <a href="${href}">${words}</a>`)}</p>\n`
}

/**
 * How many of the stations of a country delivered, as the height of each column. Above it is the
 * worst state of those that delivered nothing.
 */
function shares(sums: Sums): Child {
  const [top, high, wide] = [2, size.country - 4, size.cell - 1]
  return parts.map((part) => {
    const columns = sums[part].map(({ known, due }) =>
      known > 0 ? 'present' : due > 0 ? 'due' : undefined,
    )
    const lost = Map.groupBy(
      sums[part].map((sum, column) => ({ ...sum, column })).filter(({ worst }) => worst),
      ({ worst }) => worst,
    )
    const drawn = Array.from(lost, ([worst, sums]) => {
      const bars = sums.map(({ known, wholly, column }) => {
        // One of many stations must be seen too.
        const height = Math.max(2, Math.round((10 * high * wholly) / known) / 10)
        return `M${left[part] + column * size.cell} ${top}h${wide}v${height}h-${wide}z`
      })
      return html`<path class="${worst}" d="${bars.join('')}"/>`
    })
    const cells = cellMarks(columns, { cell: size.cell, height: high, y: top, x: left[part] })
    return html`${cells}${drawn}`
  })
}

interface Station {
  readonly row: StationRow
  readonly lost: readonly Lost[]
}

/** The name of a station, and its cells. */
function stationPart({ row, lost }: Station, drawing: Drawing): Html {
  const cells = picture(size.row, marksOf(row, drawing), lost)
  return html`<div class="cells"><span>${stationLink(row)}${isComplete(row) && ' complete'}</span>${cells}</div>\n`
}

function stationLink({ station }: StationRow): Html {
  return html`<a href="${stationHref({ station })}">${station}</a>`
}

function marksOf(row: StationRow, { cells }: Drawing): Child {
  return parts.map((part) => {
    const key = row[part].join()
    const place = { cell: size.cell, height: 8, y: 2, x: left[part] }
    const drawn = cells.get(key) ?? cellMarks(row[part], place)
    cells.set(key, drawn)
    return drawn
  })
}
