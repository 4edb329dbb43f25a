/** Draws bars: a number for each year or day. Pure. */
import type { Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { rounded, svg } from '../pages/svg.ts'

interface Bar {
  readonly value: number
  /** The text below the bar. */
  readonly label?: string
  /** What is said of the bar. Without it, a bar has no text: few bytes for many bars. */
  readonly title?: string
}

interface Bars {
  readonly title: string
  readonly bars: readonly Bar[]
  /** Writes a value beside its line. */
  readonly format: (value: number) => string
}

/** The values are at the right, where a phone begins to show a picture. */
const size = { width: 640, height: 200, right: 64, top: 14, bottom: 22, widest: 40 }

/** The text is never smaller than 12 pixels, because a picture is never narrower than 608. */
const fontSize = 13

export function barsSvg({ title, bars, format }: Bars): Html {
  const most = niceAbove(Math.max(0, ...bars.map(({ value }) => value)))
  const base = size.height - size.bottom
  const end = size.width - size.right
  const step = end / Math.max(1, bars.length)
  const yOf = (value: number): number => rounded(base - (value / most) * (base - size.top))
  const xOf = (index: number): number => rounded((index + 0.5) * step)
  const lines = [0, most / 2, most].map(
    (value) =>
      html`<path class="line" d="M0 ${yOf(value)}H${end}"/><text x="${end + 6}" y="${yOf(value) + 4}">${format(value)}</text>\n`,
  )
  const shapes = bars.map(({ value }, index) => `M${xOf(index)} ${base}V${yOf(value)}`)
  const width = rounded(Math.min(Math.max(step * (step > 8 ? 0.7 : 1), 1), size.widest))
  const drawn = bars.some(({ title: text }) => text !== undefined)
    ? bars.map(
        ({ title: text }, index) =>
          html`<path stroke-width="${width}" d="${shapes[index]}"><title>${text}</title></path>\n`,
      )
    : html`<path stroke-width="${width}" d="${shapes.join('')}"/>`
  const labels = bars.map(({ label }, index) => {
    const x = Math.max(xOf(index), 18)
    return (
      label !== undefined &&
      html`<text x="${x}" y="${size.height - 5}" text-anchor="middle">${label}</text>\n`
    )
  })
  const content = html`<g class="bars" font-size="${fontSize}">${lines}${drawn}${labels}</g>`
  return svg({ height: size.height, width: size.width, title }, content)
}

/** The lowest of 2, 3, 4, 6, 8, 10, 20 … that is not below a value: its half is short too. */
function niceAbove(value: number): number {
  if (value <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 3, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10)
}
