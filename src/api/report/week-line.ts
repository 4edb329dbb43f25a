/** Draws how complete the network was in the last weeks. Pure. */
import { readableShare } from '../pages/labels.ts'
import { looks, rounded, svg } from '../pages/svg.ts'
import type { WireReport } from './schema.ts'

const size = { width: 328, height: 112, left: 48, right: 320, top: 12, bottom: 84 }

/** A line over the weeks, the oldest at the left; empty if fewer than two of them are known. */
export function weekLineSvg(weeks: WireReport['weeks']): string {
  const known = weeks.flatMap(({ week, completeness }, index) =>
    completeness === null ? [] : [{ week, completeness, index }],
  )
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined || known.length < 2) return ''
  const lowest = Math.min(...known.map(({ completeness }) => completeness))
  // A line that varies by a tenth of a percent need not look like a disaster.
  const floor = Math.min(0.9, Math.floor(lowest * 10) / 10)
  const xOf = (index: number): number =>
    rounded(size.left + (index / (weeks.length - 1)) * (size.right - size.left))
  const yOf = (share: number): number =>
    rounded(size.bottom - ((share - floor) / (1 - floor)) * (size.bottom - size.top))
  const line = known.map(({ completeness, index }) => `${xOf(index)} ${yOf(completeness)}`)
  const dots = known.map(
    ({ week, completeness, index }) =>
      `<circle cx="${xOf(index)}" cy="${yOf(completeness)}" r="4"><title>${week}: ${readableShare(completeness)}</title></circle>`,
  )
  const levels = [1, floor].map(
    (share) =>
      `<text y="${yOf(share) + 4}">${Math.round(share * 100)} %</text><path d="M${size.left} ${yOf(share)}H${size.right}" stroke="#80808060"/>`,
  )
  const names = `<text x="${xOf(first.index)}" y="104">${first.week}</text><text x="${size.right}" y="104" text-anchor="end">${last.week}</text>`
  const title = `Completeness of ${known.length} weeks: ${known.map(({ completeness }) => readableShare(completeness)).join(', ')}`
  return svg(
    { height: size.height, width: size.width, title },
    `${levels.join('')}<path d="M${line.join('L')}" fill="none" stroke="${looks.good.color}" stroke-width="2"/><g fill="${looks.good.color}">${dots.join('')}</g>${names}`,
  )
}
