/**
 * One colour and one shape for each state, in all pictures, lists and legends: the colours are
 * variables of the style, by the class of the state. What is not expected, or not yet, is empty.
 * Pure.
 */
import { counted } from '../../runtime/readable.ts'
import type { StationDelivery } from '../../series/station-states.ts'
import type { Child, Html } from './html.ts'
import { html } from './html.ts'

/** The states of slots that have a mark, from good to bad, in words; `part` is of days. */
export const slotMarks = {
  present: 'delivered',
  part: 'a part of its files',
  half: 'less than half of its epochs',
  removed: 'removed since',
  due: 'not due yet',
  late: 'late',
  missing: 'missing',
  damaged: 'damaged',
} as const

/** `2 files hold less than half of their epochs` */
export function halfWords(files: number): string {
  const of = files === 1 ? 'its' : 'their'
  return `${counted(files, 'file holds', 'files hold')} less than half of ${of} epochs`
}

export type SlotMark = keyof typeof slotMarks

/** The states of stations that have a mark, the worst first, in words. */
export const stationMarks = {
  down: 'down',
  late: 'late',
  gaps: 'delivers, with gaps',
  delivers: 'delivers',
} as const satisfies Record<StationDelivery, string>

/** Where cells are drawn, in pixels: the width of a column with the gap at its right. */
export interface CellPlace {
  readonly cell: number
  readonly height: number
  readonly x?: number
  readonly y?: number
}

/** A cell of any type; every other state than those with a mark is empty. */
export type Cell = string | undefined

/**
 * The cells of a row: a path for each state, so that 400 rows are small. Equal cells beside each
 * other are one bar; what is lost has a shape for each of its slots.
 */
export function cellMarks(cells: readonly Cell[], place: CellPlace): readonly Html[] {
  const byMark = new Map<SlotMark, string>()
  for (const { mark, first, count } of markRuns(cells))
    byMark.set(mark, (byMark.get(mark) ?? '') + outlineOf(mark, { first, count }, place))
  return Array.from(byMark, ([mark, d]) => html`<path class="${mark}" d="${d}"/>`)
}

/** The runs of equal cells that have a mark. */
export function markRuns(cells: readonly Cell[]) {
  const runs: { readonly mark: SlotMark; readonly first: number; count: number }[] = []
  for (const [index, cell] of cells.entries()) {
    const last = runs.at(-1)
    if (!isMark(cell)) continue
    if (last?.mark === cell && last.first + last.count === index) last.count++
    else runs.push({ mark: cell, first: index, count: 1 })
  }
  return runs
}

/** One run of equal cells, for a picture where each run has its own text and link. */
export function runMark(
  mark: SlotMark,
  run: { readonly first: number; readonly count: number },
  place: CellPlace,
  content?: Child,
): Html {
  const d = outlineOf(mark, run, place)
  return html`<path class="${mark}" d="${d}"${content ? html`>${content}</path>` : html`/>`}`
}

function isMark(cell: Cell): cell is SlotMark {
  return cell !== undefined && Object.hasOwn(slotMarks, cell)
}

type Box = readonly [x: number, y: number, width: number, height: number]

/** Below this width of a column, the cells of a run are one bar also where each has a shape. */
const narrow = 5

/** The outline of a run of equal cells. */
function outlineOf(
  mark: SlotMark,
  { first, count }: { readonly first: number; readonly count: number },
  { cell, height, x = 0, y = 0 }: CellPlace,
): string {
  const left = x + first * cell
  const gap = cell < narrow ? 0 : 1
  const isOne = mark === 'present' || mark === 'part' || mark === 'removed' || cell < narrow
  const [boxes, width] = isOne ? [1, count * cell - gap] : [count, cell - gap]
  const shape = shapes[mark]
  return Array.from({ length: boxes }, (_, box) =>
    shape([left + box * cell, y, width, height], gap === 0),
  ).join('')
}

/** The shapes of the marks in a box, each another one; `isBar` where there is no room for it. */
const shapes: Readonly<Record<SlotMark, (box: Box, isBar: boolean) => string>> = {
  present: rectangle,
  part: ([x, y, width, height]) => rectangle([x, y + height / 4, width, height / 2]),
  half([x, y, width, height], isBar) {
    if (isBar) return rectangle([x, y, width, height / 2])
    return `M${short(x)} ${short(y)}v${short(height)}h${short(width)}z`
  },
  removed: ([x, y, width, height]) =>
    rectangle([x, y, width, height / 4]) + rectangle([x, y + (height * 3) / 4, width, height / 4]),
  due([x, y, width, height], isBar) {
    const size = isBar ? width : 3
    return rectangle([x + (width - size) / 2, y + height / 2 - 1.5, size, 3])
  },
  late: ([x, y, width, height]) => rectangle([x, y + height / 2, width, height / 2]),
  missing([x, y, width, height], isBar) {
    if (isBar) return rectangle([x, y, width, height])
    return rectangle([x + (width - 3) / 2, y - 1, 3, height + 2])
  },
  damaged([x, y, width, height], isBar) {
    if (isBar) return rectangle([x, y + height / 4, width, height / 2])
    return `M${short(x)} ${short(y)}h${short(width)}v${short(height)}z`
  },
}

function rectangle([x, y, width, height]: Box): string {
  const wide = short(width)
  return `M${short(x)} ${short(y)}h${wide}v${short(height)}h-${wide}z`
}

/** At most one digit after the point. */
function short(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** The mark of a slot alone, in a list, a table or a legend; the words are beside it. */
export function slotMark(mark: SlotMark): Html {
  return alone(runMark(mark, { first: 0, count: 1 }, { cell: 11, height: 8, y: 2 }))
}

/** The mark of a station alone. @param state `undefined` of one that is not expected */
export function stationMark(state: StationDelivery | undefined): Html {
  return alone(stationShape(state, 6, 6))
}

function alone(shape: Html): Html {
  return html`<svg width="12" height="12" aria-hidden="true">${shape}</svg>`
}

/** The mark of a station at a point, as of a map. */
export function stationShape(state: StationDelivery | undefined, x: number, y: number): Html {
  const [left, top] = [short(x), short(y)]
  switch (state) {
    case undefined:
      return html`<circle class="silent" cx="${left}" cy="${top}" r="2"/>`
    case 'down':
      return html`<path class="down" d="M${short(x - 4.5)} ${short(y - 4.5)}l9 9m0-9l-9 9"/>`
    case 'late':
      return html`<path class="late" d="M${left} ${short(y - 5.5)}l6 10h-12z"/>`
    case 'gaps':
      return html`<circle class="gaps" cx="${left}" cy="${top}" r="3.5"/>`
    case 'delivers':
      return html`<circle class="delivers" cx="${left}" cy="${top}" r="3"/>`
  }
}

/**
 * The legend of the marks that occur.
 * @param empty what a cell without a mark means
 * @param more a further item, of what is no slot
 */
export function slotLegend(found: Iterable<Cell>, empty: string, more?: Html | false): Html {
  const set = new Set(found)
  const shown = (Object.keys(slotMarks) as SlotMark[]).filter((mark) => set.has(mark))
  return legend(
    [...shown.map((mark) => html`${slotMark(mark)} ${slotMarks[mark]}`), ...(more ? [more] : [])],
    `empty: ${empty}`,
  )
}

/** @param last a further item, of what has no such mark */
export function stationLegend(found: Iterable<StationDelivery>, last?: Child): Html {
  const set = new Set(found)
  const shown = (Object.keys(stationMarks) as StationDelivery[]).filter((state) => set.has(state))
  return legend(
    shown.map((state) => html`${stationMark(state)} ${stationMarks[state]}`),
    last,
  )
}

function legend(items: readonly Html[], last?: Child): Html {
  return html`<ul class="legend plain row small">
${items.map((item) => html`<li>${item}</li>\n`)}${last && html`<li>${last}</li>\n`}</ul>
`
}
