/** Draws pictures in SVG on the server, without scripts and styles. Pure. */
import type { Child, Html } from './html.ts'
import { html } from './html.ts'

/**
 * @param picture `height` and `width` are in pixels, without scaling: a text of 12 pixels stays
 *   readable on any screen
 */
export function svg(
  picture: { height: number; title: string; width: number },
  content: Child,
): Html {
  const { height, title, width } = picture
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
 viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"
 font-family="system-ui, sans-serif" font-size="12" fill="#737373"><title>${title}</title>
${content}
</svg>
`
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
