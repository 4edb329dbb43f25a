/** Draws pictures in SVG on the server, without scripts and styles. Pure. */

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

export interface GridRow<Name extends string> {
  readonly label: string
  readonly href?: string
  readonly title?: string
  readonly cells: readonly (Name | undefined)[]
  readonly end?: string
}

export interface Grid<Name extends string> {
  readonly title: string
  readonly marks: Readonly<Record<Name, Mark>>
  readonly rows: readonly GridRow<Name>[]
  readonly columns: number
  readonly columnLabels: readonly (readonly [column: number, text: string])[]
  readonly width?: number
  /** Width of the labels of the rows, and of the texts at the right. */
  readonly labelWidth: number
  readonly endWidth?: number
  /** True if the labels are at the right, before the texts; otherwise they are at the left. */
  readonly labelsAtEnd?: boolean
  /** Returns the text of a run of equal cells in a row. Without it, runs have no text. */
  readonly runTitle?: (row: number, first: number, cells: number, name: Name) => string
}

const size = { line: 14, gap: 2, top: 20, legend: 28, legendStep: 86 }

/** @param picture `height` and `width` are in pixels, without scaling */
export function svg(
  picture: { height: number; title: string; width?: number; role?: 'img' | 'group' },
  content: string,
): string {
  const { height, title, width = svgWidth, role = 'img' } = picture
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="${role}" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12" fill="#737373"><title>${title}</title>
${content}
</svg>
`
}

/** Draws a grid of marked cells, such as an availability calendar. */
export function gridSvg<Name extends string>(grid: Grid<Name>): string {
  const { rows, columns, columnLabels, width = svgWidth, labelWidth, endWidth = 0, title } = grid
  const cell = (width - labelWidth - endWidth) / columns
  const left = grid.labelsAtEnd === true ? 0 : labelWidth
  const labelX = grid.labelsAtEnd === true ? width - endWidth - labelWidth + 6 : 0
  const yOf = (row: number): number => size.top + row * (size.line + size.gap)
  const height = yOf(rows.length) + size.legend
  const labels = columnLabels.map(
    ([column, text]) => `<text x="${rounded(left + column * cell)}" y="12">${text}</text>`,
  )
  const texts = rows.map(({ label, href, title, end }, row) => {
    const text = `<text${labelX === 0 ? '' : ` x="${labelX}"`} y="${yOf(row) + 11}">${label}</text>`
    const titled = title === undefined ? text : `<title>${title}</title>${text}`
    const right =
      end === undefined
        ? ''
        : `<text x="${width}" y="${yOf(row) + 11}" text-anchor="end">${end}</text>`
    return (href === undefined ? titled : `<a href="${href}">${titled}</a>`) + right
  })
  const role = rows.some(({ href }) => href !== undefined) ? 'group' : 'img'
  const cells = paths(grid, { left, cell, yOf })
  const content = [labels.join(''), ...cells, ...texts, legend(grid, height - 8)].join('\n')
  return svg({ height, title, width, role }, content)
}

/** The left edge of the first column, the width of a column, and the top of a row. */
interface Place {
  readonly left: number
  readonly cell: number
  readonly yOf: (row: number) => number
}

/** A path for each run that has a text, and one for all others of a mark: few for many cells. */
function paths<Name extends string>(
  { rows, marks, runTitle }: Grid<Name>,
  { left, cell, yOf }: Place,
): readonly string[] {
  const titled: string[] = []
  const byMark = new Map<Name, string>()
  rows.forEach(({ cells }, row) => {
    for (const { name, first, count } of runsOf(cells)) {
      const { color, top, height } = marks[name]
      const y = rounded(yOf(row) + (top + height / 2) * size.line)
      const path = `M${rounded(left + first * cell)} ${y}h${rounded(count * cell)}`
      const text = runTitle?.(row, first, count, name)
      const stroke = `<path stroke="${color}" stroke-width="${rounded(height * size.line)}"`
      if (text !== undefined) titled.push(`${stroke} d="${path}"><title>${text}</title></path>`)
      else byMark.set(name, (byMark.get(name) ?? '') + path)
    }
  })
  return [
    ...titled,
    ...Array.from(byMark, ([name, all]) => {
      const { color, height } = marks[name]
      return `<path stroke="${color}" stroke-width="${rounded(height * size.line)}" d="${all}"/>`
    }),
  ]
}

function runsOf<Name extends string>(cells: readonly (Name | undefined)[]) {
  const runs: { readonly name: Name; readonly first: number; count: number }[] = []
  for (const [index, name] of cells.entries()) {
    const last = runs.at(-1)
    if (name === undefined) continue
    if (last?.name === name && last.first + last.count === index) last.count++
    else runs.push({ name, first: index, count: 1 })
  }
  return runs
}

/** The legend of the marks that occur in the grid, on the side of the labels. */
function legend<Name extends string>(grid: Grid<Name>, y: number): string {
  const { rows, marks, labelWidth, width = svgWidth } = grid
  const found = new Set(rows.flatMap(({ cells }) => cells))
  const shown = (Object.entries(marks) as [Name, Mark][]).filter(([name]) => found.has(name))
  const start = grid.labelsAtEnd === true ? width - shown.length * size.legendStep : labelWidth
  return shown
    .map(([name, { color, top, height, label = name }], index) => {
      const x = start + index * size.legendStep
      const middle = rounded(y - 11 + (top + height / 2) * size.line)
      return `<path stroke="${color}" stroke-width="${rounded(height * size.line)}" d="M${x} ${middle}h14"/><text x="${x + 19}" y="${y}">${label}</text>`
    })
    .join('')
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
