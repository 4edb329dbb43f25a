/** Draws pictures in SVG on the server, without scripts and styles. Pure. */
import type { Child, Html } from './html.ts'
import { html } from './html.ts'

/** Default width of a picture in pixels, without scaling. */
export const svgWidth = 800

/** The look of cells of one kind, by colour and shape: fractions of the height of the line. */
export interface Mark {
  readonly color: string
  readonly top: number
  readonly height: number
  /** Text in the legend; without it, the name of the mark. */
  readonly label?: string
}

/** The looks from good to bad. The colours of Okabe and Ito are distinct for any colour vision. */
export const looks = {
  good: { color: '#009e73', top: 0, height: 1 },
  fair: { color: '#56b4e9', top: 0.25, height: 0.75 },
  poor: { color: '#e69f00', top: 0.5, height: 0.5 },
  bad: { color: '#d55e00', top: 0.75, height: 0.25 },
  open: { color: '#999999', top: 0.85, height: 0.15 },
} as const

interface GridRow<Name extends string> {
  readonly label: string
  readonly href?: string
  readonly title?: string
  readonly cells: readonly (Name | undefined)[]
  readonly end?: string
}

/** The text of a run of equal cells, and where it leads. */
export interface RunLink {
  readonly title: string
  readonly href?: string
}

export interface Grid<Name extends string> {
  readonly title: string
  readonly marks: Readonly<Record<Name, Mark>>
  readonly rows: readonly GridRow<Name>[]
  readonly columns: number
  readonly columnLabels: readonly (readonly [column: number, text: string])[]
  readonly width?: number
  /** Width of the labels of the rows at the left, and of the texts at the right. */
  readonly labelWidth: number
  readonly endWidth?: number
  /** False if the legend is elsewhere; otherwise it is below the rows. */
  readonly hasLegend?: boolean
  /** True for a cell that begins a run, also beside an equal one. */
  readonly startsRun?: (row: number, column: number) => boolean
  /** Returns the text of a run of equal cells in a row. Without it, runs have no text. */
  readonly runLink?: (row: number, first: number, cells: number, name: Name) => RunLink | undefined
}

const size = { line: 14, gap: 2, top: 20, legend: 28, legendStep: 92 }

/**
 * @param picture `height` and `width` are in pixels, without scaling: a text of 12 pixels stays
 *   readable on any screen
 */
export function svg(
  picture: { height: number; title: string; width?: number; role?: 'img' | 'group' },
  content: Child,
): Html {
  const { height, title, width = svgWidth, role = 'img' } = picture
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
 viewBox="0 0 ${width} ${height}" role="${role}" aria-label="${title}"
 font-family="system-ui, sans-serif" font-size="12" fill="#737373"><title>${title}</title>
${content}
</svg>
`
}

/**
 * Draws a grid of marked cells, such as an availability calendar. Its links are no tab stops: they
 * would be too many, and tables and lists have them too.
 */
export function gridSvg<Name extends string>(grid: Grid<Name>): Html {
  const { rows, columns, columnLabels, width = svgWidth, labelWidth, endWidth = 0, title } = grid
  const { hasLegend = true } = grid
  const cell = (width - labelWidth - endWidth) / columns
  const yOf = (row: number): number => size.top + row * (size.line + size.gap)
  const height = yOf(rows.length) + (hasLegend ? size.legend : 0)
  const labels = columnLabels.map(
    ([column, text]) =>
      html`<text x="${rounded(labelWidth + column * cell)}" y="12">${text}</text>`,
  )
  const texts = rows.map(({ label, href, title, end }, row) => {
    const y = yOf(row) + 11
    const named = html`${title !== undefined && html`<title>${title}</title>`}<text y="${y}">${label}</text>`
    const right =
      end !== undefined && html`<text x="${width}" y="${y}" text-anchor="end">${end}</text>`
    return html`${href === undefined ? named : linked(href, named)}${right}\n`
  })
  const role = rows.some(({ href }) => href !== undefined) ? 'group' : 'img'
  const cells = paths(grid, { cell, yOf })
  const legend = hasLegend && legendOf(grid, labelWidth, height - 8)
  return svg({ height, title, width, role }, html`${labels}\n${cells}${texts}${legend}`)
}

function linked(href: string, content: Html): Html {
  return html`<a href="${href}" tabindex="-1">${content}</a>`
}

/** The width of a column, and the top of a row. */
interface CellPlace {
  readonly cell: number
  readonly yOf: (row: number) => number
}

/** The paths of each mark: one for each run that has a text, and one for all others. */
function paths<Name extends string>(
  { rows, marks, labelWidth, startsRun, runLink }: Grid<Name>,
  { cell, yOf }: CellPlace,
): readonly Html[] {
  const byMark = new Map<Name, { readonly titled: Html[]; others: string }>()
  rows.forEach(({ cells }, row) => {
    for (const { name, first, count } of runsOf(cells, (column) => startsRun?.(row, column))) {
      const { top, height } = marks[name]
      const y = rounded(yOf(row) + (top + height / 2) * size.line)
      const path = `M${rounded(labelWidth + first * cell)} ${y}h${rounded(count * cell)}`
      const link = runLink?.(row, first, count, name)
      const found = byMark.get(name) ?? { titled: [], others: '' }
      byMark.set(name, found)
      if (link === undefined) found.others += path
      else found.titled.push(runPath(path, link))
    }
  })
  return Array.from(byMark, ([name, { titled, others }]) => {
    const { color, height } = marks[name]
    const path = others !== '' && html`<path d="${others}"/>`
    const width = rounded(height * size.line)
    return html`<g stroke="${color}" stroke-width="${width}">${titled}${path}</g>\n`
  })
}

function runPath(path: string, { title, href }: RunLink): Html {
  return href === undefined
    ? html`<path d="${path}"><title>${title}</title></path>`
    : linked(href, html`<title>${title}</title><path d="${path}"/>`)
}

function runsOf<Name extends string>(
  cells: readonly (Name | undefined)[],
  isStart: (column: number) => boolean | undefined,
) {
  const runs: { readonly name: Name; readonly first: number; count: number }[] = []
  for (const [index, name] of cells.entries()) {
    const last = runs.at(-1)
    if (name === undefined) continue
    const isNext = last?.name === name && last.first + last.count === index
    if (isNext && isStart(index) !== true) last.count++
    else runs.push({ name, first: index, count: 1 })
  }
  return runs
}

/** The legend of the marks that occur in the grid. */
function legendOf<Name extends string>(
  { rows, marks }: Pick<Grid<Name>, 'rows' | 'marks'>,
  left: number,
  y: number,
): readonly Html[] {
  const found = new Set(rows.flatMap(({ cells }) => cells))
  const shown = (Object.entries(marks) as [Name, Mark][]).filter(([name]) => found.has(name))
  return shown.map(([name, { color, top, height, label = name }], index) => {
    const x = left + index * size.legendStep
    const middle = rounded(y - 11 + (top + height / 2) * size.line)
    const width = rounded(height * size.line)
    return html`<path stroke="${color}" stroke-width="${width}" d="M${x} ${middle}h14"/><text x="${x + 19}" y="${y}">${label}</text>`
  })
}

/** A mark alone, for a legend in the text of a page. */
export function markSvg({ color, top, height }: Mark): Html {
  const [y, stroke] = [(top + height / 2) * size.line, height * size.line].map(rounded)
  return html`<svg width="14" height="${size.line}" aria-hidden="true"><path stroke="${color}" stroke-width="${stroke}" d="M0 ${y}h14"/></svg>`
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
