/** The table of the list of stations: how each is, with a strip of its days. */
import { secondsPerDay, secondsToIso } from '../../parse/calendar.ts'
import { countryName, countryOf, isMergedNavigation } from '../../parse/countries.ts'
import { counted, readableDate, readableShare } from '../../runtime/readable.ts'
import { recentDays, slotAt } from '../../series/series.ts'
import type { DayState } from '../../series/station-days.ts'
import { pageUrl, stationUrl } from '../http/links.ts'
import type { ViewColumn } from '../pages/collection.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import type { Cell } from '../pages/marks.ts'
import { cellMarks, slotLegend, slotMarks, stationMark } from '../pages/marks.ts'
import { link, note } from '../pages/parts.ts'
import { shortDay } from '../pages/plot.ts'
import { momentCell, timeCell, titled } from '../pages/table.ts'
import { howWords, lastDataOf } from './how-words.ts'
import type { ListedStation } from './station-fields.ts'

/** The columns; stations that are compared have larger strips, also of hours. */
export function stationColumns(
  asOf: number | undefined,
  isCompared: boolean,
): ViewColumn<ListedStation>[] {
  const today = Math.floor((asOf ?? NaN) / secondsPerDay)
  const first = asOf === undefined ? 'Days' : `${shortDay(today - recentDays + 1)} to today`
  const place = isCompared ? { cell: 12, height: 16 } : { cell: 7, height: 9 }
  return [
    { label: 'Station', key: 'code', first: 'ascending', isHeader: true, cell: stationCell },
    ...(isCompared ? [] : [country]),
    {
      label: 'How it is',
      isProse: true,
      key: 'worst',
      first: 'ascending',
      cell: asOf === undefined ? () => 'not read yet' : howCell,
    },
    {
      label: first,
      cell: ({ code, known }) => known && strip(known.days, place, { code, what: 'days' }),
    },
    ...(isCompared && asOf !== undefined ? [hoursColumn(asOf)] : []),
    { label: 'Last data', key: 'last_data_date', first: 'descending', cell: lastDataCell },
    ...(isCompared ? [] : [{ label: 'Last arrival', cell: lastArrivalCell }]),
    {
      label: '28 days',
      isNumber: true,
      key: 'completeness',
      first: 'ascending',
      cell: completeCell,
    },
  ]
}

const country: ViewColumn<ListedStation> = {
  label: 'Country',
  key: 'country',
  first: 'ascending',
  cell: countryCell,
}

/** The legend of the strips on a page. */
export function stripLegend(stations: readonly ListedStation[]): Html {
  const found = stations.flatMap(({ known }) => known?.days ?? [])
  return slotLegend(found, 'before the first file, to come, or not expected')
}

function stationCell(
  { code, codes, known }: ListedStation,
  links: Parameters<typeof stationUrl>[0],
) {
  const others = codes.filter((each) => each !== code).join(', ')
  return html`${stationMark(known?.delivery)} <a href="${stationUrl(links, code)}">${code}</a>${others && note(others)}`
}

function countryCell({ code, codes }: ListedStation): Child {
  if (isMergedNavigation(code)) return 'merged navigation'
  const country = [code, ...codes].map(countryOf).find((each) => each !== undefined)
  return country && titled(countryName(country), country)
}

function howCell({ known }: ListedStation): Child {
  return known === undefined ? 'single files' : howWords(known)
}

function lastDataCell({ known, lastStart }: ListedStation): Child {
  const last = known && lastDataOf(known)
  const iso = secondsToIso(last?.start ?? lastStart)
  return timeCell(iso, last?.words ?? readableDate(iso))
}

function lastArrivalCell({ known }: ListedStation): Child {
  const arrivals = known?.series.flatMap(({ summary }) => summary.lastArrival ?? []) ?? []
  return arrivals.length === 0 ? '' : momentCell(secondsToIso(Math.floor(Math.max(...arrivals))))
}

function completeCell({ series }: ListedStation): Child {
  const { ended = true, completeness, class: rank } = series?.summary ?? {}
  const text = readableShare(ended ? undefined : completeness)
  return text && html`<span ${rank === 'poor' && html` class="bad"`}>${text}</span>`
}

/** Hours of a comparison. */
const hours = 48

function hoursColumn(asOf: number): ViewColumn<ListedStation> {
  const now = slotAt(asOf, '01H')
  return {
    label: `${hours} hours to now`,
    cell({ code, known }) {
      const own = known?.series.find(({ fileType, period }) => fileType === 'o' && period === '01H')
      if (own === undefined) return ''
      const cells = Array.from({ length: hours }, (_, index) => {
        const slot = now - hours + 1 + index
        if (own.past.half?.has(slot) === true) return 'half'
        return own.summary.runs.findLast(({ firstSlot }) => firstSlot <= slot)?.state
      })
      return strip(cells, { cell: 6, height: 16 }, { code, what: 'hours' })
    },
  }
}

/** Cells from left to right; they lead to what is missing, or else half. */
function strip(
  cells: readonly (DayState | undefined)[],
  { cell, height }: { readonly cell: number; readonly height: number },
  { code, what }: { readonly code: string; readonly what: string },
): Html {
  const words = stripWords(cells, what)
  const width = cells.length * cell
  const svg = html`<svg width="${width}" height="${height + 2}" role="img" aria-label="${words}">${cellMarks(cells, { cell, height, y: 1 })}</svg>`
  const isHalf = !cells.some(isLost)
  if (isHalf && !cells.includes('half')) return svg
  const state = isHalf ? ([['state', 'half']] as const) : []
  return html`${link(svg, pageUrl({ api: '../' }, 'missing', [['station', code], ...state]))}`
}

function isLost(cell: Cell): boolean {
  return cell === 'missing' || cell === 'late' || cell === 'damaged' || cell === 'part'
}

/** `28 days: 19 delivered, 9 missing` */
function stripWords(cells: readonly Cell[], what: string): string {
  const counts = Object.entries(slotMarks).flatMap(([mark, words]) => {
    const count = cells.filter((cell) => cell === mark).length
    return count === 0 ? [] : [`${count} ${words}`]
  })
  return `${counted(cells.length, what, what)}: ${counts.join(', ') || 'nothing'}`
}
