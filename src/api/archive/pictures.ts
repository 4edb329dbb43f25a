/** Draws how much there is of each year and of each day, the areas on each other. Pure. */
import type { DayVolume, MonthVolume } from '../../catalogue/questions/volumes.ts'
import type { Volume } from '../../catalogue/sums.ts'
import { sumOfVolumes } from '../../catalogue/sums.ts'
import { readableNumber, readableSize } from '../../runtime/readable.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { days as dayScale, plotSvg, quantities, years as yearScale } from '../pages/plot.ts'

/** The files of a year, by area. */
export interface YearVolumes {
  readonly year: number
  /** In the order of the areas. */
  readonly areas: readonly (Volume & { readonly area: string })[]
}

/** All years from the first to the last with files, also those without. */
export function yearsOf(
  months: readonly MonthVolume[],
  areas: readonly string[],
): readonly YearVolumes[] {
  const byYear = Map.groupBy(months, ({ month }) => Number(month.slice(0, 'yyyy'.length)))
  const [first, last] = [Math.min(...byYear.keys()), Math.max(...byYear.keys())]
  if (byYear.size === 0) return []
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const year = first + index
    const own = byYear.get(year) ?? []
    return {
      year,
      areas: areas.map((area) => ({
        area,
        ...sumOfVolumes(own.filter((each) => each.area === area)),
      })),
    }
  })
}

/** Bars of bytes, each year as wide as the others. */
export function yearsSvg(years: readonly YearVolumes[]): Html {
  const most = Math.max(...years.map((each) => sumOfVolumes(each.areas).bytes))
  const [first = NaN, last = NaN] = [years[0]?.year, years.at(-1)?.year]
  return plotSvg({
    title: 'Bytes by year',
    x: yearScale(first, last),
    y: quantities(most, readableSize),
    height: 300,
    draw: ({ bar }) =>
      years.map((each) => {
        const { year, areas } = each
        const across = [year + 0.1, year + 0.9] as const
        let top = 0
        const bars = areas.map(({ bytes }, index) => {
          const bottom = top
          top += bytes
          return bytes > 0 && html`<g class="${markOf(index)}">${bar(across, [bottom, top])}</g>`
        })
        return top > 0 && html`<g><title>${yearWords(each)}</title>${bars}</g>\n`
      }),
  })
}

/** `2026: obs 13.1 GB, nrt 1.2 GB` */
function yearWords(of: YearVolumes): string {
  const parts = of.areas.filter(({ files }) => files > 0)
  return `${of.year}: ${parts.map(({ area, bytes }) => `${area} ${readableSize(bytes)}`).join(', ')}`
}

/** The class of the marks of an area, by its place. */
const markOf = (index: number): string => `area-${index + 1}`

/** Files or bytes of an area, from the first day with files to the last; nothing without files. */
export function daysSvg(
  days: readonly DayVolume[],
  { area, index }: { readonly area: string; readonly index: number },
  of: keyof Volume,
): Child {
  const byDay = new Map(days.flatMap((each) => (each.area === area ? [[each.day, each[of]]] : [])))
  if (byDay.size === 0) return undefined
  const [first, last] = [Math.min(...byDay.keys()), Math.max(...byDay.keys())]
  const values = Array.from({ length: last - first + 1 }, (_, n) => byDay.get(first + n) ?? 0)
  return html`<p class="quiet">${area}, ${of}</p>
${plotSvg({
  title: `${area}, ${of} a day`,
  x: dayScale(first, last),
  y: quantities(Math.max(...values), of === 'bytes' ? readableSize : wholeNumber),
  height: 64,
  // The outline is stretched to the width of the plot.
  draw({ y }) {
    const base = y(0)
    const steps = values.map((value, index) => `V${y(value)}H${index + 1}`)
    const box = html`width="100%" height="${base}" viewBox="0 0 ${values.length} ${base}"`
    return html`<svg class="${markOf(index)}" ${box} preserveAspectRatio="none"><path d="M0 ${base}${steps.join('')}V${base}z"/></svg>
`
  },
})}`
}

function wholeNumber(value: number): string {
  return Number.isInteger(value) ? readableNumber(value) : ''
}
